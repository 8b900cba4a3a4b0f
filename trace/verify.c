// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Verifying: every section's checksum, then every chunk retraced and counted, and the
 * counts held against what the chunk says of itself. Chunks are independent, so they are
 * checked on as many threads as there are.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "base/parallel.h"
#include "trace/trace.h"

struct worker {
	struct decoder *decoder;
	struct buf raw;
	uint64_t *counts; /* [known + 1] */
};

struct check {
	const struct wm_trace *trace;
	struct worker *workers;
	pthread_mutex_t lock;
	struct wm_error *err; /* under lock: of the lowest chunk that failed */
	uint64_t failed;
	uint64_t blocks, insns; /* under lock */
};

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

/* Holds counts[] and their sum of instructions against the chunk's histogram. */
static int compare(const struct wm_trace *trace, uint64_t index, const uint64_t *counts,
		   struct wm_error *err)
{
	const struct chunk_head *head = &trace->chunks[index].head;
	struct wm_count *histogram;
	uint64_t insns = 0;
	size_t n;
	int ret = wm_trace_histogram(trace, index, &histogram, &n, err);

	if (ret)
		return ret;
	for (size_t i = 0; i < n && !ret; i++) {
		insns += histogram[i].count * trace->table.blocks[histogram[i].id].insns;
		if (counts[histogram[i].id] != histogram[i].count)
			ret = wm_fail(err, WM_E_DAMAGED, head->path_off,
				      "block %" PRIu32 " ran %" PRIu64
				      " times, its chunk says %" PRIu64,
				      histogram[i].id, counts[histogram[i].id],
				      histogram[i].count);
	}
	if (!ret && insns != head->insns)
		ret = wm_fail(err, WM_E_DAMAGED, head->path_off,
			      "a chunk has %" PRIu64 " instructions, it says %" PRIu64,
			      insns, head->insns);
	free(histogram);
	return ret;
}

static int check_events(struct span events, uint64_t blocks, struct wm_error *err)
{
	struct chunk_event event;
	uint64_t last = 0;

	while (span_left(&events))
		if (!event_get(&events, &event, &last) || event.position > blocks)
			return wm_fail(err, WM_E_DAMAGED, 0,
				       "a chunk's events are malformed");
	return 0;
}

static int check_chunk(const struct wm_trace *trace, uint64_t index,
		       struct worker *worker, struct wm_error *err)
{
	const struct chunk_head *head = &trace->chunks[index].head;
	const uint32_t *ids;
	struct span events;
	int ret = trace_decode(trace, index, worker->decoder, &worker->raw, &ids, &events,
			       err);

	if (ret)
		return ret;
	for (uint32_t i = 0; i < head->blocks; i++)
		worker->counts[ids[i]]++;
	ret = check_events(events, head->blocks, err);
	if (!ret)
		ret = compare(trace, index, worker->counts, err);
	for (uint32_t i = 0; i < head->blocks; i++)
		worker->counts[ids[i]] = 0;
	return ret;
}

static int check_one(void *cookie, uint64_t index, unsigned number)
{
	struct check *check = cookie;
	struct worker *worker = &check->workers[number];
	struct wm_error err = { 0 };
	int ret;

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
	if (ret && index < check->failed) {
		check->failed = index;
		if (check->err)
			*check->err = err;
	}
	if (!ret) {
		check->blocks += check->trace->chunks[index].head.blocks;
		check->insns += check->trace->chunks[index].head.insns;
	}
	pthread_mutex_unlock(&check->lock);
	return ret;
}

int wm_trace_verify(const struct wm_trace *trace, struct wm_check *result,
		    struct wm_error *err)
{
	unsigned threads = result->threads ? result->threads : parallel_threads();
	struct check check = {
		.trace = trace,
		.lock = PTHREAD_MUTEX_INITIALIZER,
		.err = err,
		.failed = UINT64_MAX,
	};
	int ret = check_sections(trace, err);

	if (!ret)
		ret = trace_load(trace, err);
	if (ret)
		return ret;
	check.workers = calloc(threads, sizeof(*check.workers));
	if (!check.workers)
		return wm_fail_nomem(err, "verifying");
	ret = parallel_for(trace->chunk_count, threads, check_one, &check);
	for (unsigned i = 0; i < threads; i++) {
		decoder_free(check.workers[i].decoder);
		buf_fini(&check.workers[i].raw);
		free(check.workers[i].counts);
	}
	free(check.workers);
	result->chunks = trace->chunk_count;
	result->blocks = check.blocks;
	result->insns = check.insns;
	return ret;
}
