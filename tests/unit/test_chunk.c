// SPDX-License-Identifier: GPL-2.0-or-later
/* format/chunk and format/pack: heads, histograms, strings and events, and bad ones. */
#include "format/chunk.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "format/pack.h"
#include "sample.h"

/* ---- packed strings ------------------------------------------------------ */

static void check_pack(const void *data, size_t bytes, bool smaller)
{
	struct buf buf = BUF_INIT, got = BUF_INIT;
	struct span span;

	pack_put(&buf, data, bytes, 3);
	assert_true((buf.len < bytes) == smaller);
	span = span_of(buf.data, buf.len);
	buf_put(&got, "before", 6);
	assert_int_equal(pack_get(&span, &got, bytes), bytes);
	assert_false(span.failed || got.failed);
	assert_int_equal(span_left(&span), 0);
	assert_int_equal(got.len, 6 + bytes);
	assert_memory_equal(got.data, "before", 6);
	if (bytes)
		assert_memory_equal(got.data + 6, data, bytes);
	if (bytes) {
		span = span_of(buf.data, buf.len);
		pack_get(&span, &got, bytes - 1);
		assert_true(span.failed);
	}
	span = span_of(buf.data, buf.len - 1);
	pack_get(&span, &got, bytes);
	assert_true(span.failed);
	buf_fini(&buf);
	buf_fini(&got);
}

static void test_pack(void **state)
{
	uint8_t *data = malloc(100000);
	uint64_t seed = 1;

	(void)state;
	assert_non_null(data);
	check_pack(NULL, 0, false);
	check_pack("a", 1, false);
	memset(data, 7, 100000);
	check_pack(data, 100000, true);
	for (size_t i = 0; i < 100000; i++)
		data[i] = (uint8_t)(sample_random(&seed) >> 7);
	check_pack(data, 100000, false);
	free(data);
}

static bool pack_refused(const char *bytes, size_t n)
{
	struct span span = span_of(bytes, n);
	struct buf got = BUF_INIT;

	pack_get(&span, &got, 100);
	assert_int_equal(got.len, 0);
	buf_fini(&got);
	return span.failed;
}

static void test_bad_packs(void **state)
{
	(void)state;
	assert_true(pack_refused("", 0));
	assert_true(pack_refused("\x02\x03"
				 "abc",
				 5)); /* more stored than raw */
	assert_true(pack_refused("\x03\x02"
				 "ab",
				 4)); /* no zstd frame */
	assert_true(pack_refused("\x03\x00", 2));
	assert_true(pack_refused("\x03\x03"
				 "ab",
				 4));
	assert_true(pack_refused("\x65\x65", 2));
	assert_true(pack_refused("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01\x00", 11));
	assert_false(pack_refused("\x00\x00", 2));
}

/* ---- CHNK ---------------------------------------------------------------- */

static const struct chunk_head example = {
	.stream = 1,
	.blocks = 60,
	.insns = 1ull << 40,
	.first_block = 1ull << 50,
	.first_insn = 1ull << 51,
	.begin_ns = UINT64_MAX - 1,
	.end_ns = UINT64_MAX,
	.path_off = 1ull << 52,
	.highest = 7,
	.known = 5,
	.counted = 3,
};
static const uint32_t example_counts[6] = { 99, 10, 0, 0, 30, 20 };

static void test_histogram(void **state)
{
	struct chunk_head head = example, got;
	struct buf payload = BUF_INIT;
	struct wm_count counts[3];
	struct span span;

	(void)state;
	head.counted = 0;
	memset(&got, 0, sizeof(got)); /* its padding too */
	chunk_put(&payload, &head, example_counts);
	assert_int_equal(head.counted, 3);
	span = span_of(payload.data, payload.len);
	assert_true(chunk_get_head(&span, &got));
	assert_memory_equal(&got, &example, sizeof(got));
	assert_int_equal(chunk_get_counts(span, &got, counts, NULL), 0);
	assert_int_equal(counts[0].id, 1);
	assert_int_equal(counts[0].count, 10);
	assert_int_equal(counts[1].id, 4);
	assert_int_equal(counts[1].count, 30);
	assert_int_equal(counts[2].id, 5);
	assert_int_equal(counts[2].count, 20);
	for (size_t cut = 0; cut < payload.len; cut++) {
		span = span_of(payload.data, cut);
		assert_true(!chunk_get_head(&span, &got) ||
			    chunk_get_counts(span, &got, counts, NULL) == WM_E_DAMAGED);
	}
	buf_fini(&payload);
}

