// SPDX-License-Identifier: GPL-2.0-or-later
/* format/values_fetches: an interpreter's fetches come back, cost little, and lies do no harm. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "fetch_guest.h"
#include "format/section.h"
#include "format/values_decode.h"
#include "format/values_encode.h"
#include "sample.h"

enum { RUN = 1 << 15 };

static uint32_t ids[RUN];
static uint64_t fetched[RUN];

static struct value_programs *programs_of(uint32_t wanted, uint32_t width)
{
	struct value_programs *programs = value_programs_new();

	assert_non_null(programs);
	programs->wanted = wanted;
	programs->width = width;
	fetch_guest_define(programs, NULL);
	return programs;
}

/* ids[n], fetched[n] as a chunk; returns how many words were not as foretold, at least. */
static size_t encode(const struct value_programs *programs, size_t n, struct buf *vals)
{
	struct values_encoder *encoder = values_encoder_new(programs);
	struct value_words words = { fetched, RUN - 1, 0, n };
	struct values_strings strings = { 0 };
	size_t runs;

	assert_non_null(encoder);
	assert_int_equal(values_encoder_take(encoder, ids, n, &words), VALUES_DONE);
	values_encoder_finish(encoder, &strings);
	assert_int_equal(strings.words, n);
	runs = span_left(&strings.of[VALUES_RUNS]);
	vals->len = 0;
	values_put(vals, &strings);
	values_encoder_free(encoder);
	return runs;
}

static int decode(struct values_decoder *decoder, const struct value_programs *programs,
		  const struct buf *vals, size_t n, struct wm_access_list *list)
{
	struct buf raw = BUF_INIT;
	struct wm_error err = { 0 };
	int ret = values_decoder_begin(decoder, programs, span_of(vals->data, vals->len),
				       &raw, &err);

	list->n = 0;
	for (size_t i = 0; i < n && !ret; i++)
		ret = values_decoder_block(decoder, ids[i], list, &err);
	buf_fini(&raw);
	if (ret)
		assert_int_equal(err.code, WM_E_DAMAGED);
	return ret ? ret : values_decoder_done(decoder) ? 0 : WM_E_DAMAGED;
}

static void check(const struct value_programs *programs, size_t n, const struct buf *vals)
{
	struct values_decoder *decoder = values_decoder_new();
	struct wm_access_list list = { 0 };

	assert_int_equal(decode(decoder, programs, vals, n, &list), 0);
	assert_int_equal(list.n, n);
	for (size_t i = 0; i < n; i++)
		assert_int_equal(list.all[i].address, fetched[i]);
	free(list.all);
	values_decoder_free(decoder);
}

/* They come back, and fewer are stored than without. */
static void test_round_trip(void **state)
{
	(void)state;
	for (unsigned round = 0; round < 8; round++) {
		uint32_t width = round & 1 ? 32 : 64;
		struct value_programs *old = programs_of(VALUES_LOADS, width);
		struct value_programs *new =
			programs_of(VALUES_LOADS | VALUES_FETCHES, width);
		struct buf vals = BUF_INIT;
		size_t before, after;

		fetch_guest_run(1 + round, ids, fetched, RUN);
		before = encode(old, RUN, &vals);
		check(old, RUN, &vals);
		after = encode(new, RUN, &vals);
		check(new, RUN, &vals);
		assert_in_range(after, 1, before - before / 4);
		value_programs_free(old);
		value_programs_free(new);
		buf_fini(&vals);
	}
}

/* Anything may be a word, and be far, near, and behind what was called. */
static void test_any_words(void **state)
{
	struct value_programs *programs = programs_of(VALUES_LOADS | VALUES_FETCHES, 64);
	struct buf vals = BUF_INIT;
	uint64_t seed = 3;

	(void)state;
	for (unsigned round = 0; round < 50; round++) {
		for (size_t i = 0; i < 2000; i++) {
			uint32_t any = sample_random(&seed);

			ids[i] = 1 + any % FETCH_BLOCKS;
			fetched[i] = any & 64 ? (uint64_t)any << 40 :
				     i > 20   ? fetched[i - any % 19 - 1] + any % 11 :
						0;
		}
		encode(programs, 2000, &vals);
		check(programs, 2000, &vals);
	}
	value_programs_free(programs);
	buf_fini(&vals);
}

/* One that calls itself, nearby: once its entries are known, all of it is foretold. */
static void test_recursion(void **state)
{
	static const struct {
		uint32_t id;
		uint64_t pc;
	} loop[] = {
		{ FETCH_JUMP, 0x100000 }, { FETCH_CALL, 0x9000 },
		{ FETCH_CALL, 0x4000 },	  { FETCH_SHORT, 0x4001 },
		{ FETCH_CALL, 0x4000 },	  { FETCH_RETURN, 0x4004 },
		{ FETCH_RETURN, 0x9003 }, { FETCH_RETURN, 0x100003 },
	};
	enum { LOOP = sizeof(loop) / sizeof(*loop) };
	struct value_programs *programs = programs_of(VALUES_LOADS | VALUES_FETCHES, 64);
	struct buf vals = BUF_INIT;
	size_t few, many;

	(void)state;
	for (size_t i = 0; i < 200 * LOOP; i++) {
		ids[i] = loop[i % LOOP].id;
		fetched[i] = loop[i % LOOP].pc;
	}
	few = encode(programs, 20 * LOOP, &vals);
	many = encode(programs, 200 * LOOP, &vals);
	check(programs, 200 * LOOP, &vals);
	assert_int_equal(few, many);
	value_programs_free(programs);
	buf_fini(&vals);
}

