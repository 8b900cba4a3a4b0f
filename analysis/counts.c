// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Chunks are taken process by process, so that one array over all blocks is enough however
 * many processes there are. Workers read and unpack histograms; adding them up is little.
 *
 * Invariant: between two takes, `sums` holds the executions in `process` in the chunks so
 * far and `early` those among them that are parts; `seen` lists the ids with a sum.
 */
#include "analysis/counts.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/parallel.h"
#include "trace/trace.h"

/* A chunk, whole or what --from and --to leave of it. */
struct job {
	uint32_t process, stream;
	uint32_t chunk;
	bool cut;

	/* Made by a worker. */
	struct wm_count *counts; /* [n] executions, of whole blocks when it was cut */
	size_t n;
	struct counts_part *parts; /* [n_parts] */
	size_t n_parts;
	struct wm_error *err; /* NULL: none */
};

struct gather {
	const struct wm_trace *trace;
	const struct selection *selection;
	struct job *jobs;
	size_t n_jobs;
	struct counts *counts;
	size_t rows_room, parts_room;
	uint64_t *sums, *early; /* [known + 1] by id */
	uint32_t *seen;		/* [n_seen], each once */
	uint32_t n_seen, process;
	uint64_t done, total; /* instructions */
};

/* ---- growing ------------------------------------------------------------------------ */

/* Makes room for one more of `bytes` each; false when there is no memory. */
static bool grow(void *array, size_t n, size_t *room, size_t bytes)
{
	void **at = array;
	size_t more = *room ? *room * 2 : 256;
	void *grown;

	if (n < *room)
		return true;
	grown = reallocarray(*at, more, bytes);
	if (!grown)
		return false;
	*at = grown;
	*room = more;
	return true;
}

static bool add_part(struct job *job, size_t *room, const struct counts_part *part)
{
	if (!grow(&job->parts, job->n_parts, room, sizeof(*job->parts)))
		return false;
	job->parts[job->n_parts++] = *part;
	return true;
}

/* ---- a worker's: one chunk ------------------------------------------------------------ */

static uint32_t insns_of(const struct gather *gather, uint32_t id)
{
	return gather->trace->table.blocks[id].insns;
}

/* Turns executions that were left early from whole ones into parts. */
static int take_partials(const struct gather *gather, struct job *job,
			 struct wm_error *err)
{
	struct wm_partial *partials;
	size_t n, room = 0;
	int ret = wm_trace_partials(gather->trace, job->chunk, &partials, &n, err);

	for (size_t i = 0; !ret && i < n; i++) {
		const struct wm_partial *partial = &partials[i];
		uint32_t insns = insns_of(gather, partial->id);

		if (!add_part(job, &room,
			      &(struct counts_part){
				      .process = job->process,
				      .id = partial->id,
				      .end = partial->insns < insns ? partial->insns :
								      insns,
				      .uncertain = partial->uncertain,
				      .count = 1,
			      }))
			ret = wm_fail_nomem(err, "counts");
	}
	if (!ret)
		free(partials);
	return ret;
}

static int make_whole(const struct gather *gather, struct job *job, struct wm_error *err)
{
	int ret =
		wm_trace_histogram(gather->trace, job->chunk, &job->counts, &job->n, err);

	if (ret)
		job->counts = NULL;
	return ret ? ret : take_partials(gather, job, err);
}

/* What is asked for of a block that ran: all of it, or a part. */
static bool count_step(const struct gather *gather, struct job *job, size_t *room,
		       uint64_t *sums, const struct wm_step *step)
{
	const struct selection *selection = gather->selection;
	uint32_t begin = 0, end = step->insns, uncertain = step->uncertain;

	if (selection->from > step->insn_ordinal)
		begin = (uint32_t)(selection->from - step->insn_ordinal);
	if (selection->to < step->insn_ordinal + end)
		end = (uint32_t)(selection->to - step->insn_ordinal);
	uncertain -= step->insns - end < uncertain ? step->insns - end : uncertain;
	if (uncertain > end - begin)
		uncertain = end - begin;
	if (!begin && !uncertain && end == insns_of(gather, step->id)) {
		sums[step->id]++;
		return true;
	}
	return add_part(job, room,
			&(struct counts_part){ job->process, step->id, begin, end,
					       uncertain, 1 });
}

/* Makes a histogram of an array by id. */
static int compress(struct job *job, const uint64_t *sums, uint32_t known,
		    struct wm_error *err)
{
	size_t n = 0;

	for (uint32_t id = 1; id <= known; id++)
		n += sums[id] > 0;
	job->counts = calloc(n + 1, sizeof(*job->counts));
	if (!job->counts)
		return wm_fail_nomem(err, "counts");
	for (uint32_t id = 1; id <= known; id++)
		if (sums[id])
			job->counts[job->n++] = (struct wm_count){ id, sums[id] };
	return 0;
}