static void test_large_histogram(void **state)
{
	enum { KNOWN = 200000 };
	uint32_t *counts = calloc(KNOWN + 1, sizeof(*counts));
	struct chunk_head head = { .known = KNOWN }, got;
	struct wm_count *pairs;
	struct buf payload = BUF_INIT;
	uint64_t seed = 2;
	struct span span;
	uint32_t at = 0;

	(void)state;
	assert_non_null(counts);
	for (uint32_t id = 1; id <= KNOWN; id++)
		if (sample_random(&seed) % 3)
			head.blocks += counts[id] = 1 + sample_random(&seed) % 100;
	chunk_put(&payload, &head, counts);
	span = span_of(payload.data, payload.len);
	assert_true(chunk_get_head(&span, &got));
	pairs = calloc(got.counted, sizeof(*pairs));
	assert_non_null(pairs);
	assert_int_equal(chunk_get_counts(span, &got, pairs, NULL), 0);
	for (uint32_t id = 1; id <= KNOWN; id++)
		if (counts[id]) {
			assert_int_equal(pairs[at].id, id);
			assert_int_equal(pairs[at++].count, counts[id]);
		}
	assert_int_equal(at, got.counted);
	free(pairs);
	free(counts);
	buf_fini(&payload);
}

/* Nothing ran, as when a chunk has only events. */
static void test_empty_histogram(void **state)
{
	struct chunk_head head = { .known = 5 }, got;
	struct buf payload = BUF_INIT;
	struct wm_count counts[1];
	struct span span;

	(void)state;
	chunk_put(&payload, &head, (const uint32_t[6]){ 0 });
	span = span_of(payload.data, payload.len);
	assert_true(chunk_get_head(&span, &got));
	assert_int_equal(got.counted, 0);
	assert_int_equal(chunk_get_counts(span, &got, counts, NULL), 0);
	buf_fini(&payload);
}

/* A head changed by `change` must be refused. */
static bool head_refused(void (*change)(struct chunk_head *head))
{
	struct chunk_head head = example, got;
	struct buf payload = BUF_INIT;
	struct wm_count counts[8];
	struct span span;
	bool refused;

	chunk_put(&payload, &head, example_counts);
	change(&head);
	put_u32(payload.data + 4, head.blocks); /* offsets of FORMAT.md */
	put_u32(payload.data + 60, head.known);
	put_u32(payload.data + 64, head.counted);
	span = span_of(payload.data, payload.len);
	refused = !chunk_get_head(&span, &got) ||
		  chunk_get_counts(span, &got, counts, NULL) == WM_E_DAMAGED;
	buf_fini(&payload);
	return refused;
}

static void unchanged(struct chunk_head *head)
{
	(void)head;
}

static void more_blocks(struct chunk_head *head)
{
	head->blocks++;
}

static void too_many_blocks(struct chunk_head *head)
{
	head->blocks = CODEC_BLOCKS_MAX + 1;
}

static void fewer_blocks(struct chunk_head *head)
{
	head->blocks = 2;
}

static void fewer_known(struct chunk_head *head)
{
	head->known = 4;
}

static void many_known(struct chunk_head *head)
{
	head->known = CODEC_IDS_MAX;
}

static void more_counted(struct chunk_head *head)
{
	head->counted = 4;
}

static void fewer_counted(struct chunk_head *head)
{
	head->counted = 2;
}

static void test_bad_heads(void **state)
{
	(void)state;
	assert_false(head_refused(unchanged));
	assert_true(head_refused(more_blocks));
	assert_true(head_refused(too_many_blocks));
	assert_true(head_refused(fewer_blocks));
	assert_true(head_refused(fewer_known));
	assert_true(head_refused(many_known));
	assert_true(head_refused(more_counted));
	assert_true(head_refused(fewer_counted));
}