/* ---- programs of all shapes ------------------------------------------------------------- */

enum { SHAPED = 300 };

static struct value_op any_op(uint32_t any)
{
	static const uint8_t registers[] = { 11, 22, 22, 22 };
	uint8_t reg = registers[any >> 3 & 3], other = registers[any >> 5 & 3];
	int64_t imm = any & 1 << 7 ? (any >> 8 & 15) - 4 : 0;

	if (any >> 20 < 40) /* of 4096 */
		return (struct value_op){ .kind = OP_SET, .rd = reg, .imm = imm };
	switch (any & 3) {
	case 0:
		return (struct value_op){ .kind = OP_FORGET,
					  .mask = 1u << reg | 1u << other };
	case 1:
		return (struct value_op){ .kind = OP_ADD,
					  .rd = reg,
					  .rs = any >> 20 < 400 ? other : reg,
					  .imm = imm };
	}
	return (struct value_op){ .kind = OP_LOAD,
				  .in_lane = true,
				  .rd = any >> 20 < 80 ? 22 : VALUE_NO_REGISTER,
				  .rs = reg,
				  .rt = VALUE_NO_REGISTER,
				  .size = 3,
				  .imm = imm };
}

/* Most have none to three operations, one of them a fetch. */
static struct value_programs *any_programs(uint64_t *seed)
{
	struct value_programs *programs = value_programs_new();

	assert_non_null(programs);
	programs->wanted = VALUES_LOADS | VALUES_FETCHES;
	programs->width = 64;
	for (unsigned id = 1; id <= SHAPED; id++) {
		uint16_t n = sample_random(seed) % 5, before = 0;
		struct buf program = BUF_INIT;

		for (uint16_t insn = 0; insn < n; insn++) {
			struct value_op op = any_op(sample_random(seed));

			op.insn = insn;
			value_op_put(&program, &op, &before);
		}
		assert_int_equal(value_programs_define(programs, 5,
						       span_of(program.data, program.len),
						       NULL),
				 0);
		buf_fini(&program);
	}
	return programs;
}

/* Blocks, most of which came one after the other before, and what they fetched. */
static size_t any_run(const struct value_programs *programs, uint64_t *seed, size_t n)
{
	size_t words = 0;

	for (size_t i = 0, from = 0; i < n; i++, from++) {
		uint32_t any = sample_random(seed), id;

		if (any % 16 == 0)
			from = i ? any / 16 % i : 0;
		id = ids[i] = i && any % 32 ? ids[from] : 1 + any / 32 % SHAPED;
		for (uint32_t k = 0; k < programs->of[id].words; k++, words++)
			fetched[words] = any % 7 && words > 8 ?
						 fetched[words - 1 - any % 8] + any % 5 :
						 (uint64_t)any << 13;
	}
	return words;
}

/* The blocks at once, in pieces, or each by itself, step by step. */
static void put_run(const struct value_programs *programs, size_t n, size_t n_words,
		    size_t piece, struct buf *vals)
{
	struct values_encoder *encoder = values_encoder_new(programs);
	struct value_words words = { fetched, RUN - 1, 0, n_words };
	struct values_strings strings = { 0 };

	assert_non_null(encoder);
	for (size_t i = 0; i < n; i += piece) {
		if (piece > 1) {
			size_t some = n - i < piece ? n - i : piece;

			assert_int_equal(values_encoder_take(encoder, ids + i, some,
							     &words),
					 VALUES_DONE);
			assert_int_equal(values_encoder_blocks(encoder), i + some);
			continue;
		}
		assert_int_equal(values_encoder_begin(encoder, ids[i]), VALUES_DONE);
		assert_int_equal(values_encoder_end(encoder, UINT32_MAX, &words),
				 VALUES_DONE);
	}
	assert_int_equal(words.at, n_words);
	values_encoder_finish(encoder, &strings);
	vals->len = 0;
	values_put(vals, &strings);
	values_encoder_free(encoder);
}