static int count_steps(const struct gather *gather, struct job *job, uint64_t *sums,
		       struct wm_cursor *cursor, struct wm_error *err)
{
	const struct chunk_head *head = &gather->trace->chunks[job->chunk].head;
	uint64_t from = gather->selection->from, to = gather->selection->to;
	uint64_t end = head->first_insn + head->insns;
	struct wm_step step = { .block_ordinal = 0 };
	size_t room = 0;
	int ret = wm_cursor_seek_insn(
		cursor, from > head->first_insn ? from : head->first_insn, err);

	if (to < end)
		end = to;
	while (!ret) {
		ret = wm_cursor_next_block(cursor, &step, err);
		if (ret || step.insn_ordinal >= end)
			break;
		if (step.insns && !count_step(gather, job, &room, sums, &step))
			ret = wm_fail_nomem(err, "counts");
	}
	return ret == WM_END ? 0 : ret;
}

static int make_cut(const struct gather *gather, struct job *job, struct wm_error *err)
{
	uint32_t known = gather->trace->known;
	uint64_t *sums = calloc((size_t)known + 1, sizeof(*sums));
	struct wm_cursor *cursor = NULL;
	int ret = sums ? wm_cursor_new(&cursor, gather->trace, job->stream, err) :
			 wm_fail_nomem(err, "counts");

	if (!ret)
		ret = count_steps(gather, job, sums, cursor, err);
	if (!ret)
		ret = compress(job, sums, known, err);
	wm_cursor_free(cursor);
	free(sums);
	return ret;
}

static int make(void *cookie, uint64_t index, unsigned worker)
{
	struct gather *gather = cookie;
	struct job *job = &gather->jobs[index];
	struct wm_error err = { .code = 0 };
	int ret = job->cut ? make_cut(gather, job, &err) : make_whole(gather, job, &err);

	(void)worker;
	if (ret) {
		job->err = malloc(sizeof(*job->err));
		if (job->err)
			*job->err = err;
	}
	return ret;
}

/* ---- adding up -------------------------------------------------------------------------- */

