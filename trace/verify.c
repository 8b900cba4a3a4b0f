// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Verifying: checks the checksum of every section, then retraces every chunk, counts its
 * blocks and compares the counts with the chunk's own. Chunks are independent, so all
 * threads check.
 *
 * The two halves of a chunk were made by different code of the recorder: CHNK by
 * counting, PATH by the codec. So equal counts show that the sequence is complete.
 *
 * Invariant: a worker's counts are all 0 between two chunks. The error that is kept is
 * that of the lowest chunk that failed, so the result does not depend on the number of
 * threads.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/parallel.h"
#include "trace/facts.h"
#include "trace/notes.h"
#include "trace/symtabs.h"
#include "trace/trace.h"
#include "trace/values.h"

/* What a thread needs for any chunk, made once: a decoder has 34 MiB. */
struct worker {
	struct decoder *decoder;
	struct buf raw, raw_partials;
	uint64_t *counts; /* [known + 1] */
	uint64_t gaps;	  /* in the chunk checked last */
	struct values_reader values;
	uint64_t accesses; /* in the chunk checked last */
};

struct check {
	const struct wm_trace *trace;
	struct worker *workers;
	void (*fault)(void *cookie, uint64_t chunk, const struct wm_error *err);
	void *cookie;
	pthread_mutex_t lock;
	struct wm_error *err; /* under lock: of the lowest chunk that failed */
	uint64_t failed;
	uint64_t chunks, blocks, gaps, insns, accesses; /* under lock */
};

/* Reading a section checks its checksum; the payload is not looked at. */
static int check_sections(const struct wm_trace *trace, struct wm_error *err)
{
	struct buf payload = BUF_INIT;
	int ret = 0;

	for (size_t i = 0; !ret && i < reader_sections(trace->reader); i++)
		ret = reader_read(trace->reader, reader_section(trace->reader, i),
				  &payload, err);
	buf_fini(&payload);
	return ret;
}

/*
 * Compares the worker's counts, and their sum of instructions, with the chunk's
 * histogram. `missing` instructions of the sum did not begin.
 */
static int compare(const struct wm_trace *trace, uint64_t index, struct worker *worker,
		   uint64_t missing, struct wm_error *err)
{
	const uint64_t *counts = worker->counts;
	const struct chunk_head *head = &trace->chunks[index].head;
	struct wm_count *histogram;
	uint64_t insns = -missing; /* the additions below wrap back */
	size_t n;
	int ret = wm_trace_histogram(trace, index, &histogram, &n, err);

	if (ret)
		return ret;
	worker->gaps = 0;
	/*
	 * Only the listed ids are compared. Both sums are the number of blocks, so equal
	 * counts of all listed ids leave nothing for others.
	 */
	for (size_t i = 0; i < n && !ret; i++) {
		const struct wm_block *block = &trace->table.blocks[histogram[i].id];

		insns += histogram[i].count * block->insns;
		worker->gaps += block_is_gap(block) ? histogram[i].count : 0;
		if (counts[histogram[i].id] != histogram[i].count)
			ret = wm_fail(err, WM_E_DAMAGED, head->path_off,
				      "block %" PRIu32 " ran %" PRIu64
				      " times, and its chunk declares %" PRIu64,
				      histogram[i].id, counts[histogram[i].id],
				      histogram[i].count);
	}
	/* The blocks agree; instructions can still differ by partial blocks. */
	if (!ret && insns != head->insns)
		ret = wm_fail(err, WM_E_DAMAGED, head->path_off,
			      "a chunk has %" PRIu64
			      " instructions, and its header declares %" PRIu64,
			      insns, head->insns);
	free(histogram);
	return ret;
}

static int check_events(struct span events, uint64_t blocks, struct wm_error *err)
{
	struct chunk_event raw;
	struct wm_event event;
	uint64_t last = 0, ns = 0;

	/* An event after the last block has the position `blocks`. */
	while (span_left(&events))
		if (!event_get(&events, &raw, &last) || raw.position > blocks ||
		    !event_decode(&raw, &ns, &event))
			return wm_fail(err, WM_E_DAMAGED, 0,
				       "a chunk's events are malformed");
	return 0;
}

/* Counts all ids. Decoding to the end proves that the codes are consistent. */
static int count(const struct wm_trace *trace, uint64_t index, struct worker *worker,
		 struct wm_error *err)
{
	uint32_t blocks = trace->chunks[index].head.blocks, n;
	const uint32_t *ids;
	int ret = 0;

	/* A piece at a time, so a chunk of 2^23 ids needs no array of its own. */
	for (uint32_t at = 0; !ret && at < blocks; at += n) {
		ret = trace_decode(trace, index, worker->decoder, at, &ids, &n, err);
		if (ret)
			break;
		for (uint32_t i = 0; i < n; i++)
			worker->counts[ids[i]]++;
	}
	return ret;
}

