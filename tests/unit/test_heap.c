// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * analysis/mem/heap: random calls of allocators in a trace made by hand, and what lies at
 * random addresses at random instructions, against a search through the whole history.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/mem/heap.h"
#include "format/records.h"
#include "format/values_encode.h"
#include "sample.h"
#include "trace/trace.h"

/* Blocks of one instruction. The callers are what allocators return to. */
enum { CALLER, OTHER_CALLER, MALLOC, FREE, REALLOC, CALLOC, PLAIN, KINDS };
enum { CALLS = 4000, CHUNK = 700, RING = 1 << 16, A0 = 10, HEAP = 0x100000 };
static const char places[] = "malloc:a0,ret\nlibc.so:free:a0\nrealloc:a0,a1,ret\n"
			     "qsort:a0\ncalloc:a0,a1,ret";
enum { PLACE_MALLOC = 1, PLACE_FREE, PLACE_REALLOC, PLACE_OTHER, PLACE_CALLOC };

static struct sample sample;
static struct value_programs *programs;
static struct values_encoder *encoder;
static uint64_t ring[RING];
static struct value_words words = { .ring = ring, .mask = RING - 1 };
static uint32_t ids[CHUNK], n_ids;
static uint64_t insn, seed = 7;
static struct wm_trace *trace;
static struct symbols *symbols;
static struct functions *functions;
static struct heap *heap;

/* From instruction `insn` on; bytes 0: freed. */
static struct happened {
	uint64_t insn, address, bytes;
} history[3 * CALLS];
static size_t n_history;

static uint64_t any(uint64_t below)
{
	return sample_random(&seed) % below;
}

/* ---- the trace ------------------------------------------------------------------------ */

static void after_path(struct sample *of, uint64_t path_off)
{
	struct values_strings strings;
	struct buf vals = BUF_INIT;

	values_encoder_finish(encoder, &strings);
	strings.path_off = path_off;
	values_put(&vals, &strings);
	sample_put(of, SECTION_VALS, vals.data, vals.len);
	buf_fini(&vals);
	values_encoder_reset(encoder);
}

static void end_chunk(void)
{
	if (n_ids)
		sample_chunk(&sample, 0, ids, n_ids);
	n_ids = 0;
}

static void fire(unsigned kind, unsigned number, unsigned place, uint64_t value)
{
	const struct value_firing firing = {
		.what = number | place << VALUE_PLACE_SHIFT,
		.kind = (uint8_t)kind,
	};

	ring[words.end++ % RING] = value;
	assert_int_equal(values_encoder_fire(encoder, &firing, &words), VALUES_DONE);
}

static void enter(unsigned kind)
{
	if (n_ids == CHUNK)
		end_chunk();
	ids[n_ids++] = kind + 1;
	assert_int_equal(values_encoder_begin(encoder, kind + 1), VALUES_DONE);
}

static void leave(void)
{
	assert_int_equal(values_encoder_end(encoder, 0, &words), VALUES_DONE);
	insn++;
}

static void happen(uint64_t address, uint64_t bytes)
{
	history[n_history++] = (struct happened){ insn, address, bytes };
}

/* A call of an allocator with two arguments; other ones lie between. */
static void call(unsigned kind, unsigned place, uint64_t first, uint64_t second)
{
	enter(kind);
	fire(VALUE_REGISTER, A0, place, first);
	fire(VALUE_REGISTER, A0 + 1, place, second);
	leave();
	enter(PLAIN);
	fire(VALUE_REGISTER, A0, PLACE_OTHER, any(1000));
	leave();
}

static void give_back(unsigned place, uint64_t address, uint64_t bytes)
{
	enter(any(2) ? CALLER : OTHER_CALLER);
	fire(VALUE_RETURNED, A0, place, address);
	if (address)
		happen(address, bytes);
	leave();
}

static uint64_t any_address(void)
{
	return HEAP + 0x100 * any(300);
}

static uint64_t any_bytes(void)
{
	return 8 + 8 * any(31);
}

static void do_free(uint64_t address)
{
	enter(FREE);
	fire(VALUE_REGISTER, A0, PLACE_FREE, address);
	happen(address, 0);
	leave();
}

/* realloc(), which itself calls malloc(), as some do; or fails. */
static void do_realloc(void)
{
	uint64_t old = any_address(), address = any(5) ? any_address() : 0;
	uint64_t bytes = any_bytes();

	call(REALLOC, PLACE_REALLOC, old, bytes);
	if (any(2)) {
		call(MALLOC, PLACE_MALLOC, bytes, 0);
		give_back(PLACE_MALLOC, address, bytes);
	}
	enter(CALLER);
	fire(VALUE_RETURNED, A0, PLACE_REALLOC, address);
	if (address) {
		happen(old, 0);
		happen(address, bytes);
	}
	leave();
}

