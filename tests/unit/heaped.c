// SPDX-License-Identifier: GPL-2.0-or-later
/* A trace of allocators made by hand: random calls of malloc() and its like, and loads. */
#include "heaped.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "format/records.h"
#include "format/values_encode.h"
#include "sample.h"

/* Blocks of one instruction. The callers are what allocators return to. */
enum { CALLER, OTHER_CALLER, MALLOC, FREE, REALLOC, CALLOC, PLAIN, KINDS };
enum { CHUNK = 700, RING = 1 << 16, A0 = 10 };
static const char places[] = "malloc:a0,ret\nlibc.so:free:a0\nrealloc:a0,a1,ret\n"
			     "qsort:a0\ncalloc:a0,a1,ret\n_Znwm:a0,ret\n"
			     "libc++.so:operator delete(void*):a0\nxmalloc:a0,ret\n"
			     "heap.c:120:a0\nmalloc";
enum { PLACE_MALLOC = 1, PLACE_FREE, PLACE_REALLOC, PLACE_OTHER, PLACE_CALLOC };

struct heaped heaped;

static struct sample sample;
static struct value_programs *programs;
static struct values_encoder *encoder;
static uint64_t ring[RING];
static struct value_words words = { .ring = ring, .mask = RING - 1 };
static uint32_t ids[CHUNK], n_ids;
static uint64_t seed;

uint64_t heaped_any(uint64_t below)
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
	heaped.insns++;
}

static void happen(uint64_t address, uint64_t bytes)
{
	heaped.history[heaped.n_history++] =
		(struct heaped_change){ heaped.insns, address, bytes };
}

static void load(void)
{
	const struct value_firing firing = { .kind = VALUE_LOAD };
	uint64_t address = HEAPED_START + heaped_any(HEAPED_STEP * HEAPED_STEPS);

	heaped.loads[heaped.n_loads++] = (struct heaped_load){ heaped.insns, address };
	ring[words.end++ % RING] = address;
	assert_int_equal(values_encoder_fire(encoder, &firing, &words), VALUES_DONE);
}

/* A call of an allocator with two arguments; other ones lie between. */
static void call(unsigned kind, unsigned place, uint64_t first, uint64_t second)
{
	enter(kind);
	fire(VALUE_REGISTER, A0, place, first);
	fire(VALUE_REGISTER, A0 + 1, place, second);
	leave();
	enter(PLAIN);
	fire(VALUE_REGISTER, A0, PLACE_OTHER, heaped_any(1000));
	load();
	leave();
}

static void give_back(unsigned place, uint64_t address, uint64_t bytes)
{
	enter(heaped_any(2) ? CALLER : OTHER_CALLER);
	fire(VALUE_RETURNED, A0, place, address);
	if (address)
		happen(address, bytes);
	leave();
}

static uint64_t any_address(void)
{
	return HEAPED_START + HEAPED_STEP * heaped_any(HEAPED_STEPS);
}

static uint64_t any_bytes(void)
{
	return 8 + 8 * heaped_any(31);
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
	uint64_t old = any_address(), address = heaped_any(5) ? any_address() : 0;
	uint64_t bytes = any_bytes();

	call(REALLOC, PLACE_REALLOC, old, bytes);
	if (heaped_any(2)) {
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

	switch (heaped_any(5)) {
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
	programs->wanted = VALUES_PLACES | VALUES_LOADS;
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

void heaped_make(const char *path, unsigned calls)
{
	struct buf payload = BUF_INIT;

	assert_true(calls <= HEAPED_CALLS);
	seed = 7;
	heaped = (struct heaped){ .insns = 0 };
	sample_open(&sample, path);
	sample.after_path = after_path;
	meta_put(&payload, "values", "loads,places");
	sample_put(&sample, SECTION_META, payload.data, payload.len);
	payload.len = 0;
	meta_put(&payload, "value_places", places);
	sample_put(&sample, SECTION_META, payload.data, payload.len);
	buf_fini(&payload);
	put_programs();
	sample_stream(&sample);
	encoder = values_encoder_new(programs);
	for (unsigned i = 0; i < calls; i++)
		do_call();
	end_chunk();
	sample_close(&sample, false);
	values_encoder_free(encoder);
	value_programs_free(programs);
}

uint64_t heaped_at(uint64_t insn, uint64_t address, uint64_t *start)
{
	uint64_t bytes = 0;

	*start = address - address % HEAPED_STEP;
	for (size_t i = 0; i < heaped.n_history && heaped.history[i].insn <= insn; i++)
		if (heaped.history[i].address == *start)
			bytes = heaped.history[i].bytes;
	return address - *start < bytes ? bytes : 0;
}