static int by_id(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

/* The sums of a process become rows. */
static bool flush(struct gather *gather)
{
	struct counts *counts = gather->counts;

	qsort(gather->seen, gather->n_seen, sizeof(*gather->seen), by_id);
	for (uint32_t i = 0; i < gather->n_seen; i++) {
		uint32_t id = gather->seen[i];
		uint64_t early = gather->early[id];
		uint64_t count = gather->sums[id] > early ? gather->sums[id] - early : 0;

		gather->sums[id] = gather->early[id] = 0;
		if (!count || !insns_of(gather, id))
			continue;
		if (!grow(&counts->rows, counts->n_rows, &gather->rows_room,
			  sizeof(*counts->rows)))
			return false;
		counts->rows[counts->n_rows++] =
			(struct counts_row){ gather->process, id, count };
		counts->blocks += count;
		counts->insns += count * insns_of(gather, id);
	}
	gather->n_seen = 0;
	return true;
}

static void add(struct gather *gather, uint32_t id, uint64_t count)
{
	if (count && !gather->sums[id])
		gather->seen[gather->n_seen++] = id;
	gather->sums[id] += count;
}

static bool add_parts(struct gather *gather, const struct job *job)
{
	struct counts *counts = gather->counts;

	for (size_t i = 0; i < job->n_parts; i++) {
		const struct counts_part *part = &job->parts[i];

		if (!grow(&counts->parts, counts->n_parts, &gather->parts_room,
			  sizeof(*counts->parts)))
			return false;
		counts->parts[counts->n_parts++] = *part;
		counts->blocks += part->begin == 0;
		counts->insns += part->end - part->begin;
		counts->uncertain += part->uncertain;
		/* A histogram counts it as a whole execution, a cursor did not. */
		if (!job->cut)
			gather->early[part->id]++;
	}
	return true;
}

static void drop(struct job *job)
{
	free(job->counts);
	free(job->parts);
	job->counts = NULL;
	job->parts = NULL;
}

static void tell(struct gather *gather, const struct job *job)
{
	const struct selection *selection = gather->selection;

	gather->done += gather->trace->chunks[job->chunk].head.insns;
	if (selection->progress)
		selection->progress(selection->cookie, gather->done, gather->total);
}

static int take(void *cookie, uint64_t index)
{
	struct gather *gather = cookie;
	struct job *job = &gather->jobs[index];
	bool good = true;

	if (job->process != gather->process)
		good = flush(gather);
	gather->process = job->process;
	for (size_t i = 0; i < job->n; i++)
		add(gather, job->counts[i].id, job->counts[i].count);
	good = good && add_parts(gather, job);
	drop(job);
	tell(gather, job);
	return good ? 0 : WM_E_NOMEM;
}

/* ---- all of it ---------------------------------------------------------------------------- */

static int by_process(const void *a, const void *b)
{
	const struct job *x = a, *y = b;

	if (x->process != y->process)
		return x->process < y->process ? -1 : 1;
	return x->chunk < y->chunk ? -1 : x->chunk > y->chunk;
}

/* The chunks of a stream that have anything that is asked for. */
static void list_stream(struct gather *gather, unsigned index)
{
	const struct trace_stream *stream = &gather->trace->streams[index];
	uint64_t from = gather->selection->from, to = gather->selection->to;

	for (uint32_t i = 0; i < stream->chunk_count; i++) {
		const struct chunk_head *head =
			&gather->trace->chunks[stream->chunks[i]].head;
		uint64_t end = head->first_insn + head->insns;

		if (head->first_insn >= to || end <= from)
			continue;
		gather->total += head->insns;
		gather->jobs[gather->n_jobs++] = (struct job){
			.process = stream->record.process,
			.stream = index,
			.chunk = stream->chunks[i],
			.cut = head->first_insn < from || end > to,
		};
	}
}

static int list_jobs(struct gather *gather, struct wm_error *err)
{
	const struct selection *selection = gather->selection;
	size_t known = gather->trace->known;

	gather->jobs =
		calloc((size_t)gather->trace->chunk_count + 1, sizeof(*gather->jobs));
	gather->sums = calloc(known + 1, sizeof(*gather->sums));
	gather->early = calloc(known + 1, sizeof(*gather->early));
	gather->seen = calloc(known + 1, sizeof(*gather->seen));
	if (!gather->jobs || !gather->sums || !gather->early || !gather->seen)
		return wm_fail_nomem(err, "counts");
	for (unsigned i = 0; i < selection->n; i++)
		list_stream(gather, selection->streams[i]);
	qsort(gather->jobs, gather->n_jobs, sizeof(*gather->jobs), by_process);
	return 0;
}

static int by_part(const void *a, const void *b)
{
	const struct counts_part *x = a, *y = b;

	if (x->process != y->process)
		return x->process < y->process ? -1 : 1;
	if (x->id != y->id)
		return x->id < y->id ? -1 : 1;
	if (x->begin != y->begin)
		return x->begin < y->begin ? -1 : 1;
	if (x->end != y->end)
		return x->end < y->end ? -1 : 1;
	return x->uncertain < y->uncertain ? -1 : x->uncertain > y->uncertain;
}

/* Each kind of part once, in order. */
static void settle_parts(struct counts *counts)
{
	size_t kept = 0;

	if (!counts->n_parts)
		return;
	qsort(counts->parts, counts->n_parts, sizeof(*counts->parts), by_part);
	for (size_t i = 1; i < counts->n_parts; i++)
		if (by_part(&counts->parts[kept], &counts->parts[i]) == 0)
			counts->parts[kept].count += counts->parts[i].count;
		else
			counts->parts[++kept] = counts->parts[i];
	counts->n_parts = kept + 1;
}

static int run(struct gather *gather, struct wm_error *err)
{
	static const struct parallel_steps steps = { make, take };
	int ret = parallel_in_order(gather->n_jobs, gather->selection->threads, &steps,
				    gather);

	for (size_t i = 0; i < gather->n_jobs; i++)
		if (gather->jobs[i].err) {
			if (err)
				*err = *gather->jobs[i].err;
			return ret;
		}
	if (ret || !flush(gather))
		return wm_fail_nomem(err, "counts");
	settle_parts(gather->counts);
	return 0;
}

int counts_gather(struct counts *counts, const struct wm_trace *trace,
		  const struct selection *selection, struct wm_error *err)
{
	struct gather gather = { .trace = trace,
				 .selection = selection,
				 .counts = counts };
	int ret = trace_load(trace, err);

	*counts = COUNTS_INIT;
	if (!ret)
		ret = list_jobs(&gather, err);
	if (!ret)
		ret = run(&gather, err);
	for (size_t i = 0; i < gather.n_jobs; i++) {
		drop(&gather.jobs[i]);
		free(gather.jobs[i].err);
	}
	free(gather.jobs);
	free(gather.sums);
	free(gather.early);
	free(gather.seen);
	if (ret)
		counts_fini(counts);
	return ret;
}

void counts_fini(struct counts *counts)
{
	free(counts->rows);
	free(counts->parts);
	*counts = COUNTS_INIT;
}
