// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The runner of a team. The segments are cut into some batches for each process, and a process
 * takes the next batch whenever it has done one: so a process on a busy machine does less. The
 * shards are then merged along a tree, and all processes get the whole, because a question may
 * go on with it:
 *
 *	rank 0 <- 1,  2 <- 3,  4 <- 5,  6
 *	rank 0 <------2,       4 <------6
 *	rank 0 <---------------4		then all <- 0
 *
 * Which process did which batch does not matter for the answer: the merge of shards is
 * associative, and states are in the order of segments.
 */
#include "query/team.h"

#include <string.h>

#include "analysis/shard.h"
#include "base/error.h"
#include "query/state_file.h"

/* Batches for each process: more would cost more merging, fewer leave processes idle. */
enum { BATCHES = 12 };

static int no_memory(struct wm_error *err)
{
	return wm_fail_nomem(err, "an answer of several processes");
}

int team_agree(struct team_runner *runner, int ret, struct wm_error *err)
{
	const struct team *team = runner->team;
	unsigned failed = team->first_failed(team, ret != 0);

	/* The process of the lowest rank prints its sentence. */
	runner->elsewhere = failed < team->rank;
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

/* Computes batches until there is none left. *mine is their shard, maybe one of nothing. */
static int compute(const struct team *team, const struct shard_question *question,
		   struct buf *mine, struct wm_error *err)
{
	uint32_t n = team->size * BATCHES;
	uint64_t number;
	int ret = shard_make(question, 0, 0, mine, err);

	while (!ret && (number = team->next(team)) < n) {
		struct buf shard = BUF_INIT;
		size_t first, end;

		segments_part(question->segments, (uint32_t)number + 1, n, &first, &end);
		ret = shard_make(question, first, end, &shard, err);
		if (!ret)
			ret = add_shard(question, mine, &shard, err);
		buf_fini(&shard);
	}
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

static int run_together(struct team_runner *runner, const struct shard_question *question,
			struct buf *mine, struct wm_error *err)
{
	const struct team *team = runner->team;
	int ret = check_same(runner, question, err);

	if (ret)
		return ret;
	team->restart(team);
	ret = team_agree(runner, compute(team, question, mine, err), err);
	if (!ret)
		ret = team_agree(runner, gather(team, question, mine, err), err);
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
	const struct shard_question question = { analysis, setup, trace, selection,
						 segments };
	struct buf mine = BUF_INIT;
	int ret = run_together(team, &question, &mine, err);

	buf_fini(&mine);
	return ret;
}

struct team_runner team_runner(const struct team *team)
{
	return (struct team_runner){ .runner.run = run, .team = team };
}
