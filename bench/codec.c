// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Measures the codec on the trace of a real program: reads TRACE, encodes it again to
 * SCRATCH (which is removed), and prints, as JSON, nanoseconds per block for
 *	encode_ns	from block ids to sections of a file, by the collector's own code,
 *			on one core: all of its work except fetching the ids
 *	decode_ns	from the file to block ids, by the public library, on one core
 *	decode_all_ns	the same with a thread for each processor, a chunk at a time each
 *
 * The first two are CPU time, which a busy machine disturbs less; the last is wall time.
 *
 * Decoding is measured in a pass of its own, because encoding between two calls would
 * evict the decoder's data from the caches. For encoding, up to 2^23 ids (32 MiB) are
 * gathered and then timed together, so memory does not grow with the trace.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "collect/stream.h"
#include "format/arena.h"
#include "format/writer.h"

/* GATHERED: a run never exceeds a chunk, which has 2^23 blocks, so it always fits. */
enum { THREADS_MAX = 64, GATHERED = 1 << 23 };

static _Noreturn void die(const char *what, const struct wm_error *err)
{
	fprintf(stderr, "waymark-codec: %s: %s\n", what, err->text);
	exit(2);
}

/* ---- encoding ------------------------------------------------------------ */

/* What the collector has for one stream, without shared memory. */
struct recoder {
	struct encoders pool;
	struct stream *stream;
	struct writer *writer;
	uint16_t *insns_of; /* [known + 1] by block id: a chunk stores its instructions */
	uint32_t known;
	struct wm_error err;
};

/*
 * Introduces all blocks at once. In a recording they become known one by one, as
 * messages; that work is not measured here.
 */
static void recoder_know(struct recoder *recoder, const struct wm_trace *trace)
{
	struct wm_summary summary;
	struct wm_block block;

	wm_trace_summary(trace, &summary);
	recoder->known = summary.known_blocks;
	recoder->insns_of = calloc((size_t)recoder->known + 1, sizeof(uint16_t));
	if (!recoder->insns_of || stream_know(recoder->stream, recoder->known))
		die("blocks", &(struct wm_error){ .text = "out of memory" });
	for (uint32_t id = 1; id <= recoder->known; id++)
		if (wm_trace_block(trace, id, &block) == 0)
			recoder->insns_of[id] = (uint16_t)block.insns;
}

static void recoder_init(struct recoder *recoder, const struct wm_trace *trace,
			 const char *scratch)
{
	encoders_init(&recoder->pool, SIZE_MAX, &stream_no_limits);
	recoder->stream = stream_new(0, 0, &recoder->pool);
	if (!recoder->stream)
		die("encoder", &(struct wm_error){ .text = "out of memory" });
	if (writer_open(&recoder->writer, scratch, &recoder->err))
		die(scratch, &recoder->err);
	recoder_know(recoder, trace);
}

static void recoder_fini(struct recoder *recoder)
{
	writer_abort(recoder->writer);
	stream_free(recoder->stream);
	encoders_fini(&recoder->pool);
	free(recoder->insns_of);
}

static void flush(struct recoder *recoder)
{
	if (stream_flush(recoder->stream, recoder->writer, recoder->insns_of,
			 recoder->known, &recoder->err))
		die("encoding", &recoder->err);
}

/* stream_feed() takes fewer ids than it is given when the chunk is full. */
static void encode(struct recoder *recoder, const uint32_t *ids, size_t n)
{
	while (n > 0) {
		size_t took = stream_feed(recoder->stream, ids, n);

		ids += took;
		n -= took;
		if (n > 0 || stream_full(recoder->stream))
			flush(recoder);
	}
}

/* ---- one core ------------------------------------------------------------ */

struct times {
	uint64_t blocks, encode_ns, decode_ns;
};

/* The time includes the cursor: reading, checking and unpacking the chunks. */
static int decode_stream(const struct wm_trace *trace, unsigned stream,
			 struct times *times, struct wm_error *err)
{
	uint64_t begin = clock_read_ns(CLOCK_THREAD_CPUTIME_ID);
	struct wm_cursor *cursor;
	const uint32_t *ids;
	struct wm_step step;
	size_t n;
	int ret = wm_cursor_new(&cursor, trace, stream, err);

	if (ret)
		return ret;
	while (!(ret = wm_cursor_next_run(cursor, &ids, &n, &step, err)))
		times->blocks += n;
	wm_cursor_free(cursor);
	times->decode_ns += clock_read_ns(CLOCK_THREAD_CPUTIME_ID) - begin;
	return ret == WM_END ? 0 : ret;
}

/*
 * Encodes gathered[n] the way the collector receives ids: from a ring, lane_wake() of
 * them at a time, which is a part of the ring. Adds the time to times->encode_ns,
 * without that of copying ids into the ring.
 */
static void encode_timed(struct recoder *recoder, const uint32_t *gathered, size_t n,
			 struct times *times)
{
	static uint32_t ring[LANE_LARGE_IDS];

	for (size_t at = 0, some; at < n; at += some) {
		uint32_t *ids = ring + at % LANE_LARGE_IDS;
		uint64_t begin;

		some = n - at < lane_wake(0) ? n - at : lane_wake(0);
		memcpy(ids, gathered + at, some * sizeof(*ids));
		begin = clock_read_ns(CLOCK_THREAD_CPUTIME_ID);
		encode(recoder, ids, some);
		times->encode_ns += clock_read_ns(CLOCK_THREAD_CPUTIME_ID) - begin;
	}
}

