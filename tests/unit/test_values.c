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

#include "format/values_decode.h"
#include "format/values_encode.h"
#include "sample.h"

enum {
	BLOCKS = 40,
	INSNS = 12,
	OPS = 30,
	RING = 1 << 16,
	RUN = 3000, /* blocks in a chunk */
	FIRINGS = 6,
};

static uint64_t seed;

static uint32_t any(uint32_t n)
{
	return sample_random(&seed) % n;
}

static uint64_t any64(void)
{
	return (uint64_t)sample_random(&seed) << 32 ^ sample_random(&seed);
}

static struct value_op random_op(uint16_t insn)
{
	struct value_op op = { .kind = (uint8_t)any(OP_KINDS),
			       .insn = insn,
			       .rd = VALUE_NO_REGISTER,
			       .rs = VALUE_NO_REGISTER,
			       .rt = VALUE_NO_REGISTER };
	bool access = op.kind == OP_LOAD || op.kind == OP_STORE;

	if (op.kind == OP_FORGET) {
		op.mask = sample_random(&seed) & sample_random(&seed) & ~1u;
		return op;
	}
	if (op.kind != OP_STORE)
		op.rd = (uint8_t)(1 + any(VALUE_REGISTERS - (op.kind != OP_LOAD)));
	if (op.kind != OP_SET)
		op.rs = (uint8_t)any(VALUE_REGISTERS);
	if (op.kind == OP_SUM || op.kind == OP_STORE)
		op.rt = (uint8_t)any(VALUE_REGISTERS + (op.kind == OP_STORE));
	if (op.kind != OP_SUM)
		op.imm = any(2) ? (int64_t)any(4096) - 2048 : (int64_t)any64();
	if (access) {
		op.size = (uint8_t)any(VALUE_SIZE_MAX + 1);
		op.is_signed = op.kind == OP_LOAD && any(2);
		op.in_lane = any(2);
	}
	return op;
}

/* ---- a made-up guest -------------------------------------------------------------------- */

struct guest {
	uint32_t wanted, width;
	struct value_op ops[BLOCKS + 1][OPS]; /* by block id */
	uint32_t op_count[BLOCKS + 1];
	struct value_programs *programs;
	uint64_t registers[VALUE_REGISTERS + 1];
	uint64_t *ring; /* [RING] */
	struct value_words words;
	struct wm_access *expected;
	size_t expected_count;
	uint32_t block; /* of the accesses that come */
};

static uint64_t cut(const struct guest *guest, uint64_t value)
{
	return guest->width == 32 ? (uint32_t)value : value;
}

/* Which registers are known after an operation, as a plugin would see it. */
static void follow(const struct value_op *op, uint64_t *known)
{
	bool known_now = true;

	if (op->kind == OP_FORGET)
		*known &= ~(uint64_t)op->mask;
	if (op->kind == OP_ADD || op->kind == OP_SUM)
		known_now = *known >> op->rs & 1;
	if (op->kind == OP_SUM)
		known_now &= *known >> op->rt & 1;
	if (op->kind == OP_LOAD || op->kind == OP_STORE)
		*known |= UINT64_C(1) << op->rs;
	if (op->kind == OP_LOAD)
		known_now = false;
	if (op->kind != OP_FORGET && op->kind != OP_STORE)
		*known = (*known & ~(UINT64_C(1) << op->rd)) | (uint64_t)known_now
								       << op->rd;
}

static void make_block(struct guest *guest, uint32_t id, struct buf *program)
{
	uint64_t known = 1;
	uint16_t last = 0;

	program->len = 0;
	guest->op_count[id] = any(OPS + 1);
	for (unsigned i = 0; i < guest->op_count[id]; i++) {
		struct value_op *op = &guest->ops[id][i];

		*op = random_op((uint16_t)(i * INSNS / OPS));
		op->rs = op->rs < VALUE_REGISTERS ? op->rs % 8 : op->rs;
		/* What follows must be known; what is in the lane may be. */
		if (op->kind >= OP_LOAD && !(known >> op->rs & 1))
			op->in_lane = true;
		follow(op, &known);
		value_op_put(program, op, &last);
	}
}

static void make_guest(struct guest *guest, uint32_t wanted, uint32_t width,
		       struct buf *site)
{
	struct sites_writer sites;
	struct buf program = BUF_INIT;