/* Decodes the chunk's values with its ids, which are there already. */
static int count_values(const struct wm_trace *trace, uint64_t index,
			struct worker *worker, struct wm_error *err)
{
	uint32_t blocks = trace->chunks[index].head.blocks, n;
	struct values_reader *values = &worker->values;
	const uint32_t *ids;
	int ret = values_reader_begin(values, trace, index, err);

	worker->accesses = 0;
	for (uint32_t at = 0; !ret && at < blocks; at += n) {
		ret = trace_decode(trace, index, worker->decoder, at, &ids, &n, err);
		if (!ret)
			ret = values_reader_take(values, trace, ids, n, true, err);
		worker->accesses += values->list.n;
	}
	if (!ret)
		ret = values_reader_end(values, trace, err);
	return ret == WM_END ? 0 : ret;
}

/*
 * Checks the blocks that were left early; adds the instructions that did not begin to
 * *missing.
 */
static int check_partials(const struct wm_trace *trace, uint64_t index,
			  struct worker *worker, uint64_t *missing, struct wm_error *err)
{
	struct chunk_partial partial;
	struct span span;
	uint32_t next = 0, insns, n;
	const uint32_t *ids;
	int ret = trace_partials(trace, index, &worker->raw_partials, &span, err);

	while (!ret && partial_get(&span, &trace->chunks[index].head, &partial, &next)) {
		/* The chunk is decoded already: this only copies pieces. */
		ret = trace_decode(trace, index, worker->decoder, partial.position, &ids,
				   &n, err);
		if (ret)
			break;
		insns = trace->table.blocks[partial.id].insns;
		if (*ids != partial.id || partial.insns > insns)
			ret = wm_fail(err, WM_E_DAMAGED, 0,
				      "a chunk's partial blocks are not those that ran");
		*missing += insns - partial.insns;
	}
	return ret;
}

static int check_chunk(const struct wm_trace *trace, uint64_t index,
		       struct worker *worker, struct wm_error *err)
{
	const struct chunk_head *head = &trace->chunks[index].head;
	uint64_t missing = 0;
	struct span events;
	int ret = trace_begin(trace, index, worker->decoder, &worker->raw, &events, err);

	if (ret)
		return ret;
	ret = count(trace, index, worker, err);
	if (!ret)
		ret = count_values(trace, index, worker, err);
	if (!ret)
		ret = check_events(events, head->blocks, err);
	if (!ret)
		ret = check_partials(trace, index, worker, &missing, err);
	if (!ret)
		ret = compare(trace, index, worker, missing, err);
	/* On failure as well: the worker continues with other chunks. */
	memset(worker->counts, 0, (head->known + 1ul) * sizeof(*worker->counts));
	return ret;
}

/* Under the lock: notes the result of a chunk. Returns whether to stop. */
static int note(struct check *check, uint64_t index, const struct worker *worker, int ret,
		const struct wm_error *err)
{
	const struct chunk_head *head = &check->trace->chunks[index].head;

	if (!ret) {
		check->chunks++;
		check->blocks += head->blocks;
		check->gaps += worker->gaps;
		check->accesses += worker->accesses;
		check->insns += head->insns;
		return 0;
	}
	/*
	 * The caller counts faults and continues, as recovering does; only other errors
	 * end the walk.
	 */
	if (ret == WM_E_DAMAGED && check->fault) {
		check->fault(check->cookie, index, err);
		return 0;
	}
	/* Other threads may have failed first at a later chunk. */
	if (index < check->failed) {
		check->failed = index;
		if (check->err)
			*check->err = *err;
	}
	return ret;
}

/* Workers get what they need on first use: few chunks need few workers. */
static int check_one(void *cookie, uint64_t index, unsigned number)
{
	struct check *check = cookie;
	struct worker *worker = &check->workers[number];
	struct wm_error err = { 0 };
	int ret;

	if (chunk_is_lost(&check->trace->chunks[index].head))
		return 0;
	if (!worker->decoder) {
		worker->decoder = decoder_new();
		worker->counts =
			calloc(check->trace->known + 1ul, sizeof(*worker->counts));
	}
	if (!worker->decoder || !worker->counts)
		ret = wm_fail_nomem(&err, "verifying");
	else
		ret = check_chunk(check->trace, index, worker, &err);
	pthread_mutex_lock(&check->lock);
	ret = note(check, index, worker, ret, &err);
	pthread_mutex_unlock(&check->lock);
	return ret;
}