/* The last chunk of a stream is not full, so nothing else flushes it. */
static void flush_timed(struct recoder *recoder, struct times *times)
{
	uint64_t begin = clock_read_ns(CLOCK_THREAD_CPUTIME_ID);

	flush(recoder);
	times->encode_ns += clock_read_ns(CLOCK_THREAD_CPUTIME_ID) - begin;
}

static int encode_stream(const struct wm_trace *trace, unsigned stream,
			 struct recoder *recoder, struct times *times,
			 struct wm_error *err)
{
	uint32_t *gathered = malloc(GATHERED * sizeof(*gathered));
	size_t n, have = 0;
	struct wm_cursor *cursor;
	const uint32_t *ids;
	struct wm_step step;
	int ret = gathered ? wm_cursor_new(&cursor, trace, stream, err) :
			     wm_fail_nomem(err, "ids");

	while (!ret) {
		ret = wm_cursor_next_run(cursor, &ids, &n, &step, err);
		if (ret)
			break;
		/* Runs are kept whole: those gathered so far are encoded first. */
		if (have + n > GATHERED) {
			encode_timed(recoder, gathered, have, times);
			have = 0;
		}
		memcpy(gathered + have, ids, n * sizeof(*ids));
		have += n;
	}
	if (ret != WM_END)
		return ret;
	encode_timed(recoder, gathered, have, times);
	flush_timed(recoder, times);
	wm_cursor_free(cursor);
	free(gathered);
	return 0;
}

/* Two passes: see the head of the file. */
static void run_all_streams(const struct wm_trace *trace, const char *scratch,
			    struct times *times)
{
	struct wm_summary summary;
	struct recoder recoder;
	struct wm_error err;
	int ret = 0;

	*times = (struct times){ 0 };
	wm_trace_summary(trace, &summary);
	recoder_init(&recoder, trace, scratch);
	for (unsigned i = 0; !ret && i < summary.streams; i++)
		ret = decode_stream(trace, i, times, &err);
	for (unsigned i = 0; !ret && i < summary.streams; i++)
		ret = encode_stream(trace, i, &recoder, times, &err);
	if (ret)
		die("decoding", &err);
	recoder_fini(&recoder);
}

/* ---- all cores ----------------------------------------------------------- */

struct job {
	const struct wm_trace *trace;
	atomic_uint_fast64_t next; /* index of the next chunk that no thread has taken */
};

/* A cursor of its own for each chunk, as for a program that reads chunks in any order. */
static int decode_chunk(const struct wm_trace *trace, const struct wm_chunk *chunk,
			struct wm_error *err)
{
	struct wm_cursor *cursor;
	const uint32_t *ids;
	struct wm_step step;
	size_t n;
	int ret = wm_cursor_new(&cursor, trace, chunk->stream, err);

	if (ret)
		return ret;
	/* A run ends with its chunk at the latest: nothing of the next one is decoded. */
	ret = wm_cursor_seek_block(cursor, chunk->first_block, err);
	for (uint64_t left = chunk->blocks; !ret && left > 0; left -= n < left ? n : left)
		ret = wm_cursor_next_run(cursor, &ids, &n, &step, err);
	wm_cursor_free(cursor);
	return ret;
}

/* A thread takes chunks one by one until none is left, so the load balances itself. */
static void *decode_chunks(void *argument)
{
	struct job *job = argument;
	struct wm_chunk chunk;
	struct wm_error err;

	while (wm_trace_chunk(job->trace, atomic_fetch_add(&job->next, 1), &chunk) == 0)
		if (decode_chunk(job->trace, &chunk, &err))
			die("decoding a chunk", &err);
	return NULL;
}

/* Wall time, including the start of the threads. */
static uint64_t decode_on_all(const struct wm_trace *trace)
{
	struct job job = { .trace = trace };
	long processors = sysconf(_SC_NPROCESSORS_ONLN);
	uint64_t begin = clock_read_ns(CLOCK_MONOTONIC);
	pthread_t threads[THREADS_MAX];
	int n = 0;

	/* With fewer threads than wanted the others take all chunks. */
	while (n < processors && n < THREADS_MAX &&
	       pthread_create(&threads[n], NULL, decode_chunks, &job) == 0)
		n++;
	while (n > 0)
		pthread_join(threads[--n], NULL);
	return clock_read_ns(CLOCK_MONOTONIC) - begin;
}

int main(int argc, char **argv)
{
	struct wm_trace *trace;
	struct times times;
	struct wm_error err;
	uint64_t all_ns;
	double blocks;

	if (argc != 3) {
		fputs("usage: waymark-codec TRACE SCRATCH\n", stderr);
		return 2;
	}
	if (wm_trace_open(&trace, argv[1], &err))
		die(argv[1], &err);
	run_all_streams(trace, argv[2], &times);
	all_ns = decode_on_all(trace);
	/* A trace without blocks must not divide by 0. */
	blocks = times.blocks ? (double)times.blocks : 1;
	printf("{ \"encode_ns\": %.4f, \"decode_ns\": %.4f, \"decode_all_ns\": %.4f }\n",
	       (double)times.encode_ns / blocks, (double)times.decode_ns / blocks,
	       (double)all_ns / blocks);
	wm_trace_close(trace);
	return 0;
}