	*guest = (struct guest){ .wanted = wanted, .width = width };
	guest->programs = value_programs_new();
	guest->programs->wanted = wanted;
	guest->programs->width = width;
	guest->ring = calloc(RING, sizeof(*guest->ring));
	guest->words =
		(struct value_words){ guest->ring, RING - 1, RING - 77, RING - 77 };
	guest->expected = calloc(RING * 2, sizeof(*guest->expected));
	sites_writer_init(&sites, 1);
	for (uint32_t id = 1; id <= BLOCKS; id++) {
		struct wm_error err;

		make_block(guest, id, &program);
		assert_int_equal(value_programs_define(guest->programs, INSNS,
						       span_of(program.data, program.len),
						       &err),
				 0);
		assert_true(sites_writer_add(&sites, span_of(program.data, program.len)));
	}
	sites_writer_flush(&sites, wanted, width, site);
	assert_int_equal(sites.first, BLOCKS + 1);
	sites_writer_fini(&sites);
	buf_fini(&program);
}

static void free_guest(struct guest *guest)
{
	value_programs_free(guest->programs);
	free(guest->ring);
	free(guest->expected);
}

static void put_word(struct guest *guest, uint64_t word)
{
	guest->ring[guest->words.end++ % RING] = word;
}

static struct wm_access *expect(struct guest *guest, unsigned kind, unsigned insn,
				unsigned bytes, uint64_t address)
{
	struct wm_access *access = &guest->expected[guest->expected_count++];

	*access = (struct wm_access){ .address = address,
				      .block = guest->block,
				      .insn = insn,
				      .size = (uint8_t)bytes,
				      .kind = (uint8_t)kind };
	return access;
}

static void put_data(struct guest *guest, struct wm_access *access, unsigned words,
		     uint64_t first)
{
	access->has_data = true;
	access->data[0] = first;
	put_word(guest, first);
	if (words > 1) {
		access->data[1] = any(3);
		put_word(guest, access->data[1]);
	}
}

static void run_access(struct guest *guest, const struct value_op *op)
{
	bool is_load = op->kind == OP_LOAD;
	uint64_t data = is_load ? (any(2) ? any(4) : any64()) : guest->registers[op->rt];
	uint64_t address = cut(guest, guest->registers[op->rs] + (uint64_t)op->imm);
	struct wm_access *access = expect(guest,
					  is_load ? WM_ACCESS_LOAD : WM_ACCESS_STORE,
					  op->insn, 1u << op->size, address);

	if (!is_load && op->rt == VALUE_NO_REGISTER)
		data = any64();
	if (op->size < 3)
		data &= (UINT64_C(1) << (8 << op->size)) - 1;
	if (op->in_lane)
		put_word(guest, address);
	if (guest->wanted & VALUES_DATA)
		put_data(guest, access, op->size > 3 ? 2 : 1, data);
	if (op->is_signed && op->size < 3 && data >> ((8 << op->size) - 1))
		data |= UINT64_MAX << (8 << op->size);
	if (is_load && op->rd != VALUE_NO_REGISTER)
		guest->registers[op->rd] = cut(guest, data);
}

static void run_op(struct guest *guest, const struct value_op *op)
{
	uint64_t *registers = guest->registers, value = (uint64_t)op->imm;

	switch (op->kind) {
	case OP_FORGET:
		for (unsigned i = 0; i < VALUE_REGISTERS; i++)
			if (op->mask >> i & 1)
				registers[i] = cut(guest, any(2) ? any64() : 0x1000);
		return;
	case OP_SUM:
		value = registers[op->rs] + registers[op->rt];
		break;
	case OP_ADD:
		value += registers[op->rs];
		break;
	case OP_SET:
		break;
	default:
		run_access(guest, op);
		return;
	}
	registers[op->rd] = cut(guest, value);
}

static void run_firing(struct guest *guest, const struct value_firing *firing)
{
	bool is_register = firing->kind == VALUE_REGISTER;
	struct wm_access *access = expect(
		guest,
		is_register		    ? WM_ACCESS_REGISTER :
		firing->kind == VALUE_STORE ? WM_ACCESS_STORE :
					      WM_ACCESS_LOAD,
		firing->insn, is_register ? 8u << firing->size : 1u << firing->size,
		is_register ? firing->what : any(4) * 8);

	if (!is_register)
		put_word(guest, access->address);
	if (is_register)
		put_data(guest, access, firing->size + 1u, any(7));
	else if (guest->wanted & VALUES_DATA)
		put_data(guest, access, firing->size > 3 ? 2 : 1, any64());
}

/* An execution: of which block, what it fired, and how many accesses it did. */
struct execution {
	uint32_t id, accesses, firing_count;
	struct value_firing firings[FIRINGS];
};

