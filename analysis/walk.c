// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A part is some whole chunks of a stream, for chunks decode alone; --from and --to cut the
 * first and the last one shorter. Workers each have a cursor and run parts; states are put
 * together in order as soon as the parts before are, so that few of them wait.
 */
#include "analysis/walk.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/parallel.h"
#include "trace/cursor.h"
#include "trace/trace.h"

/* Blocks of a part, about: so many that what a part costs by itself is little. */
#define PART_BLOCKS (1u << 21)

struct job {
	struct walk_part part;
	uint32_t chunk, chunks; /* of the stream: the first, and how many */
	uint64_t insns;		/* in them */
	void *state;		/* once it is made */
	struct wm_error *err;	/* NULL: none */
};

struct walker {
	const struct walk_analysis *analysis;
	void *setup;
	const struct wm_trace *trace;
	const struct selection *selection;
	struct job *jobs; /* [n_jobs] in the order of streams and chunks */
	size_t n_jobs;
	struct wm_cursor **cursors; /* [threads] each worker's, NULL at first */
	unsigned threads;
	void *whole;	      /* of the stream, up to the part taken last */
	uint64_t done, total; /* instructions */
};

/* Where a worker is in a part. */
struct at {
	const struct walker *walker;
	struct wm_cursor *cursor;
	void *state;
	uint64_t block, insn;	/* ordinals of what comes next */
	uint64_t end_block, to; /* where to stop, whichever comes first */
	bool cut;		/* it is `to`; else the cursor knows `insn` well enough */
};

/* ---- a worker's: one part -------------------------------------------------------------- */

static const struct chunk_head *head_of(const struct walker *walker,
					const struct job *job, uint32_t chunk)
{
	const struct trace_stream *stream = &walker->trace->streams[job->part.stream];

	return &walker->trace->chunks[stream->chunks[chunk]].head;
}

static uint32_t insns_of(const struct at *at, uint32_t id)
{
	return at->walker->trace->table.blocks[id].insns;
}

static int give(const struct at *at, const struct walk_stretch *stretch,
		struct wm_error *err)
{
	return at->walker->analysis->blocks(at->state, stretch, err);
}

/* Where a run begins is no further back than where the last one ended, says a sound file. */
static int check_run(const struct at *at, const struct wm_step *step,
		     struct wm_error *err)
{
	if (at->insn < step->insn_ordinal + step->insns ||
	    (!step->insns && at->insn == step->insn_ordinal))
		return 0;
	return wm_fail(err, WM_E_DAMAGED, 0,
		       "a chunk before block %" PRIu64
		       " has more instructions than it says",
		       step->block_ordinal);
}

/* The first block of a run, of which not all ran or not all is asked for. */
static int give_part(struct at *at, const uint32_t *ids, const struct wm_step *step,
		     struct wm_error *err)
{
	struct walk_stretch stretch = {
		.ids = ids,
		.n = 1,
		.block = at->block,
		.insn = at->insn,
		.skip = (uint32_t)(at->insn - step->insn_ordinal),
		.end = step->insns,
		.uncertain = step->uncertain,
	};
	uint64_t left = at->to - step->insn_ordinal;

	if (left < stretch.end) {
		uint32_t cut = stretch.end - (uint32_t)left;

		stretch.uncertain -= cut < stretch.uncertain ? cut : stretch.uncertain;
		stretch.end = (uint32_t)left;
	}
	if (stretch.uncertain > stretch.end - stretch.skip)
		stretch.uncertain = stretch.end - stretch.skip;
	at->block++;
	at->insn = step->insn_ordinal + stretch.end;
	return give(at, &stretch, err);
}

/*
 * How many of ids[n] end before `to`; *insns: their instructions. Where nothing is cut off
 * they are not added up, but of one alone: the next run tells where it is.
 */
static size_t whole_ones(const struct at *at, const uint32_t *ids, size_t n,
			 uint64_t *insns)
{
	uint64_t sum = 0, most = at->to - at->insn;
	size_t i = 0;

	if (!at->cut) {
		*insns = n == 1 ? insns_of(at, *ids) : 0;
		return n;
	}
	for (; i < n; i++) {
		uint32_t one = insns_of(at, ids[i]);

		if (one > most - sum)
			break;
		sum += one;
	}
	*insns = sum;
	return i;
}