int trace_check_chunks(const struct wm_trace *trace, struct wm_check *result,
		       void (*fault)(void *cookie, uint64_t chunk,
				     const struct wm_error *err),
		       void *cookie, struct wm_error *err)
{
	/* 0 asks for one thread for each processor. */
	unsigned threads = result->threads ? result->threads : parallel_threads();
	struct check check = {
		.trace = trace,
		.fault = fault,
		.cookie = cookie,
		.lock = PTHREAD_MUTEX_INITIALIZER,
		.err = err,
		.failed = UINT64_MAX,
	};
	int ret;

	check.workers = calloc(threads, sizeof(*check.workers));
	if (!check.workers)
		return wm_fail_nomem(err, "verifying");
	/*
	 * Calls begin in ascending order, so every chunk below a failed one is checked,
	 * too.
	 */
	ret = parallel_for(trace->chunk_count, threads, check_one, &check);
	for (unsigned i = 0; i < threads; i++) {
		decoder_free(check.workers[i].decoder);
		buf_fini(&check.workers[i].raw);
		buf_fini(&check.workers[i].raw_partials);
		values_reader_fini(&check.workers[i].values);
		free(check.workers[i].counts);
	}
	free(check.workers);
	result->chunks = check.chunks;
	result->blocks = check.blocks;
	result->gaps = check.gaps;
	result->accesses = check.accesses;
	result->insns = check.insns;
	return ret;
}

static int check_timeline(const struct wm_trace *trace, struct wm_error *err)
{
	struct wm_timeline *timeline = NULL;
	int ret = wm_timeline_new(&timeline, trace, err);

	wm_timeline_free(timeline);
	return ret;
}

/* Reading them checks them. */
static int check_notes(const struct wm_trace *trace, struct wm_error *err)
{
	struct notes_trace notes;
	int ret = notes_trace_read(&notes, trace, err);

	notes_trace_fini(&notes);
	return ret;
}

static int check_schedule(const struct wm_trace *trace, struct wm_error *err)
{
	struct wm_schedule *schedule;
	struct wm_turn turn;
	int ret = wm_schedule_new(&schedule, trace, err);

	if (ret)
		return ret;
	while (!ret)
		ret = wm_schedule_next(schedule, &turn, err);
	wm_schedule_free(schedule);
	/* The schedule itself checks the order of the turns. */
	return ret == WM_END ? 0 : ret;
}

/* A file with a lost chunk says at its end that something was left out (FORMAT.md, 3.4). */
static int check_lost(const struct wm_trace *trace, struct wm_error *err)
{
	struct wm_summary summary;

	wm_trace_summary(trace, &summary);
	if (!summary.complete)
		return 0;
	for (uint32_t i = 0; i < trace->chunk_count; i++)
		if (chunk_is_lost(&trace->chunks[i].head))
			return wm_fail(
				err, WM_E_DAMAGED, trace->chunks[i].section.off,
				"a chunk was lost, and the file's end does not say "
				"so");
	return 0;
}

/*
 * Opening gives a chunk the VALS right before it. Any other would stay unread, and with it
 * what is wrong with it. A recording that was cut short may have one without its chunk.
 */
static int check_values_used(const struct wm_trace *trace, struct wm_error *err)
{
	struct wm_summary summary;
	uint32_t chunk = 0;

	wm_trace_summary(trace, &summary);
	for (size_t i = 0; i < reader_sections(trace->reader); i++) {
		const struct section *section = reader_section(trace->reader, i);

		if (section->type == SECTION_CHNK)
			chunk++;
		if (section->type != SECTION_VALS ||
		    (chunk == trace->chunk_count && !summary.complete))
			continue;
		if (chunk == trace->chunk_count ||
		    trace->chunks[chunk].values.off != section->off)
			return wm_fail(
				err, WM_E_DAMAGED, section->off,
				"the values of no chunk: a VALS is between the PATH "
				"and the CHNK that it belongs to");
	}
	return 0;
}

/* From the cheap checks to the expensive one, so damage is mostly found early. */
int trace_verify(const struct wm_trace *trace, struct wm_check *result,
		 struct wm_error *err)
{
	int ret;

	/* Opening has found the first fault. */
	if (trace->damage.code) {
		if (err)
			*err = trace->damage;
		return trace->damage.code;
	}
	ret = check_sections(trace, err);
	if (!ret)
		ret = trace_check_symtabs(trace, err);
	if (!ret)
		ret = check_timeline(trace, err);
	if (!ret)
		ret = check_schedule(trace, err);
	if (!ret)
		ret = check_notes(trace, err);
	if (!ret)
		ret = trace_load(trace, err);
	if (!ret)
		ret = check_lost(trace, err);
	if (!ret)
		ret = check_values_used(trace, err);
	if (!ret)
		ret = trace_check_chunks(trace, result, NULL, NULL, err);
	return ret;
}