/* Few different patterns, so that they recur. */
static void make_firings(struct execution *execution)
{
	uint16_t insn = 0;

	execution->firing_count = any(3) * any(3);
	for (unsigned i = 0; i < execution->firing_count; i++) {
		struct value_firing *firing = &execution->firings[i];

		insn = (uint16_t)(insn + any(3));
		*firing = (struct value_firing){ .insn = insn,
						 .kind = (uint8_t)any(VALUE_KINDS) };
		firing->size =
			(uint8_t)(firing->kind == VALUE_REGISTER ? any(2) : 2 + any(3));
		firing->what = firing->kind == VALUE_REGISTER ? any(2) : 0;
	}
}

static void run_block(struct guest *guest, struct execution *execution)
{
	const struct value_program *program = &guest->programs->of[execution->id];
	uint32_t at = 0, n = guest->op_count[execution->id], done = 0;
	uint32_t most = any(20) ? program->accesses : any(program->accesses + 1);

	for (uint32_t i = 0; i <= execution->firing_count; i++) {
		const struct value_firing *firing =
			i < execution->firing_count ? &execution->firings[i] : NULL;

		for (; at < n; at++) {
			const struct value_op *op = &guest->ops[execution->id][at];

			if (firing &&
			    (op->insn > firing->insn || (op->insn == firing->insn &&
							 firing->kind == VALUE_REGISTER)))
				break;
			if (op->kind < OP_LOAD) {
				run_op(guest, op);
				continue;
			}
			/* A firing shows that all accesses before it were done. */
			if (!firing && done == most)
				break;
			run_op(guest, op);
			done++;
			most = most < done ? done : most;
		}
		if (firing)
			run_firing(guest, firing);
	}
	execution->accesses = done;
	/* Left early: what other code did to registers is not known to the model. */
	if (done < program->accesses)
		for (unsigned i = 1; i < VALUE_REGISTERS; i++)
			guest->registers[i] = cut(guest, any64());
}