/* A run of blocks, whole but for what is cut off at its ends. */
static int give_run(struct at *at, const uint32_t *ids, size_t n,
		    const struct wm_step *first, struct wm_error *err)
{
	struct wm_step step = *first;
	bool broken = at->insn > step.insn_ordinal || step.uncertain ||
		      step.insns < insns_of(at, ids[0]);
	int ret = broken ? give_part(at, ids, &step, err) : 0;
	size_t from = broken, whole;
	uint64_t insns;

	if (ret || from == n || at->insn == at->to)
		return ret;
	whole = whole_ones(at, ids + from, n - from, &insns);
	if (whole) {
		struct walk_stretch stretch = {
			.ids = ids + from,
			.n = whole,
			.block = at->block,
			.insn = at->insn,
			.end = whole == 1 ? (uint32_t)insns : 0,
		};

		at->block += whole;
		at->insn += insns;
		ret = give(at, &stretch, err);
	}
	if (ret || from + whole == n || at->insn == at->to)
		return ret;
	step = (struct wm_step){
		.insn_ordinal = at->insn,
		.insns = insns_of(at, ids[from + whole]),
	};
	return give_part(at, ids + from + whole, &step, err);
}

static int give_gap(struct at *at, uint32_t id, struct wm_error *err)
{
	const struct walk_analysis *analysis = at->walker->analysis;

	at->block++;
	return analysis->gap ? analysis->gap(at->state, id, at->insn, err) : 0;
}

/* The next event, right before the next block; those at the part's end are its own. */
static bool has_event(const struct at *at, struct wm_event *event)
{
	uint64_t block, ns;

	/* A cursor at the end of a chunk would go on to the next, which is another part's. */
	return (at->block < at->end_block ||
		cursor_event_ahead(at->cursor, &block, &ns)) &&
	       wm_cursor_event_here(at->cursor, event) == 0;
}

static int give_events(struct at *at, struct wm_error *err)
{
	const struct walk_analysis *analysis = at->walker->analysis;
	struct wm_event event;
	int ret = 0;

	while (!ret && analysis->event && has_event(at, &event))
		ret = analysis->event(at->state, &event, err);
	return ret;
}

static int run_part(struct at *at, struct wm_error *err)
{
	const uint32_t *ids;
	struct wm_step step;
	size_t n;
	int ret = 0;

	while (!ret && at->insn < at->to) {
		ret = give_events(at, err);
		if (ret || at->block >= at->end_block)
			break;
		ret = wm_cursor_next_run(at->cursor, &ids, &n, &step, err);
		if (!ret)
			ret = check_run(at, &step, err);
		if (ret)
			break;
		at->block = step.block_ordinal;
		if (at->insn < step.insn_ordinal)
			at->insn = step.insn_ordinal;
		ret = step.insns ? give_run(at, ids, n, &step, err) :
				   give_gap(at, ids[0], err);
	}
	return ret == WM_END ? 0 : ret;
}

/* Stands where the part begins, or where what is asked for does. */
static int enter(struct at *at, const struct job *job, struct wm_error *err)
{
	const struct walker *walker = at->walker;
	const struct chunk_head *first = head_of(walker, job, job->chunk);
	const struct chunk_head *last =
		head_of(walker, job, job->chunk + job->chunks - 1);
	uint64_t from = walker->selection->from;

	at->block = first->first_block;
	at->insn = first->first_insn;
	at->end_block = last->first_block + last->blocks;
	at->to = walker->selection->to;
	at->cut = at->to < last->first_insn + last->insns;
	if (from <= first->first_insn)
		return cursor_enter_chunk(at->cursor, job->chunk, err);
	at->insn = from; /* which block that is in, the first run tells */
	return wm_cursor_seek_insn(at->cursor, from, err);
}

static int run(const struct walker *walker, struct job *job, struct wm_cursor **cursor,
	       struct wm_error *err)
{
	struct at at = { .walker = walker, .state = job->state };
	int ret = walker->analysis->begin(job->state, walker->setup, &job->part, err);

	/* The worker's: a new one has memory that the kernel must clear first. */
	if (!ret)
		ret = cursor_renew(cursor, walker->trace, job->part.stream, err);
	at.cursor = *cursor;
	if (!ret)
		ret = enter(&at, job, err);
	if (!ret)
		ret = run_part(&at, err);
	return ret;
}

static int keep_error(struct job *job, int ret, const struct wm_error *err)
{
	if (ret)
		job->err = malloc(sizeof(*job->err));
	if (job->err)
		*job->err = *err;
	return ret;
}

static int make(void *cookie, uint64_t index, unsigned worker)
{
	struct walker *walker = cookie;
	struct job *job = &walker->jobs[index];
	struct wm_error err = { .code = 0 };
	int ret;

	job->state = calloc(1, walker->analysis->state_bytes);
	ret = job->state ? run(walker, job, &walker->cursors[worker], &err) :
			   wm_fail_nomem(&err, "an analysis");
	return keep_error(job, ret, &err);
}

