// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * format/values_*: a made-up guest runs blocks with random programs; its words are encoded
 * and decoded, and every access must come back. Then bytes that no encoder writes.
 */
#include "format/values.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "format/section.h"
#include "format/values_decode.h"
#include "format/values_encode.h"
#include "format/values_plans.h"
#include "value_guest.h"

enum { RUN = 3000, LOOPS = 900 }; /* blocks in a chunk; and between two loops */

static void encode(struct values_encoder *encoder, struct value_guest *guest,
		   const struct value_execution *executions, uint32_t n)
{
	uint32_t ids[RUN], at = 0;

	while (at < n) {
		const struct value_execution *execution = &executions[at];
		uint32_t plain = 0;

		while (at + plain < n && !executions[at + plain].firing_count &&
		       executions[at + plain].accesses ==
			       guest->programs->of[executions[at + plain].id].accesses) {
			ids[plain] = executions[at + plain].id;
			plain++;
		}
		if (plain) {
			assert_int_equal(values_encoder_take(encoder, ids, plain,
							     &guest->words),
					 VALUES_DONE);
			at += plain;
			continue;
		}
		assert_int_equal(values_encoder_begin(encoder, execution->id), 0);
		for (uint32_t i = 0; i < execution->firing_count; i++)
			assert_int_equal(values_encoder_fire(encoder,
							     &execution->firings[i],
							     &guest->words),
					 VALUES_DONE);
		assert_int_equal(values_encoder_end(encoder, execution->accesses,
						    &guest->words),
				 VALUES_DONE);
		at++;
	}
	assert_int_equal(values_encoder_blocks(encoder), n);
	assert_int_equal(guest->words.at, guest->words.end);
}

static uint64_t passed; /* blocks without anything special */

static void check_chunk(const struct value_guest *guest, struct values_decoder *decoder,
			const struct value_programs *programs, struct span vals,
			const struct value_execution *executions, uint32_t n)
{
	struct wm_access_list list = { 0 };
	struct buf raw = BUF_INIT;
	struct wm_error err;
	uint32_t *ids = calloc(n, sizeof(*ids));

	assert_non_null(ids);
	for (uint32_t i = 0; i < n; i++)
		ids[i] = executions[i].id;
	if (values_decoder_begin(decoder, programs, vals, &raw, &err))
		fail_msg("%s", err.text);
	for (uint32_t i = 0;; i++) {
		uint32_t plain = n - i;

		list.block = i;
		if (values_decoder_plain(decoder, ids + i, &plain, &list, &err))
			fail_msg("%s", err.text);
		passed += plain;
		i += plain;
		if (i == n)
			break;
		list.block = i;
		if (values_decoder_block(decoder, executions[i].id, &list, &err))
			fail_msg("%s", err.text);
	}
	assert_true(values_decoder_done(decoder));
	assert_int_equal(list.n, guest->expected_count);
	for (size_t i = 0; i < list.n; i++) {
		const struct wm_access *a = &list.all[i], *b = &guest->expected[i];

		assert_int_equal(a->block, b->block);
		assert_int_equal(a->insn, b->insn);
		assert_int_equal(a->address, b->address);
		assert_int_equal(a->data[0], b->data[0]);
		assert_int_equal(a->data[1], b->data[1]);
		assert_int_equal(a->size, b->size);
		assert_int_equal(a->kind, b->kind);
		assert_int_equal(a->has_data, b->has_data);
		assert_int_equal(a->place, b->place);
	}
	free(list.all);
	free(ids);
	buf_fini(&raw);
}

/* Half of the time it is in a loop, so that plans are made, also of sequences. */
static uint32_t next_block(uint32_t i)
{
	uint32_t loop = i / LOOPS % 3;

	if (i % LOOPS < LOOPS / 2 && value_any(50))
		return 1 + (i % (1 + 9 * loop) * 7 + loop) % VALUE_GUEST_BLOCKS;
	return 1 + value_any(VALUE_GUEST_BLOCKS);
}

/* A chunk of such a guest; its VALS goes to *vals. */
static void run_chunk(struct value_guest *guest, struct values_encoder *encoder,
		      struct value_execution *executions, uint32_t n, struct buf *vals)
{
	struct values_strings strings = { .path_off = 4711 };