static void encode(struct values_encoder *encoder, struct guest *guest,
		   const struct execution *executions, uint32_t n)
{
	uint32_t ids[RUN], at = 0;

	while (at < n) {
		const struct execution *execution = &executions[at];
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

static void check_chunk(const struct guest *guest, struct values_decoder *decoder,
			const struct value_programs *programs, struct span vals,
			const struct execution *executions, uint32_t n)
{
	struct wm_access_list list = { 0 };
	struct buf raw = BUF_INIT;
	struct wm_error err;

	if (values_decoder_begin(decoder, programs, vals, &raw, &err))
		fail_msg("%s", err.text);
	for (uint32_t i = 0; i < n; i++) {
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
	}
	free(list.all);
	buf_fini(&raw);
}

/* A chunk of such a guest; its VALS goes to *vals. */
static void run_chunk(struct guest *guest, struct values_encoder *encoder,
		      struct execution *executions, uint32_t n, struct buf *vals)
{
	struct values_strings strings = { .path_off = 4711 };

	guest->expected_count = 0;
	for (uint32_t i = 0; i < n; i++) {
		struct execution *execution = &executions[i];

		*execution = (struct execution){ .id = 1 + any(BLOCKS) };
		guest->block = i;
		if (!any(10))
			make_firings(execution);
		run_block(guest, execution);
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
	static struct wm_block blocks[BLOCKS + 1];

	for (unsigned i = 1; i <= BLOCKS; i++)
		blocks[i].insns = INSNS;
	return (struct block_table){ .blocks = blocks, .count = BLOCKS };
}

static struct value_programs *load(const struct buf *site)
{
	struct value_programs *programs = value_programs_new();
	struct block_table blocks = table();
	struct wm_error err;

	if (value_programs_add(programs, span_of(site->data, site->len), &blocks, &err))
		fail_msg("%s", err.text);
	return programs;
}

static void test_round_trip(void **state)
{
	static struct execution executions[RUN];
	struct values_decoder *decoder = values_decoder_new();

	(void)state;
	for (unsigned round = 0; round < 24; round++) {
		uint32_t wanted = VALUES_LOADS | VALUES_STORES |
				  (round & 1 ? VALUES_DATA : 0u);
		struct buf site = BUF_INIT, vals = BUF_INIT;
		struct value_programs *programs;
		struct values_encoder *encoder;
		struct guest guest;

		seed = 1 + round;
		make_guest(&guest, wanted, round & 2 ? 32 : 64, &site);
		programs = load(&site);
		encoder = values_encoder_new(guest.programs);
		for (uint32_t n = 0; n < 1000; n = n * 3 + 7) {
			run_chunk(&guest, encoder, executions, n, &vals);
			check_chunk(&guest, decoder, programs,
				    span_of(vals.data, vals.len), executions, n);
		}
		values_encoder_free(encoder);
		value_programs_free(programs);
		free_guest(&guest);
		buf_fini(&site);
		buf_fini(&vals);
	}
	values_decoder_free(decoder);
}

/* What can be predicted costs nothing: one word of a loop that strides. */
static void test_stride(void **state)
{
	struct value_op op = { .kind = OP_LOAD,
			       .in_lane = true,
			       .rd = 10,
			       .rs = 11,
			       .rt = VALUE_NO_REGISTER,
			       .size = 3 };
	struct value_programs *programs = value_programs_new();
	struct values_strings strings;
	struct values_encoder *encoder;
	struct buf program = BUF_INIT;
	uint64_t ring[1024];
	struct value_words words = { ring, 1023, 0, 1024 };
	uint16_t insn = 0;

	(void)state;
	programs->width = 64;
	value_op_put(&program, &op, &insn);
	insn = 0;
	op = (struct value_op){ .kind = OP_FORGET, .mask = 1u << 11 };
	value_op_put(&program, &op, &insn);
	assert_int_equal(value_programs_define(programs, 2,
					       span_of(program.data, program.len), NULL),
			 0);
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
	buf_fini(&program);
}

/* Words that are missing, and firings that cannot be. */
static void test_wrong(void **state)
{
	struct buf site = BUF_INIT;
	struct values_encoder *encoder;
	struct value_firing firing = { .insn = 3 };
	struct guest guest;
	uint32_t id = 1;

	(void)state;
	seed = 5;
	make_guest(&guest, VALUES_LOADS | VALUES_STORES, 64, &site);
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
	firing.insn = INSNS;
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
	free_guest(&guest);
	buf_fini(&site);
}

/* ---- hostile bytes ---------------------------------------------------------------------- */

static void test_bad_sites(void **state)
{
	struct buf site = BUF_INIT;
	struct block_table blocks = table();
	struct guest guest;

	(void)state;
	seed = 9;
	make_guest(&guest, VALUES_LOADS, 64, &site);
	free_guest(&guest);
	for (unsigned round = 0; round < 4000; round++) {
		struct value_programs *programs = value_programs_new();
		size_t at = any(round % 2 ? 70 : (uint32_t)site.len);
		uint8_t was = site.data[at];
		struct wm_error err;
		int ret;

		site.data[at] = (uint8_t)any(256);
		ret = value_programs_add(programs,
					 span_of(site.data, site.len - any(2) * any(9)),
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
	for (unsigned i = 0; raw->len && i < 1 + any(3); i++)
		raw->data[any((uint32_t)raw->len)] = (uint8_t)any(256);
	if (!any(4))
		strings.words = any(2) ? any(100) : any64();
	if (!any(4)) {
		struct span *span = &strings.of[any(VALUES_STRINGS)];

		span->end -= span_left(span) ? any((uint32_t)span_left(span)) : 0;
	}
	spoiled->len = 0;
	values_put(spoiled, &strings);
}

static void test_bad_vals(void **state)
{
	static struct execution executions[RUN];
	struct values_decoder *decoder = values_decoder_new();
	struct buf site = BUF_INIT, vals = BUF_INIT, raw = BUF_INIT, spoiled = BUF_INIT;
	struct wm_access_list list = { 0 };
	struct values_encoder *encoder;
	struct value_programs *programs;
	struct guest guest;
	unsigned refused = 0;

	(void)state;
	seed = 11;
	make_guest(&guest, VALUES_LOADS | VALUES_DATA, 64, &site);
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
	assert_int_equal(values_decoder_block(decoder, BLOCKS + 1, &list, NULL),
			 WM_E_DAMAGED);
	free(list.all);
	values_encoder_free(encoder);
	values_decoder_free(decoder);
	value_programs_free(programs);
	free_guest(&guest);
	buf_fini(&site);
	buf_fini(&vals);
	buf_fini(&raw);
	buf_fini(&spoiled);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_round_trip), cmocka_unit_test(test_stride),
		cmocka_unit_test(test_wrong),	   cmocka_unit_test(test_bad_sites),
		cmocka_unit_test(test_bad_vals),
	};

	return cmocka_run_group_tests_name("values", tests, NULL, NULL);
}
