// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The runner of a team. The segments are cut into batches, and a process takes the next batch
 * whenever it has done one: so a process on a busy machine does less. The shards are then
 * merged along a tree, and all processes get the whole, because a question may go on with it:
 *
 *	rank 0 <- 1,  2 <- 3,  4 <- 5,  6
 *	rank 0 <------2,       4 <------6
 *	rank 0 <---------------4		then all <- 0
 *
 * Which process did which batch does not matter for the answer: the merge of shards is
 * associative, and states are in the order of segments. States that depend on all before them
 * are made in rounds instead, see compute_in_order().
 */
#include "query/team.h"

#include <string.h>

#include "analysis/shard.h"
#include "base/error.h"
#include "query/state_file.h"
#include "query/team_row.h"

/*
 * The work is cut into PIECES for each process, and pieces into batches, which are large at
 * first: each batch costs a merge. At the end they are single pieces, for as long as the last
 * one is computed, the other processes wait.
 *
 *	batches for each process	6	4	4
 *	pieces in a batch		6	2	1	= 48 pieces
 */
static const struct {
	uint32_t batches, pieces;
} phases[] = { { 6, 6 }, { 4, 2 }, { 4, 1 } };
enum { PIECES = 48, PHASES = sizeof(phases) / sizeof(*phases) };

static int no_memory(struct wm_error *err)
{
	return wm_fail_nomem(err, "an answer of several processes");
}

int team_agree(struct team_runner *runner, int ret, struct wm_error *err)
{
	const struct team *team = runner->team;
	unsigned failed = team->first_failed(team, ret != 0);

	/* The process of the lowest rank prints its sentence. */
	runner->elsewhere = failed < team->size && failed != team->rank;
	if (failed == team->size)
		return 0;
	return ret ? ret : wm_fail(err, WM_E_RANGE, 0, "another process has failed");
}

/* Whether all of the team ask the same. A script may have been started, not this command. */
static int check_same(struct team_runner *runner, const struct shard_question *question,
		      struct wm_error *err)
{
	struct buf mine = BUF_INIT, first = BUF_INIT;
	int ret = 0;

	buf_put_string(&mine, question->analysis->name);
	buf_put_u64(&mine, state_identity(question->trace));
	buf_put_u64(&mine, question->segments->n);
	buf_put_u64(&mine, question->selection->from);
	buf_put_u64(&mine, question->selection->to);
	buf_put(&first, mine.data, mine.len);
	runner->team->broadcast(runner->team, &first);
	if (mine.failed || first.failed)
		ret = no_memory(err);
	else if (mine.len != first.len || memcmp(mine.data, first.data, mine.len) != 0)
		ret = wm_fail(err, WM_E_RANGE, 0,
			      "the processes of this MPI job ask different questions; "
			      "WAYMARK_MPI=no lets each answer for itself");
	buf_fini(&mine);
	buf_fini(&first);
	return team_agree(runner, ret, err);
}

/* Merges another shard into *whole, which is replaced. */
static int add_shard(const struct shard_question *question, struct buf *whole,
		     const struct buf *shard, struct wm_error *err)
{
	struct buf merged = BUF_INIT;
	int ret = shard_merge(question, span_of(whole->data, whole->len),
			      span_of(shard->data, shard->len), &merged, err);

	buf_fini(whole);
	*whole = merged;
	return ret;
}

/* The segments of a batch; false: no batch has that index. */
static bool find_batch(const struct segments *segments, unsigned size, uint64_t number,
		       size_t *first, size_t *end)
{
	uint32_t piece = 0, n = size * PIECES;
	size_t ignored;

	for (unsigned i = 0; i < PHASES; i++) {
		uint32_t batches = phases[i].batches * size, pieces = phases[i].pieces;

		if (number < batches) {
			piece += (uint32_t)number * pieces;
			segments_part(segments, piece + 1, n, first, &ignored);
			segments_part(segments, piece + pieces, n, &ignored, end);
			return true;
		}
		number -= batches;
		piece += batches * pieces;
	}
	return false;
}

/*
 * Computes batches until there is none left. *mine is their shard, maybe one of nothing. The batches
 * share a cursor: a new one's memory is 36 MiB, which the system has to clear.
 */
static int compute(const struct team *team, const struct shard_question *question,
		   struct buf *mine, struct wm_error *err)
{
	struct wm_cursor *cursor = NULL;
	struct shard_question batch = *question;
	size_t first, end;
	int ret = shard_make(question, 0, 0, mine, err);

	batch.cursor = &cursor;
	while (!ret && find_batch(question->segments, team->size, team->next(team),
				  &first, &end)) {
		struct buf shard = BUF_INIT;

		ret = shard_make(&batch, first, end, &shard, err);
		if (!ret)
			ret = add_shard(question, mine, &shard, err);
		buf_fini(&shard);
	}
	wm_cursor_free(cursor);
	return ret;
}

/* Afterwards rank 0 has the shard of all. */
static int gather(const struct team *team, const struct shard_question *question,
		  struct buf *mine, struct wm_error *err)
{
	int ret = 0;

	for (unsigned step = 1; step < team->size; step *= 2) {
		struct buf theirs = BUF_INIT;

		if (team->rank & step) {
			team->send(team, team->rank - step, mine);
			return ret;
		}
		if (team->rank + step >= team->size)
			continue;
		team->receive(team, team->rank + step, &theirs);
		/* After an error it goes on: the others must not wait for ever. */
		if (!ret)
			ret = add_shard(question, mine, &theirs, err);
		buf_fini(&theirs);
	}
	return ret;
}