	guest->expected_count = 0;
	for (uint32_t i = 0; i < n; i++) {
		struct value_execution *execution = &executions[i];

		*execution = (struct value_execution){ .id = next_block(i) };
		guest->block = i;
		/* Again what it did before: then the chunk says nothing of its firings. */
		if (i && !value_any(8)) {
			execution->id = executions[i - 1].id;
			execution->firing_count = executions[i - 1].firing_count;
			memcpy(execution->firings, executions[i - 1].firings,
			       sizeof(execution->firings));
		} else if (!value_any(i % LOOPS < LOOPS / 2 ? 300 : 10))
			value_guest_fire(execution);
		value_guest_run(guest, execution);
	}
	encode(encoder, guest, executions, n);
	values_encoder_finish(encoder, &strings);
	vals->len = 0;
	values_put(vals, &strings);
	assert_false(vals->failed);
	values_encoder_reset(encoder);
}

static struct block_table table(void)
{
	static struct wm_block blocks[VALUE_GUEST_BLOCKS + 1];

	for (unsigned i = 1; i <= VALUE_GUEST_BLOCKS; i++)
		blocks[i].insns = VALUE_GUEST_INSNS;
	return (struct block_table){ .blocks = blocks, .count = VALUE_GUEST_BLOCKS };
}

static struct value_programs *load(const struct buf *site)
{
	struct value_programs *programs = value_programs_new();
	struct block_table blocks = table();
	struct wm_error err;

	programs->features = FILE_FETCHES;
	if (value_programs_add(programs, span_of(site->data, site->len), &blocks, &err))
		fail_msg("%s", err.text);
	return programs;
}

static void test_round_trip(void **state)
{
	static struct value_execution executions[RUN];
	struct values_decoder *decoder = values_decoder_new();

	(void)state;
	for (unsigned round = 0; round < 24; round++) {
		uint32_t wanted = VALUES_LOADS | VALUES_STORES |
				  (round & 1 ? VALUES_DATA : 0u) |
				  (round & 4 ? VALUES_FETCHES : 0u);
		struct buf site = BUF_INIT, vals = BUF_INIT;
		struct value_programs *programs;
		struct values_encoder *encoder;
		struct value_guest guest;

		value_seed = 1 + round;
		value_guest_make(&guest, wanted, round & 2 ? 32 : 64, &site);
		programs = load(&site);
		encoder = values_encoder_new(guest.programs);
		for (uint32_t n = 0; n < RUN; n = n * 3 + 7) {
			run_chunk(&guest, encoder, executions, n, &vals);
			check_chunk(&guest, decoder, programs,
				    span_of(vals.data, vals.len), executions, n);
		}
		values_encoder_free(encoder);
		value_programs_free(programs);
		value_guest_free(&guest);
		buf_fini(&site);
		buf_fini(&vals);
	}
	assert_true(passed > 0);
	values_decoder_free(decoder);
}

/* A block with one load, whose base is not known. */
static void define_stride(struct value_programs *programs)
{
	struct value_op op = { .kind = OP_LOAD,
			       .in_lane = true,
			       .rd = 10,
			       .rs = 11,
			       .rt = VALUE_NO_REGISTER,
			       .size = 3 };
	struct buf program = BUF_INIT;
	uint16_t insn = 0;

	programs->width = 64;
	value_op_put(&program, &op, &insn);
	insn = 0;
	op = (struct value_op){ .kind = OP_FORGET, .mask = 1u << 11 };
	value_op_put(&program, &op, &insn);
	assert_int_equal(value_programs_define(programs, 2,
					       span_of(program.data, program.len), NULL),
			 0);
	buf_fini(&program);
}