/* ---- PATH ---------------------------------------------------------------- */

static void test_path(void **state)
{
	struct codes codes = {
		.codes = (const uint8_t *)"codes",
		.codes_len = 5,
		.longs = (const uint8_t *)"",
		.longs_len = 0,
		.escapes = (const uint8_t *)"escapes",
		.escapes_len = 7,
	};
	struct buf payload = BUF_INIT, events = BUF_INIT, raw = BUF_INIT;
	struct codes got;
	struct span span;

	(void)state;
	buf_put(&events, "events", 6);
	path_put(&payload, &codes, &events);
	for (unsigned i = 0; i < 2; i++) { /* twice: raw is used again */
		assert_int_equal(path_get(span_of(payload.data, payload.len), &raw, &got,
					  &span, NULL),
				 0);
		assert_int_equal(got.codes_len, 5);
		assert_memory_equal(got.codes, "codes", 5);
		assert_int_equal(got.longs_len, 0);
		assert_int_equal(got.escapes_len, 7);
		assert_memory_equal(got.escapes, "escapes", 7);
		assert_int_equal(span_left(&span), 6);
		assert_memory_equal(span.at, "events", 6);
	}
	for (size_t cut = 0; cut < payload.len; cut++)
		assert_int_equal(path_get(span_of(payload.data, cut), &raw, &got, &span,
					  NULL),
				 WM_E_DAMAGED);
	buf_put_u8(&payload, 0); /* nothing may follow */
	assert_int_equal(path_get(span_of(payload.data, payload.len), &raw, &got, &span,
				  NULL),
			 WM_E_DAMAGED);
	assert_int_equal(
		path_get(span_of("\0\0\0\0\0\0\0\0", 8), &raw, &got, &span, NULL), 0);
	assert_int_equal(got.codes_len + got.longs_len + got.escapes_len, 0);
	buf_fini(&payload);
	buf_fini(&events);
	buf_fini(&raw);
}

/* ---- events -------------------------------------------------------------- */

static void test_events(void **state)
{
	static const struct chunk_event wanted[] = {
		{ 0, 1, (const uint8_t *)"", 0 },
		{ 0, UINT32_MAX, (const uint8_t *)"abc", 3 },
		{ 1000, 2, (const uint8_t *)"d", 1 },
		{ CODEC_BLOCKS_MAX, 3, (const uint8_t *)"e", 1 },
	};
	struct buf events = BUF_INIT;
	struct chunk_event got;
	uint64_t last = 0;
	struct span span;

	(void)state;
	for (unsigned i = 0; i < 4; i++)
		event_put(&events, &wanted[i], &last);
	span = span_of(events.data, events.len);
	last = 0;
	for (unsigned i = 0; i < 4; i++) {
		assert_true(event_get(&span, &got, &last));
		assert_int_equal(got.position, wanted[i].position);
		assert_int_equal(got.kind, wanted[i].kind);
		assert_int_equal(got.bytes, wanted[i].bytes);
		assert_memory_equal(got.data, wanted[i].data, got.bytes);
	}
	assert_int_equal(span_left(&span), 0);
	/* The last one cut short; a position, a kind and a length that cannot be. */
	span = span_of(events.data, events.len - 1);
	for (last = 0; event_get(&span, &got, &last);)
		;
	assert_true(span.failed);
	span = span_of("\x81\x80\x80\x08\0\0", 6);
	last = 0;
	assert_false(event_get(&span, &got, &last));
	span = span_of("\0\x80\x80\x80\x80\x10\0", 7);
	assert_false(event_get(&span, &got, &last));
	span = span_of("\0\0\x7f", 3);
	assert_false(event_get(&span, &got, &last));
	buf_fini(&events);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_pack),
	cmocka_unit_test(test_bad_packs),
	cmocka_unit_test(test_histogram),
	cmocka_unit_test(test_large_histogram),
	cmocka_unit_test(test_empty_histogram),
	cmocka_unit_test(test_bad_heads),
	cmocka_unit_test(test_path),
	cmocka_unit_test(test_events),
};

int main(void)
{
	return cmocka_run_group_tests_name("chunk", tests, NULL, NULL);
}