static void do_call(void)
{
	uint64_t bytes = any_bytes();

	switch (any(5)) {
	case 0:
		call(CALLOC, PLACE_CALLOC, 4, bytes / 4);
		give_back(PLACE_CALLOC, any_address(), bytes);
		break;
	case 1:
		do_realloc();
		break;
	case 2:
		/* One that never returns. */
		call(MALLOC, PLACE_MALLOC, 12345, 0);
		break;
	case 3:
		do_free(any_address());
		break;
	default:
		call(MALLOC, PLACE_MALLOC, bytes, 0);
		give_back(PLACE_MALLOC, any_address(), bytes);
	}
}

static void put_programs(void)
{
	struct sites_writer sites;
	struct buf payload = BUF_INIT;

	programs = value_programs_new();
	programs->wanted = VALUES_PLACES;
	programs->width = 64;
	sites_writer_init(&sites, 1);
	for (unsigned i = 0; i < KINDS; i++) {
		sample_block(&sample, 0x10000 + 0x1000 * i, 1);
		assert_int_equal(value_programs_define(programs, 1, span_of("", 0), NULL),
				 0);
		assert_true(sites_writer_add(&sites, span_of("", 0)));
	}
	sample_flush(&sample);
	sites_writer_flush(&sites, programs->wanted, 64, &payload);
	sample_put(&sample, SECTION_SITE, payload.data, payload.len);
	sites_writer_fini(&sites);
	buf_fini(&payload);
}

static int make(void **state)
{
	struct buf payload = BUF_INIT;

	(void)state;
	sample_open(&sample, "heap.wmk");
	sample.after_path = after_path;
	meta_put(&payload, "values", "places");
	sample_put(&sample, SECTION_META, payload.data, payload.len);
	payload.len = 0;
	meta_put(&payload, "value_places", places);
	sample_put(&sample, SECTION_META, payload.data, payload.len);
	buf_fini(&payload);
	put_programs();
	sample_stream(&sample);
	encoder = values_encoder_new(programs);
	for (unsigned i = 0; i < CALLS; i++)
		do_call();
	end_chunk();
	sample_close(&sample, false);
	trace = sample_trace("heap.wmk");
	assert_int_equal(symbols_new(&symbols, trace, NULL), 0);
	assert_int_equal(functions_new(&functions, symbols, NULL), 0);
	assert_int_equal(heap_new(&heap, trace, functions, NULL), 0);
	return 0;
}

static int clean(void **state)
{
	(void)state;
	heap_free(heap);
	functions_free(functions);
	symbols_free(symbols);
	wm_trace_close(trace);
	values_encoder_free(encoder);
	value_programs_free(programs);
	return 0;
}

/* ---- checks --------------------------------------------------------------------------- */

/* What lies at an address before instruction `at` is executed: bytes, 0 for nothing. */
static uint64_t search(uint64_t at, uint64_t address, uint64_t *start)
{
	uint64_t first = address - address % 0x100, bytes = 0;

	for (size_t i = 0; i < n_history && history[i].insn <= at; i++)
		if (history[i].address == first)
			bytes = history[i].bytes;
	*start = first;
	return address - first < bytes ? bytes : 0;
}

static void check_at(struct heap_view *view, uint64_t at)
{
	struct heap_range range;
	uint64_t address = HEAP + any(301 * 0x100), start, bytes, other;

	heap_view_move(view, at);
	heap_view_find(view, address, &range);
	bytes = search(at, address, &start);
	assert_true(range.start <= address && address <= range.last);
	assert_int_equal(range.number != 0, bytes != 0);
	if (bytes) {
		assert_int_equal(range.start, start);
		assert_int_equal(range.last, start + bytes - 1);
		assert_int_equal(heap_get(heap, range.number)->bytes, bytes);
		assert_true(heap_get(heap, range.number)->function);
		return;
	}
	/* All of the range is free, and its neighbours are not. */
	if (range.start)
		assert_int_not_equal(search(at, range.start - 1, &other), 0);
	if (range.last != UINT64_MAX)
		assert_int_not_equal(search(at, range.last + 1, &other), 0);
}

static void test_forwards(void **state)
{
	struct heap_view *view = heap_view_new(heap, 0, 0);

	(void)state;
	assert_non_null(view);
	for (uint64_t at = 0; at < insn; at += 1 + any(4))
		check_at(view, at);
	heap_view_free(view);
}

static void test_anywhere(void **state)
{
	struct heap_view *view = heap_view_new(heap, 0, 0);

	(void)state;
	assert_non_null(view);
	for (unsigned i = 0; i < 300; i++)
		check_at(view, any(insn + 10));
	heap_view_free(view);
}

/* Objects of one caller and size are one. */
static void test_names(void **state)
{
	(void)state;
	assert_in_range(heap_count(heap), 20, 40);
	for (uint32_t i = 1; i <= heap_count(heap); i++)
		for (uint32_t k = 1; k < i; k++)
			assert_true(heap_get(heap, i)->bytes !=
					    heap_get(heap, k)->bytes ||
				    heap_get(heap, i)->function !=
					    heap_get(heap, k)->function);
	assert_int_equal(heap_count(NULL), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_forwards),
		cmocka_unit_test(test_anywhere),
		cmocka_unit_test(test_names),
	};

	return cmocka_run_group_tests(tests, make, clean);
}
