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
 * process has is its shard and, in rank 0, one more, both in spools: a single chunk's may be large.
 */
#include "query/team_row.h"

#include "analysis/shard_row.h"
#include "analysis/statebytes.h"
#include "base/error.h"
#include "base/spool.h"

/* Bytes of a shard, about; rounds of a run, at least; bytes of a message. */
enum { SHARD_BYTES = 8 << 20, ROUNDS = 4, MESSAGE_BYTES = 1 << 20 };

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

/* ---- a shard on its way ---------------------------------------------------- */

struct shard {
	struct spool *spool;
	struct span all; /* once it is complete */
};

static int shard_init(struct shard *shard, struct wm_error *err)
{
	*shard = (struct shard){ .spool = spool_new() };
	return shard->spool ? 0 : wm_fail_nomem(err, "an analysis");
}

static void shard_fini(struct shard *shard)
{
	spool_free(shard->spool);
	shard->spool = NULL;
}

/* The last message is shorter than all before it. */
static void send_shard(const struct team *team, const struct shard *shard)
{
	struct span left = shard->all;
	uint64_t given_back = 0;
	size_t bytes;

	do {
		bytes = span_left(&left) < MESSAGE_BYTES ? span_left(&left) :
							   MESSAGE_BYTES;
		/* Only looked at, so it need not be a buffer's own. */
		team->send(team, 0,
			   &(struct buf){ .data = (uint8_t *)(uintptr_t)left.at,
					  .len = bytes });
		span_bytes(&left, bytes);
		spool_give_back(shard->spool, &given_back, left.at);
	} while (bytes == MESSAGE_BYTES);
}

/* After an error it goes on: the sender must not wait for ever. */
static int receive_shard(const struct team *team, unsigned rank, struct shard *shard,
			 struct wm_error *err)
{
	struct buf message = BUF_INIT;
	int ret = shard_init(shard, err);

	do {
		message.len = 0;
		team->receive(team, rank, &message);
		if (!ret)
			ret = spool_put(shard->spool, message.data, message.len, err);
	} while (message.len == MESSAGE_BYTES);
	buf_fini(&message);
	return ret ? ret : spool_end(shard->spool, &shard->all, err);
}

/* ---- rounds ---------------------------------------------------------------- */

static int compute(const struct rounds *rounds, struct shard *shard, struct wm_error *err)
{
	size_t first = rounds->first + rounds->each * rounds->runner->team->rank;
	int ret = shard_init(shard, err);

	if (!ret)
		ret = shard_row_make(rounds->question, bound(rounds, first),
				     bound(rounds, first + rounds->each), shard->spool,
				     err);
	return ret ? ret : spool_end(shard->spool, &shard->all, err);
}

static int hand_out(struct rounds *rounds, const struct shard *shard,
		    struct wm_error *err)
{
	const struct shard_source source = { shard->all, shard->spool };
	size_t bytes = span_left(&shard->all);

	if (bytes > rounds->most_bytes)
		rounds->most_bytes = bytes;
	return shard_row_add(&rounds->row, &source, 1, err);
}

/* In rank 0: its own shard, which is the first, and those of the others. */
static int hand_out_all(struct rounds *rounds, struct shard *mine, struct wm_error *err)
{
	const struct team *team = rounds->runner->team;
	int ret;

	rounds->most_bytes = 0;
	rounds->most_each = rounds->each;
	ret = hand_out(rounds, mine, err);
	shard_fini(mine);
	for (unsigned rank = 1; rank < team->size; rank++) {
		struct wm_error theirs_err = { 0 };
		struct shard theirs;
		int theirs_ret =
			receive_shard(team, rank, &theirs, ret ? &theirs_err : err);

		if (!ret)
			ret = theirs_ret ? theirs_ret : hand_out(rounds, &theirs, err);
		shard_fini(&theirs);
	}
	return ret;
}

/* *plan is the next round's. *ret is what rank 0 has to report of the round before. */
static int do_round(struct rounds *rounds, struct plan *plan, int *ret,
		    struct wm_error *err)
{
	const struct team *team = rounds->runner->team;
	struct shard shard = { .spool = NULL };
	int failed = *ret ? *ret : compute(rounds, &shard, err);

	failed = team_agree(rounds->runner, failed, err);
	*plan = make_plan(rounds);
	if (!failed)
		broadcast_plan(team, plan);
	if (!failed && !plan->over && team->rank)
		send_shard(team, &shard);
	else if (!failed && !plan->over)
		*ret = hand_out_all(rounds, &shard, err);
	shard_fini(&shard);
	return failed;
}

int team_row_run(struct team_runner *runner, const struct shard_question *question,
		 struct wm_error *err)
{
	struct rounds rounds = { .runner = runner, .question = question, .each = 1 };
	size_t share = question->segments->n / runner->team->size + 1;
	struct plan plan = { .over = false };
	int ret = 0, failed = 0;

	/* Streams that are not cut are computed at the same time, in one round. */
	if (question->analysis->uncut)
		rounds.each = share;
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