/* What can be predicted costs nothing: one word of a loop that strides. */
static void test_stride(void **state)
{
	struct value_programs *programs = value_programs_new();
	struct values_strings strings;
	struct values_encoder *encoder;
	uint64_t ring[1024];
	struct value_words words = { ring, 1023, 0, 1024 };

	(void)state;
	define_stride(programs);
	for (unsigned i = 0; i < 1024; i++)
		ring[i] = 1000 + 8 * i;
	encoder = values_encoder_new(programs);
	for (unsigned i = 0; i < 1000; i++) {
		uint32_t id = 1;

		assert_int_equal(values_encoder_take(encoder, &id, 1, &words), 0);
	}
	assert_int_equal(words.at, 1000);
	values_encoder_finish(encoder, &strings);
	assert_int_equal(strings.words, 1000);
	assert_int_equal(span_left(&strings.of[VALUES_RUNS]), 3);
	assert_int_equal(span_left(&strings.of[VALUES_MISSES]), 2 + 1 + 1);
	assert_int_equal(values_encoder_bytes(encoder), 7);
	values_encoder_free(encoder);
	value_programs_free(programs);
}

/*
 * A sequence has blocks that do nothing, too, which values_encoder_take() passes over where
 * they are alone: the chunk has not entered them, and it is carried out all the same.
 */
static void test_idle_in_sequence(void **state)
{
	struct value_programs *programs = value_programs_new();
	struct values_model model = { 0 };
	struct plans plans = { 0 };
	struct plan *plan = NULL;
	uint32_t ids[64];

	(void)state;
	define_stride(programs);
	assert_int_equal(value_programs_define(programs, 2, span_of(NULL, 0), NULL), 0);
	values_model_begin(&model, programs);
	assert_true(values_model_know(&model));
	values_enter(&model, 1);
	assert_true(values_model_room(&model, 1));
	for (unsigned i = 0; i < 64; i++)
		ids[i] = 1 + i % 2;
	for (unsigned i = 0; i < 1000 && !(plan && plan->blocks > 1); i++)
		plan = plans_find(&plans, &model, ids, 64);
	assert_non_null(plan);
	assert_in_range(plan->blocks, 2, 64);
	assert_true(plan_ready(&model, plan));
	/* But not one that had firings, and so says something when it has none. */
	values_enter(&model, 2);
	model.place->pattern = 1;
	model.changes++;
	assert_false(plan_ready(&model, plan));
	plans_fini(&plans);
	values_model_fini(&model);
	value_programs_free(programs);
}

/* Words that are missing, and firings that cannot be. */
static void test_wrong(void **state)
{
	struct buf site = BUF_INIT;
	struct values_encoder *encoder;
	struct value_firing firing = { .insn = 3 };
	struct value_guest guest;
	uint32_t id = 1;

	(void)state;
	value_seed = 5;
	value_guest_make(&guest, VALUES_LOADS | VALUES_STORES, 64, &site);
	while (!guest.programs->of[id].words)
		id++;
	encoder = values_encoder_new(guest.programs);
	guest.words.end = guest.words.at + guest.programs->of[id].words - 1;
	assert_int_equal(values_encoder_take(encoder, &id, 1, &guest.words),
			 VALUES_SHORT);
	assert_int_equal(values_encoder_begin(encoder, id), 0);
	assert_true(values_encoder_allow(encoder, &guest.words) <
		    guest.programs->of[id].accesses);
	guest.words.end += 1000;
	assert_int_equal(values_encoder_allow(encoder, &guest.words),
			 guest.programs->of[id].accesses);
	firing.kind = VALUE_KINDS;
	assert_int_equal(values_encoder_fire(encoder, &firing, &guest.words),
			 VALUES_WRONG);
	firing.kind = VALUE_LOAD;
	firing.insn = VALUE_GUEST_INSNS;
	assert_int_equal(values_encoder_fire(encoder, &firing, &guest.words),
			 VALUES_WRONG);
	firing.insn = 3;
	assert_int_equal(values_encoder_fire(encoder, &firing, &guest.words),
			 VALUES_DONE);
	firing.insn = 2;
	assert_int_equal(values_encoder_fire(encoder, &firing, &guest.words),
			 VALUES_WRONG);
	firing.insn = 3;
	guest.words.end = guest.words.at;
	assert_int_equal(values_encoder_fire(encoder, &firing, &guest.words),
			 VALUES_SHORT);
	values_encoder_free(encoder);
	value_guest_free(&guest);
	buf_fini(&site);
}

/* ---- hostile bytes ---------------------------------------------------------------------- */