/* ---- putting parts together --------------------------------------------------------------- */

static void drop(const struct walker *walker, void **state)
{
	if (*state)
		walker->analysis->end(*state);
	free(*state);
	*state = NULL;
}

static int put_together(struct walker *walker, struct job *job, struct wm_error *err)
{
	const struct walk_analysis *analysis = walker->analysis;
	int ret = 0;

	if (walker->whole) {
		ret = analysis->append(walker->whole, job->state, err);
		drop(walker, &job->state);
	} else {
		walker->whole = job->state;
		job->state = NULL;
	}
	if (!ret && job->part.last) {
		ret = analysis->stream(walker->whole, walker->setup, job->part.stream,
				       err);
		drop(walker, &walker->whole);
	}
	return ret;
}

static int take(void *cookie, uint64_t index)
{
	struct walker *walker = cookie;
	const struct selection *selection = walker->selection;
	struct job *job = &walker->jobs[index];
	struct wm_error err = { .code = 0 };
	int ret = put_together(walker, job, &err);

	walker->done += job->insns;
	if (selection->progress)
		selection->progress(selection->cookie, walker->done, walker->total);
	return keep_error(job, ret, &err);
}

/* ---- cutting ---------------------------------------------------------------------------------- */

/* The chunks that have anything that is asked for: [*first, *end). */
static void range_of(const struct walker *walker, const struct trace_stream *stream,
		     uint32_t *first, uint32_t *end)
{
	const struct trace_chunk *chunks = walker->trace->chunks;

	*first = 0;
	while (*first < stream->chunk_count) {
		const struct chunk_head *head = &chunks[stream->chunks[*first]].head;

		if (head->first_insn + head->insns > walker->selection->from)
			break;
		++*first;
	}
	*end = *first;
	while (*end < stream->chunk_count &&
	       chunks[stream->chunks[*end]].head.first_insn < walker->selection->to)
		++*end;
}

static void cut(struct walker *walker, unsigned index)
{
	const struct trace_stream *stream = &walker->trace->streams[index];
	uint32_t first, end;
	uint64_t blocks = 0, most = walker->selection->part_blocks;
	struct job *job = NULL;

	if (!most)
		most = PART_BLOCKS;
	range_of(walker, stream, &first, &end);
	for (uint32_t i = first; i < end; i++) {
		const struct chunk_head *head =
			&walker->trace->chunks[stream->chunks[i]].head;

		if (!job || blocks + head->blocks > most) {
			job = &walker->jobs[walker->n_jobs++];
			job->part.stream = index;
			job->part.process = stream->record.process;
			job->part.first_block = head->first_block;
			job->part.first = i == first;
			job->chunk = i;
			blocks = 0;
		}
		job->chunks++;
		job->part.last = i + 1 == end;
		job->insns += head->insns;
		walker->total += head->insns;
		blocks += head->blocks;
	}
}

static int fail(const struct walker *walker, int ret, struct wm_error *err)
{
	for (size_t i = 0; i < walker->n_jobs; i++)
		if (walker->jobs[i].err) {
			if (err)
				*err = *walker->jobs[i].err;
			return ret;
		}
	return wm_fail_nomem(err, "an analysis");
}

int walk(const struct walk_analysis *analysis, void *setup, const struct wm_trace *trace,
	 const struct selection *selection, struct wm_error *err)
{
	static const struct parallel_steps steps = { make, take };
	struct walker walker = {
		.analysis = analysis,
		.setup = setup,
		.trace = trace,
		.selection = selection,
		.jobs = calloc((size_t)trace->chunk_count + 1, sizeof(*walker.jobs)),
	};
	int ret;

	walker.threads = selection->threads ? selection->threads : 1;
	walker.cursors = calloc(walker.threads, sizeof(struct wm_cursor *));
	ret = walker.jobs && walker.cursors ? trace_load(trace, err) :
					      wm_fail_nomem(err, "an analysis");
	for (unsigned i = 0; !ret && i < selection->n; i++)
		cut(&walker, selection->streams[i]);
	if (!ret) {
		ret = parallel_in_order(walker.n_jobs, selection->threads, &steps,
					&walker);
		ret = ret ? fail(&walker, ret, err) : 0;
	}
	for (size_t i = 0; i < walker.n_jobs; i++) {
		drop(&walker, &walker.jobs[i].state);
		free(walker.jobs[i].err);
	}
	drop(&walker, &walker.whole);
	for (unsigned i = 0; walker.cursors && i < walker.threads; i++)
		wm_cursor_free(walker.cursors[i]);
	free(walker.cursors);
	free(walker.jobs);
	return ret;
}
