// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Threads are followed in parts, side by side. The walk of a part begins before it, as far as it takes
 * to know which bytecode its first instructions are of; then its tallies are those of a walk from
 * the thread's begin, and are added up.
 *
 *	part 2, from 10,000,000 on	a walk from 8,951,424 meets a bytecode at 9,999,990,
 *					whose instructions from 10,000,000 on are the part's
 *	no bytecode is met before	another walk begins 16 times as far back
 */
#include <stdlib.h>
#include <string.h>

#include "analysis/methods/quiet.h"
#include "analysis/methods/tallies.h"
#include "analysis/schedule.h"
#include "base/error.h"
#include "managed/walk.h"
#include "trace/trace.h"

enum {
	/* Shorter ones would take longer to begin than to follow. */
	PART_INSNS_LEAST = 1 << 25,
	PARTS_OF_THREAD = 4, /* for each thread of this machine */
	BLOCK_INSNS = 8,     /* about */
};

/* A thread in parts. */
struct job {
	struct tallies *sum;
	const struct wm_trace *trace;
	struct functions *functions;
	const struct selection *selection;
	unsigned stream;
	uint64_t from, to, step; /* part i begins at from + i * step */
	struct tallies *parts;	 /* by number */
};

/* Following a part. */
struct follower {
	struct tallies *tallies;
	const struct units *units;
	uint64_t back; /* how far before the part it begins */
	bool late;     /* that is not the thread's begin */
	bool known;    /* which bytecode runs */
	bool unsure;   /* it must begin earlier */
};

/* ---- following ------------------------------------------------------------ */

static int take_step(void *cookie, const struct walk_step *step, struct wm_error *err)
{
	struct follower *follower = cookie;

	if (follower->late && step->insn >= follower->tallies->from &&
	    (step->unsure || !follower->known)) {
		follower->unsure = true;
		return WM_END;
	}
	follower->known = !step->unsure;
	return step->unsure ? 0 : tallies_take(follower->tallies, step, err);
}

/* A run of blocks. Behind the part's end the walk stops within the run: WM_END. */
static int pass_run(struct tallies *tallies, struct walk *walk, struct wm_cursor *cursor,
		    const uint32_t *ids, size_t n, const struct wm_step *step,
		    struct wm_error *err)
{
	struct wm_error other;
	int ret = walk_pass(walk, cursor, ids, n, step, err), last;

	if (ret < 0)
		return ret;
	last = tallies_pass(tallies, ret ? tallies->meter.to : walk_settled(walk), ids, n,
			    step, ret ? &other : err);
	return last ? last : ret;
}

static int follow(struct follower *follower, const struct wm_trace *trace,
		  unsigned stream, struct wm_error *err)
{
	struct tallies *tallies = follower->tallies;
	struct wm_cursor *cursor = NULL;
	const uint32_t *ids;
	struct wm_step step;
	struct walk *walk;
	size_t n;
	int ret =
		walk_new(&walk, follower->units, trace, stream, take_step, follower, err);

	follower->late = follower->back < tallies->from;
	if (!ret)
		ret = wm_cursor_new(&cursor, trace, stream, err);
	if (!ret && follower->late)
		ret = walk_begin_late(walk, cursor, tallies->from - follower->back, err);
	while (!ret && walk_settled(walk) < tallies->meter.to &&
	       !(ret = wm_cursor_next_run(cursor, &ids, &n, &step, err)))
		ret = pass_run(tallies, walk, cursor, ids, n, &step, err);
	/* A part without a bytecode is of the one before it. */
	follower->unsure |= follower->late && !follower->known;
	wm_cursor_free(cursor);
	walk_free(walk);
	return ret < 0 ? ret : 0;
}

/* ---- parts ---------------------------------------------------------------- */

/* One attempt. The part's tallies are empty before, and after one that is unsure. */
static int follow_part(struct job *job, uint64_t number, uint64_t back, bool *unsure,
		       struct wm_error *err)
{
	struct tallies *part = &job->parts[number];
	struct selection selection = { .from = job->from + number * job->step };
	struct follower follower = { .tallies = part,
				     .units = &job->sum->units,
				     .back = back };
	int ret;