static void test_bad_sites(void **state)
{
	struct buf site = BUF_INIT;
	struct block_table blocks = table();
	struct value_guest guest;

	(void)state;
	value_seed = 9;
	value_guest_make(&guest, VALUES_LOADS, 64, &site);
	value_guest_free(&guest);
	for (unsigned round = 0; round < 4000; round++) {
		struct value_programs *programs = value_programs_new();
		size_t at = value_any(round % 2 ? 70 : (uint32_t)site.len);
		uint8_t was = site.data[at];
		struct wm_error err;
		int ret;

		site.data[at] = (uint8_t)value_any(256);
		ret = value_programs_add(programs,
					 span_of(site.data,
						 site.len - value_any(2) * value_any(9)),
					 &blocks, &err);
		if (ret)
			assert_int_equal(err.code, WM_E_DAMAGED);
		/* Sections follow each other. */
		else
			assert_int_equal(value_programs_add(programs,
							    span_of(site.data, site.len),
							    &blocks, &err),
					 WM_E_DAMAGED);
		site.data[at] = was;
		value_programs_free(programs);
	}
	buf_fini(&site);
}

/* Changes a byte of a string, so that it is still a VALS, but says something else. */
static void spoil(const struct buf *vals, struct buf *raw, struct buf *spoiled)
{
	struct values_strings strings;
	struct wm_error err;

	raw->len = 0;
	assert_int_equal(values_get(span_of(vals->data, vals->len), raw, &strings, &err),
			 0);
	assert_int_equal(strings.path_off, 4711);
	for (unsigned i = 0; raw->len && i < 1 + value_any(3); i++)
		raw->data[value_any((uint32_t)raw->len)] = (uint8_t)value_any(256);
	if (!value_any(4))
		strings.words = value_any(2) ? value_any(100) : value_any64();
	if (!value_any(4)) {
		struct span *span = &strings.of[value_any(VALUES_STRINGS)];

		span->end -= span_left(span) ? value_any((uint32_t)span_left(span)) : 0;
	}
	spoiled->len = 0;
	values_put(spoiled, &strings);
}

static void test_bad_vals(void **state)
{
	static struct value_execution executions[RUN];
	struct values_decoder *decoder = values_decoder_new();
	struct buf site = BUF_INIT, vals = BUF_INIT, raw = BUF_INIT, spoiled = BUF_INIT;
	struct wm_access_list list = { 0 };
	struct values_encoder *encoder;
	struct value_programs *programs;
	struct value_guest guest;
	unsigned refused = 0;

	(void)state;
	value_seed = 11;
	value_guest_make(&guest, VALUES_LOADS | VALUES_DATA, 64, &site);
	programs = load(&site);
	encoder = values_encoder_new(guest.programs);
	run_chunk(&guest, encoder, executions, 200, &vals);
	for (unsigned round = 0; round < 3000; round++) {
		struct wm_error err = { 0 };
		int ret;

		spoil(&vals, &raw, &spoiled);
		list.n = 0;
		ret = values_decoder_begin(decoder, programs,
					   span_of(spoiled.data, spoiled.len), &raw,
					   &err);
		for (unsigned i = 0; i < 200 && !ret; i++)
			ret = values_decoder_block(decoder, executions[i].id, &list,
						   &err);
		if (ret)
			assert_int_equal(err.code, WM_E_DAMAGED);
		refused += ret || !values_decoder_done(decoder);
	}
	assert_true(refused > 1000);
	/* An id without a program. */
	assert_int_equal(values_decoder_begin(decoder, programs,
					      span_of(vals.data, vals.len), &raw, NULL),
			 0);
	assert_int_equal(values_decoder_block(decoder, VALUE_GUEST_BLOCKS + 1, &list,
					      NULL),
			 WM_E_DAMAGED);
	free(list.all);
	values_encoder_free(encoder);
	values_decoder_free(decoder);
	value_programs_free(programs);
	value_guest_free(&guest);
	buf_fini(&site);
	buf_fini(&vals);
	buf_fini(&raw);
	buf_fini(&spoiled);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_round_trip), cmocka_unit_test(test_stride),
	cmocka_unit_test(test_wrong),	   cmocka_unit_test(test_bad_sites),
	cmocka_unit_test(test_bad_vals),   cmocka_unit_test(test_idle_in_sequence),
};

int main(void)
{
	return cmocka_run_group_tests_name("values", tests, NULL, NULL);
}
