// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The work goes in rounds, in each of which every process computes its part of the segments that
 * come next. While the others are in the next round, rank 0 gets their shards one by one, and
 * hands out what they have:
 *
 *	segments	0 1 | 0 0 1 1 | 0 0 0 0 1 1 1 1 | ...
 *	rank 0		computes, hands out 0 1	computes, hands out 0 0 1 1
 *
 * Rounds begin small, since it may be that only the begin of the answer is wanted, and double as
 * long as shards are small: a round ends with its longest part, so many rounds cost time. What a
 * process holds is its shard and, in rank 0, one more.
 */
#include "query/team_row.h"

#include "analysis/shard_row.h"
#include "analysis/statebytes.h"
#include "base/error.h"

/* Bytes of a shard, about; rounds of a run, at least. */
enum { SHARD_BYTES = 8 << 20, ROUNDS = 4 };

/* What rank 0 says before each round ends: how many segments each does in the next one. */
struct plan {
	size_t each;
	bool over; /* there is none */
};

struct rounds {
	struct team_runner *runner;
	const struct shard_question *question;
	struct shard_row row; /* of rank 0 */
	size_t first;	      /* segment of the round */
	size_t each;	      /* segments of each process */
	size_t most_bytes;    /* of a shard of the last round that was handed out ... */
	size_t most_each;     /* ... and how many segments each had there */
};

static void broadcast_plan(const struct team *team, struct plan *plan)
{
	struct buf bytes = BUF_INIT;
	struct span in;

	if (!team->rank) {
		buf_put_varint(&bytes, plan->each);
		buf_put_varint(&bytes, plan->over);
	}
	team->broadcast(team, &bytes);
	in = span_of(bytes.data, bytes.len);
	plan->each = span_varint(&in);
	/* Without memory in rank 0 the round is the last; it says why when all agree. */
	plan->over = span_varint(&in) || in.failed;
	buf_fini(&bytes);
}

/* In rank 0: the next round, as far as is known from those that were handed out. */
static struct plan make_plan(const struct rounds *rounds)
{
	unsigned size = rounds->runner->team->size;
	size_t n = rounds->question->segments->n, each = rounds->each * 2;
	size_t fit = rounds->most_bytes ? (size_t)((uint64_t)rounds->most_each *
						   SHARD_BYTES / rounds->most_bytes) :
					  each;

	each = each < fit ? each : fit;
	each = each < n / size / ROUNDS ? each : n / size / ROUNDS;
	return (struct plan){ each ? each : 1, rounds->row.over };
}

static size_t bound(const struct rounds *rounds, size_t segment)
{
	size_t n = rounds->question->segments->n;

	return segment < n ? segment : n;
}

static int compute(const struct rounds *rounds, struct buf *shard, struct wm_error *err)
{
	size_t first = rounds->first + rounds->each * rounds->runner->team->rank;

	return shard_make(rounds->question, bound(rounds, first),
			  bound(rounds, first + rounds->each), shard, err);
}

static int hand_out(struct rounds *rounds, const struct buf *shard, struct wm_error *err)
{
	const struct shard_source source = { span_of(shard->data, shard->len), NULL };

	if (shard->len > rounds->most_bytes)
		rounds->most_bytes = shard->len;
	return shard_row_add(&rounds->row, &source, 1, err);
}

/* In rank 0: its own shard, which is the first, and those of the others. */
static int hand_out_all(struct rounds *rounds, struct buf *mine, struct wm_error *err)
{
	const struct team *team = rounds->runner->team;
	int ret;

	rounds->most_bytes = 0;
	rounds->most_each = rounds->each;
	ret = hand_out(rounds, mine, err);
	buf_fini(mine);
	for (unsigned rank = 1; rank < team->size; rank++) {
		struct buf theirs = BUF_INIT;

		team->receive(team, rank, &theirs);
		/* After an error it goes on: the others must not wait for ever. */
		if (!ret)
			ret = hand_out(rounds, &theirs, err);
		buf_fini(&theirs);
	}
	return ret;
}

/* *plan is the next round's. *ret is what rank 0 has to report of the round before. */
static int do_round(struct rounds *rounds, struct plan *plan, int *ret,
		    struct wm_error *err)
{
	const struct team *team = rounds->runner->team;
	struct buf shard = BUF_INIT;
	int failed = *ret ? *ret : compute(rounds, &shard, err);

	failed = team_agree(rounds->runner, failed, err);
	*plan = make_plan(rounds);
	if (!failed)
		broadcast_plan(team, plan);
	if (!failed && !plan->over && team->rank)
		team->send(team, 0, &shard);
	else if (!failed && !plan->over)
		*ret = hand_out_all(rounds, &shard, err);
	buf_fini(&shard);
	return failed;
}

int team_row_run(struct team_runner *runner, const struct shard_question *question,
		 struct wm_error *err)
{
	struct rounds rounds = { .runner = runner, .question = question, .each = 1 };
	struct plan plan = { .over = false };
	int ret = 0, failed = 0;

	shard_row_init(&rounds.row, question);
	while (!failed && !plan.over && rounds.first < question->segments->n) {
		failed = do_round(&rounds, &plan, &ret, err);
		rounds.first += rounds.each * runner->team->size;
		rounds.each = plan.each;
	}
	if (!failed && !ret && !runner->team->rank)
		ret = shard_row_end(&rounds.row, err);
	shard_row_fini(&rounds.row);
	return failed ? failed : team_agree(runner, ret, err);
}