/* ---- in order ------------------------------------------------------------------- */

/*
 * A state that depends on all before it: rank 0 has the state of the begin, and continues it.
 * The others do not know what comes before their part, which costs rank 0 a little for each
 * part when it puts that behind. So the work goes in rounds, which bound what waits there:
 *
 *	segments	0 0 0 0 1 1 1 1 2 2 2 2 | 0 0 0 0 1 1 1 1 2 2 2 2
 *	rank 0		computes   + 1   + 2    | computes   + 1   + 2
 *
 * In a round all compute at the same time; what rank 0 then adds, it adds while the others
 * are in the next round. A round ends with its longest part, and chunks are not cut, so half a
 * chunk's time is lost in each: there are few.
 */
enum { ROUNDS = 4, ROUND_INSNS = 1 << 29 };

/* The rounds of all ranks: at least ROUNDS, of at most ROUND_INSNS for each. */
static uint32_t count_rounds(const struct segments *segments, unsigned size)
{
	uint64_t n = segments->insns / size / ROUND_INSNS;

	return n < ROUNDS	     ? ROUNDS :
	       n > UINT32_MAX / size ? UINT32_MAX / size :
				       (uint32_t)n;
}

static int add_others(const struct team *team, struct shard_chain *chain,
		      struct wm_error *err)
{
	int ret = 0;

	for (unsigned rank = 1; rank < team->size; rank++) {
		struct buf theirs = BUF_INIT;

		team->receive(team, rank, &theirs);
		/* After an error it goes on: the others must not wait for ever. */
		if (!ret)
			ret = shard_chain_add(chain, span_of(theirs.data, theirs.len),
					      err);
		buf_fini(&theirs);
	}
	return ret;
}

/* The part of this process in round `round`; rank 0, which has a chain, leaves it there. */
static int compute_round(const struct team *team, const struct shard_question *question,
			 struct shard_chain *chain, uint32_t round, uint32_t rounds,
			 struct buf *shard, struct wm_error *err)
{
	size_t first, end;

	segments_part(question->segments, round * team->size + team->rank + 1,
		      rounds * team->size, &first, &end);
	return chain ? shard_chain_walk(chain, first, end, err) :
		       shard_make(question, first, end, shard, err);
}

static int do_rounds(struct team_runner *runner, const struct shard_question *question,
		     struct shard_chain *chain, struct wm_error *err)
{
	const struct team *team = runner->team;
	uint32_t rounds = count_rounds(question->segments, team->size);
	bool failed = false;
	int ret = 0;

	for (uint32_t i = 0; !failed && i < rounds; i++) {
		struct buf shard = BUF_INIT;

		/* An error of the round before is reported now, because all ranks must end together. */
		if (!ret)
			ret = compute_round(team, question, chain, i, rounds, &shard,
					    err);
		ret = team_agree(runner, ret, err);
		failed = ret;
		if (!ret && chain)
			ret = add_others(team, chain, err);
		else if (!ret)
			team->send(team, 0, &shard);
		buf_fini(&shard);
	}
	return failed ? ret : team_agree(runner, ret, err);
}

/* Afterwards rank 0 has the shard of all. */
static int compute_in_order(struct team_runner *runner,
			    const struct shard_question *question, struct buf *mine,
			    struct wm_error *err)
{
	const struct team *team = runner->team;
	struct shard_chain *chain = team->rank ? NULL : shard_chain_new(question);
	int ret = team_agree(runner, team->rank || chain ? 0 : no_memory(err), err);

	if (!ret)
		ret = do_rounds(runner, question, chain, err);
	if (!ret)
		ret = team_agree(runner, chain ? shard_chain_put(chain, mine, err) : 0,
				 err);
	shard_chain_free(chain);
	return ret;
}

/* ---- any order ------------------------------------------------------------------ */

static int compute_together(struct team_runner *runner,
			    const struct shard_question *question, struct buf *mine,
			    struct wm_error *err)
{
	const struct team *team = runner->team;
	int ret;

	team->restart(team);
	ret = team_agree(runner, compute(team, question, mine, err), err);
	return ret ? ret : team_agree(runner, gather(team, question, mine, err), err);
}

static int run_together(struct team_runner *runner, const struct shard_question *question,
			struct buf *mine, struct wm_error *err)
{
	const struct team *team = runner->team;
	int ret = check_same(runner, question, err);

	if (ret)
		return ret;
	if (question->analysis->streamed)
		return team_row_run(runner, question, err);
	if (question->analysis->in_order && question->analysis->append)
		ret = compute_in_order(runner, question, mine, err);
	else
		ret = compute_together(runner, question, mine, err);
	if (ret)
		return ret;
	team->broadcast(team, mine);
	return shard_finish(question, span_of(mine->data, mine->len), err);
}

static int run(const struct runner *runner, const struct analysis *analysis, void *setup,
	       const struct wm_trace *trace, const struct selection *selection,
	       const struct segments *segments, struct wm_error *err)
{
	/* The runner is the first member; whoever runs it may change the rest. */
	struct team_runner *team = (struct team_runner *)(uintptr_t)runner;
	const struct shard_question question = { analysis,  setup,    trace,
						 selection, segments, NULL };
	struct buf mine = BUF_INIT;
	int ret = run_together(team, &question, &mine, err);

	buf_fini(&mine);
	return ret;
}

struct team_runner team_runner(const struct team *team)
{
	return (struct team_runner){ .runner.run = run, .team = team };
}