/* The same in pieces, of which the path's encoder picks what has steps. */
static void put_picked(const struct value_programs *programs, size_t n, size_t n_words,
		       size_t piece, struct buf *vals)
{
	struct values_encoder *encoder = values_encoder_new(programs);
	struct encoder *path = encoder_new((uint32_t)n);
	struct value_words words = { fetched, RUN - 1, 0, n_words };
	struct values_strings strings = { 0 };
	uint32_t own[RUN];
	uint16_t places[RUN];

	assert_non_null(encoder);
	assert_non_null(path);
	assert_int_equal(encoder_know(path, programs->known), 0);
	encoder_mark(path, programs->busy);
	for (size_t i = 0; i < n; i += piece) {
		struct values_picked picked = { own, places, 0 };
		size_t some = n - i < piece ? n - i : piece;

		assert_int_equal(encoder_feed(path, ids + i, some), some);
		picked.count = encoder_marked(path, some, some, own, places);
		assert_true(values_encoder_picks(encoder));
		assert_int_equal(values_encoder_take_picked(encoder, &picked, some,
							    &words),
				 VALUES_DONE);
		assert_int_equal(values_encoder_blocks(encoder), i + some);
	}
	values_encoder_finish(encoder, &strings);
	vals->len = 0;
	values_put(vals, &strings);
	values_encoder_free(encoder);
	encoder_free(path);
}

/* What is done by a block's shape comes to what its steps do. */
static void test_any_shapes(void **state)
{
	struct buf one = BUF_INIT, all = BUF_INIT;
	uint64_t seed = 11;

	(void)state;
	for (unsigned round = 0; round < 30; round++) {
		struct value_programs *programs = any_programs(&seed);
		size_t n = 6000, n_words = any_run(programs, &seed, n);

		assert_in_range(n_words, 100, RUN);
		put_run(programs, n, n_words, 1, &one);
		put_run(programs, n, n_words, n, &all);
		assert_int_equal(one.len, all.len);
		assert_memory_equal(one.data, all.data, one.len);
		put_run(programs, n, n_words, 7 + round, &all);
		assert_memory_equal(one.data, all.data, one.len);
		put_picked(programs, n, n_words, 7 + 31 * round, &all);
		assert_int_equal(one.len, all.len);
		assert_memory_equal(one.data, all.data, one.len);
		value_programs_free(programs);
	}
	buf_fini(&one);
	buf_fini(&all);
}

/* ---- hostile bytes ---------------------------------------------------------------------- */

static void spoil(const struct buf *vals, uint64_t *seed, struct buf *spoiled)
{
	struct values_strings strings;
	struct buf raw = BUF_INIT;

	assert_int_equal(values_get(span_of(vals->data, vals->len), &raw, &strings, NULL),
			 0);
	for (unsigned i = 0; i < 3; i++)
		raw.data[sample_random(seed) % raw.len] = (uint8_t)sample_random(seed);
	spoiled->len = 0;
	values_put(spoiled, &strings);
	buf_fini(&raw);
}

static void test_bad_vals(void **state)
{
	struct value_programs *programs = programs_of(VALUES_LOADS | VALUES_FETCHES, 64);
	struct values_decoder *decoder = values_decoder_new();
	struct buf vals = BUF_INIT, spoiled = BUF_INIT;
	struct wm_access_list list = { 0 };
	uint64_t seed = 1;
	unsigned refused = 0;

	(void)state;
	fetch_guest_run(7, ids, fetched, 1000);
	encode(programs, 1000, &vals);
	for (unsigned round = 0; round < 2000; round++) {
		spoil(&vals, &seed, &spoiled);
		refused += decode(decoder, programs, &spoiled, 1000, &list) != 0;
		assert_true(list.n <= 1000);
	}
	assert_in_range(refused, 100, 2000);
	free(list.all);
	values_decoder_free(decoder);
	value_programs_free(programs);
	buf_fini(&vals);
	buf_fini(&spoiled);
}

/* Only a file that says so in its header has them. */
static void test_feature(void **state)
{
	static struct wm_block blocks[FETCH_BLOCKS + 1];
	struct block_table table = { .blocks = blocks, .count = FETCH_BLOCKS };
	struct value_programs *programs = value_programs_new();
	struct sites_writer sites;
	struct buf site = BUF_INIT;

	(void)state;
	for (unsigned i = 1; i <= FETCH_BLOCKS; i++)
		blocks[i].insns = 2;
	sites_writer_init(&sites, 1);
	fetch_guest_define(programs, &sites);
	sites_writer_flush(&sites, VALUES_LOADS | VALUES_FETCHES, 64, &site);
	for (unsigned i = 0; i < 2; i++) {
		value_programs_free(programs);
		programs = value_programs_new();
		programs->features = i ? FILE_FETCHES : FILE_FEATURES & ~FILE_FETCHES;
		assert_int_equal(value_programs_add(programs,
						    span_of(site.data, site.len), &table,
						    NULL),
				 i ? 0 : WM_E_DAMAGED);
	}
	value_programs_free(programs);
	sites_writer_fini(&sites);
	buf_fini(&site);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_round_trip), cmocka_unit_test(test_any_words),
	cmocka_unit_test(test_recursion),  cmocka_unit_test(test_any_shapes),
	cmocka_unit_test(test_bad_vals),   cmocka_unit_test(test_feature),
};

int main(void)
{
	return cmocka_run_group_tests_name("values_fetches", tests, NULL, NULL);
}
