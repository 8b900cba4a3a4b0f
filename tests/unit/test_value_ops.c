// SPDX-License-Identifier: GPL-2.0-or-later
/* format/values: the bytes of a block's program. */
#include "format/values.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#define NO VALUE_NO_REGISTER

static const struct value_op all[] = {
	{ .kind = OP_SET, .insn = 0, .rd = 5, .rs = NO, .rt = NO, .imm = INT64_MIN },
	{ .kind = OP_FORGET, .insn = 0, .rd = NO, .rs = NO, .rt = NO, .mask = 0xfffffffe },
	{ .kind = OP_ADD, .insn = 14, .rd = 31, .rs = 0, .rt = NO, .imm = -2048 },
	{ .kind = OP_SUM, .insn = 29, .rd = 1, .rs = 2, .rt = 3 },
	{ .kind = OP_LOAD,
	  .insn = 31,
	  .rd = 15,
	  .rs = 10,
	  .rt = NO,
	  .imm = 16,
	  .size = 3,
	  .is_signed = true,
	  .in_lane = true },
	{ .kind = OP_LOAD, .insn = 300, .rd = NO, .rs = 10, .rt = NO, .size = 4 },
	{ .kind = OP_STORE, .insn = 301, .rd = NO, .rs = 2, .rt = NO, .imm = -8 },
	{ .kind = OP_STORE,
	  .insn = UINT16_MAX,
	  .rd = NO,
	  .rs = 2,
	  .rt = 0,
	  .size = 2,
	  .in_lane = true },
};

enum { COUNT = sizeof(all) / sizeof(*all) };

/* By fields: between them there may be anything. */
static void assert_same(const struct value_op *is, const struct value_op *wanted)
{
	assert_int_equal(is->kind, wanted->kind);
	assert_int_equal(is->size, wanted->size);
	assert_int_equal(is->is_signed, wanted->is_signed);
	assert_int_equal(is->in_lane, wanted->in_lane);
	assert_int_equal(is->insn, wanted->insn);
	assert_int_equal(is->rd, wanted->rd);
	assert_int_equal(is->rs, wanted->rs);
	assert_int_equal(is->rt, wanted->rt);
	assert_int_equal(is->mask, wanted->mask);
	assert_int_equal(is->imm, wanted->imm);
}

static struct buf put_all(void)
{
	struct buf program = BUF_INIT;
	uint16_t insn = 0;

	for (size_t i = 0; i < COUNT; i++)
		value_op_put(&program, &all[i], &insn);
	assert_false(program.failed);
	return program;
}

static void as_they_were(void **state)
{
	struct buf program = put_all();
	struct span span = span_of(program.data, program.len);
	struct value_op op;
	uint16_t insn = 0;

	(void)state;
	for (size_t i = 0; i < COUNT; i++) {
		assert_true(value_op_get(&span, &op, &insn));
		assert_same(&op, &all[i]);
	}
	assert_false(value_op_get(&span, &op, &insn));
	assert_false(span.failed);
	buf_fini(&program);
}

/* The example of format/values.c. */
static void these_bytes(void **state)
{
	static const uint8_t bytes[] = { 0x2c, 0x0f, 0x0a, 0x0b, 0x20 };
	struct value_op op = all[4];
	struct buf program = BUF_INIT;
	uint16_t insn = 1;

	(void)state;
	op.insn = 3;
	value_op_put(&program, &op, &insn);
	assert_int_equal(insn, 3);
	assert_int_equal(program.len, sizeof(bytes));
	assert_memory_equal(program.data, bytes, sizeof(bytes));
	buf_fini(&program);
}

/* Wherever a program ends, the operation that is cut is malformed. */
static void cut_short(void **state)
{
	struct buf program = put_all();

	(void)state;
	for (size_t bytes = 0; bytes < program.len; bytes++) {
		struct span span = span_of(program.data, bytes);
		struct value_op op;
		uint16_t insn = 0;
		size_t n = 0;

		while (value_op_get(&span, &op, &insn))
			assert_same(&op, &all[n++]);
		assert_true(n < COUNT);
		/* Between two operations it is only shorter. */
		assert_true(span.failed || !span_left(&span));
	}
	buf_fini(&program);
}

static void malformed(void **state)
{
	static const struct {
		const char *why;
		uint8_t bytes[8];
		size_t n;
	} rows[] = {
		{ "no such kind", { 6, 1, 1, 1, 1 }, 5 },
		{ "x0 is forgotten", { 0, 1 }, 2 },
		{ "33 registers", { 0, 0x80, 0x80, 0x80, 0x80, 0x10 }, 6 },
		{ "x0 is set", { 1, 0, 2 }, 3 },
		{ "register 32 is set", { 1, 32, 2 }, 3 },
		{ "from register 32", { 2, 1, 32, 2 }, 4 },
		{ "and register 32", { 3, 1, 1, 32 }, 4 },
		{ "a sum in the lane", { 11, 1, 1, 1 }, 4 },
		{ "a load into x0", { 4, 0, 1, 0, 0 }, 5 },
		{ "at register 32", { 4, 1, 32, 0, 0 }, 5 },
		{ "32 bytes", { 4, 1, 1, 5, 0 }, 5 },
		{ "a flag too many", { 4, 1, 1, 0x13, 0 }, 5 },
		{ "a store's sign", { 5, 1, 1, 8, 0 }, 5 },
		{ "of register 33", { 5, 33, 1, 0, 0 }, 5 },
		{ "beyond 65535", { 0xf0, 0xf1, 0xff, 3, 0 }, 5 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct span span = span_of(rows[i].bytes, rows[i].n);
		struct value_op op;
		uint16_t insn = 0;

		if (value_op_get(&span, &op, &insn) || !span.failed)
			fail_msg("%s", rows[i].why);
	}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(as_they_were),
	cmocka_unit_test(these_bytes),
	cmocka_unit_test(cut_short),
	cmocka_unit_test(malformed),
};

int main(void)
{
	return cmocka_run_group_tests(tests, NULL, NULL);
}