	selection.to = job->to - selection.from > job->step ? selection.from + job->step :
							      job->to;
	ret = tallies_init(part, job->sum->index, job->trace, job->functions, &selection,
			   err);
	part->native.defers = true;
	if (!ret) {
		tallies_begin(part);
		ret = follow(&follower, job->trace, job->stream, err);
		tallies_end(part, job->stream);
	}
	*unsure = !ret && follower.unsure;
	if (*unsure) {
		tallies_fini(part);
		*part = (struct tallies){ .index = NULL };
	}
	return ret;
}

static int run(void *cookie, uint64_t number, unsigned worker, struct wm_error *err)
{
	struct job *job = cookie;
	uint64_t from = job->from + number * job->step, back = WALK_BACK_INSNS;
	bool unsure = true;
	int ret = 0;

	(void)worker;
	for (; unsure && !ret; back = walk_further_back(back, from))
		ret = follow_part(job, number, back, &unsure, err);
	return ret ? ret : tallies_settle(&job->parts[number], err);
}

static int take(void *cookie, uint64_t number, struct wm_error *err)
{
	struct job *job = cookie;
	struct tallies *part = &job->parts[number];
	int ret = tallies_join(job->sum, part, err);

	tallies_fini(part);
	*part = (struct tallies){ .index = NULL };
	return ret;
}

/* ---- threads -------------------------------------------------------------- */

/* How many instructions a part has. */
static uint64_t part_insns(const struct selection *selection, uint64_t insns)
{
	uint64_t parts = (uint64_t)PARTS_OF_THREAD * selection->threads;

	if (selection->part_blocks)
		return selection->part_blocks * BLOCK_INSNS;
	/* By one thread, parts are no faster. */
	if (selection->threads < 2)
		return insns;
	return insns / parts < PART_INSNS_LEAST ? PART_INSNS_LEAST : insns / parts + 1;
}

static int follow_thread(struct job *job, struct wm_error *err)
{
	struct schedule schedule = {
		.threads = job->selection->threads,
		.run = run,
		.take = take,
		.cookie = job,
	};
	struct wm_stream stream;
	int ret = wm_trace_stream(job->trace, job->stream, &stream);

	job->from = job->selection->from;
	job->to = stream.insns < job->selection->to ? stream.insns : job->selection->to;
	if (ret || job->to <= job->from)
		return ret;
	job->step = part_insns(job->selection, job->to - job->from);
	schedule.jobs = (job->to - job->from - 1) / job->step + 1;
	job->parts = calloc(schedule.jobs, sizeof(*job->parts));
	if (!job->parts)
		return wm_fail_nomem(err, "methods");
	ret = schedule_run(&schedule, NULL, err);
	for (uint64_t i = 0; i < schedule.jobs; i++)
		tallies_fini(&job->parts[i]);
	free(job->parts);
	return ret;
}

static int count_stream(struct job *job, struct wm_error *err)
{
	struct tallies *tallies = job->sum;
	struct counts counts;
	bool quiet;
	int ret = quiet_thread(&quiet, &counts, &tallies->units, job->trace,
			       job->selection, job->stream, err);

	if (!ret && quiet) {
		tallies_begin(tallies);
		ret = tallies_add(tallies, &counts, err);
		tallies_end(tallies, job->stream);
	} else if (!ret) {
		ret = follow_thread(job, err);
	}
	counts_fini(&counts);
	return ret;
}

int tallies_gather(struct tallies *tallies, const struct wm_trace *trace,
		   struct functions *functions, const struct selection *selection,
		   struct wm_error *err)
{
	struct job job = { .sum = tallies,
			   .trace = trace,
			   .functions = functions,
			   .selection = selection };
	int ret;

	*tallies = (struct tallies){ .index = NULL };
	ret = units_read(&tallies->units, trace, err);
	if (!ret && !tallies->units.n)
		return WM_END;
	if (!ret)
		ret = methods_init(&tallies->all, &tallies->units, err);
	if (!ret)
		ret = tallies_init(tallies, &tallies->all, trace, functions, selection,
				   err);
	for (unsigned i = 0; i < selection->n && !ret; i++) {
		job.stream = selection->streams[i];
		ret = count_stream(&job, err);
	}
	return ret ? ret : tallies_settle(tallies, err);
}
