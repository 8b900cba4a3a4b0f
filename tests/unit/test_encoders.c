// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * collect/encoders and stream: streams share a bound, and what they were fed is in the file
 * whoever had to end a chunk, and when.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "collect/stream.h"
#include "format/reader.h"
#include "format/section.h"
#include "tests/unit/sample.h"

#define PATH "encoders.tmp"
#define BOUND ((size_t)24 << 20)
#define SHARED_ROOM ((size_t)16 << 20) /* what the shared encoder may take beside */

enum { STREAMS = 300, KNOWN = 500, PIECE = 20000, FEEDS = 3000 };

static struct encoders pool;
static struct stream *streams[STREAMS];
static struct writer *writer;
static uint16_t insns_of[KNOWN + 1];
static uint32_t ids[PIECE];
static uint64_t fed[STREAMS][KNOWN + 1];

static int set_up(void **state)
{
	/* Chunks as long as they may be, in builds with small ones, too. */
	static const struct stream_limits wide = { 1u << 23, UINT32_MAX };

	(void)state;
	encoders_init(&pool, BOUND, &wide);
	for (uint32_t id = 1; id <= KNOWN; id++)
		insns_of[id] = 1;
	memset(fed, 0, sizeof(fed));
	for (uint32_t i = 0; i < STREAMS; i++) {
		streams[i] = stream_new(i, 0, &pool);
		assert_non_null(streams[i]);
		assert_int_equal(stream_know(streams[i], KNOWN), 0);
	}
	return writer_open(&writer, PATH, NULL) || writer_publish(writer, NULL);
}

static int tear_down(void **state)
{
	(void)state;
	for (uint32_t i = 0; i < STREAMS; i++)
		stream_free(streams[i]);
	assert_int_equal(pool.holders == NULL, 1);
	encoders_fini(&pool);
	assert_int_equal(encoders_bytes(&pool), 0);
	writer_abort(writer);
	return 0;
}

static void flush(struct stream *stream)
{
	assert_int_equal(stream_flush(stream, writer, insns_of, KNOWN, NULL), 0);
}

/* As collect/lanes.c does it. */
static unsigned relieve(void)
{
	struct stream *stream;
	unsigned n = 0;

	for (; (stream = encoders_victim(&pool)); n++) {
		uint32_t held = stream_hold_back(stream);

		assert_int_equal(held, stream->last_id);
		flush(stream);
		stream_release(stream);
		assert_true(stream_give_back(stream, held));
		assert_int_equal(stream_blocks(stream), 1);
	}
	return n;
}

static void feed(uint32_t index, uint32_t n, uint32_t seed)
{
	for (uint32_t i = 0; i < n; i++) {
		ids[i] = 1 + (i * seed + i / 7) % KNOWN;
		fed[index][ids[i]]++;
	}
	for (uint32_t done = 0; done < n;) {
		if (stream_full(streams[index]))
			flush(streams[index]);
		done += (uint32_t)stream_feed(streams[index], ids + done, n - done);
	}
}

/* Adds up the histograms in the file. */
static void count_file(uint64_t counts[STREAMS][KNOWN + 1])
{
	struct wm_count *rows = calloc(KNOWN, sizeof(*rows));
	struct buf payload = BUF_INIT;
	struct reader *reader;

	assert_non_null(rows);
	assert_int_equal(reader_open(&reader, PATH, NULL), 0);
	for (size_t i = 0; i < reader_sections(reader); i++) {
		struct chunk_head head;
		struct span span;

		if (reader_section(reader, i)->type != SECTION_CHNK)
			continue;
		payload.len = 0;
		assert_int_equal(reader_read(reader, reader_section(reader, i), &payload,
					     NULL),
				 0);
		span = span_of(payload.data, payload.len);
		assert_true(chunk_get_head(&span, &head));
		assert_int_equal(chunk_get_counts(span, &head, rows, NULL), 0);
		for (uint32_t j = 0; j < head.counted; j++)
			counts[head.stream][rows[j].id] += rows[j].count;
	}
	reader_close(reader);
	buf_fini(&payload);
	free(rows);
}

/* All that was fed comes to the file, and the sum stays within the bound. */
static void test_bound(void **state)
{
	static uint64_t counts[STREAMS][KNOWN + 1];
	uint64_t seed = 3;
	unsigned ended = 0;

	(void)state;
	memset(counts, 0, sizeof(counts));
	for (unsigned i = 0; i < FEEDS; i++) {
		feed((uint32_t)(sample_random(&seed) % STREAMS),
		     1 + sample_random(&seed) % PIECE, 1 + sample_random(&seed) % 90);
		ended += relieve();
		assert_true(encoders_bytes(&pool) <= BOUND ||
			    encoders_bytes(&pool) <= pool.shared_bytes + SHARED_ROOM);
	}
	/* With small buffers chunks end by themselves before they are much together. */
	assert_true(ended > 10 || CODEC_MISSES_MAX < PIECE);
	for (uint32_t i = 0; i < STREAMS; i++)
		flush(streams[i]);
	assert_int_equal(writer_finish(writer, NULL), 0);
	writer = NULL;
	count_file(counts);
	assert_memory_equal(counts, fed, sizeof(counts));
}

/* A short thread costs pages, and so do many of them; their chunks are not cut. */
static void test_short(void **state)
{
	(void)state;
	for (uint32_t i = 0; i < STREAMS; i++) {
		feed(i, 10000, 3);
		assert_null(streams[i]->encoder);
		assert_int_equal(relieve(), 0);
	}
	assert_true(encoders_bytes(&pool) < STREAMS * 45000);
	for (uint32_t i = 0; i < STREAMS; i++) {
		flush(streams[i]);
		assert_int_equal(streams[i]->blocks, 10000);
	}
	assert_true(encoders_bytes(&pool) < pool.shared_bytes + (5u << 20));
}

/* With room enough, a thread that runs on has an encoder, and keeps it. */
static void test_long(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 10; i++)
		feed(0, PIECE, 3);
	assert_non_null(streams[0]->encoder);
	assert_int_equal(stream_blocks(streams[0]), 10 * PIECE);
	flush(streams[0]);
	assert_non_null(streams[0]->encoder);
	assert_int_equal(encoders_bytes(&pool),
			 pages_bytes(&pool.pages) + encoder_memory(streams[0]->encoder));
}

/* One that has been idle goes before one that is as large and runs. */
static void test_idle(void **state)
{
	struct stream *victim = NULL;

	(void)state;
	for (unsigned i = 0; i < 10; i++)
		feed(0, PIECE, 3);
	for (unsigned i = 0; i < 10; i++)
		feed(1, PIECE, 3);
	for (unsigned i = 0; i < 400 && !victim; i++) {
		feed(2 + i % 2, PIECE, 3);
		victim = encoders_victim(&pool);
	}
	assert_ptr_equal(victim, streams[0]);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test_setup_teardown(test_bound, set_up, tear_down),
	cmocka_unit_test_setup_teardown(test_short, set_up, tear_down),
	cmocka_unit_test_setup_teardown(test_long, set_up, tear_down),
	cmocka_unit_test_setup_teardown(test_idle, set_up, tear_down),
};

int main(void)
{
	return cmocka_run_group_tests_name("encoders", tests, NULL, NULL);
}
