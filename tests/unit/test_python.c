// SPDX-License-Identifier: GPL-2.0-or-later
/* CPython's bytecodes: names, lengths with caches, and what one does for another. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "isa/python.h"

/* s += x; out.append(c) and its POP_TOP; a wide operand. */
static const uint8_t add[] = { 45, 13, 0, 0, 110, 1, 85, 0 };
static const uint8_t call[] = { 53, 1, 0, 0, 0, 0, 0, 0, 32, 0, 103, 0 };
static const uint8_t wide[] = { 71, 1, 83, 4 };

static void test_opcodes(void **state)
{
	(void)state;
	assert_string_equal(python_name(149), "RESUME");
	assert_null(python_name(200));
	assert_int_equal(python_length(add, sizeof(add), 0), 4);
	assert_int_equal(python_length(call, sizeof(call), 0), 8);
	assert_int_equal(python_length(add, 3, 0), 0);
	assert_int_equal(python_length(add, sizeof(add), 8), 0);
}

static void test_two_at_once(void **state)
{
	(void)state;
	assert_true(python_swallows(add, sizeof(add), 0));
	assert_false(python_swallows(add, sizeof(add), 4));
	assert_false(python_swallows(add, 5, 0));
	assert_true(python_swallows(call, sizeof(call), 0));
	assert_true(python_extends(wide, sizeof(wide), 0));
	assert_false(python_extends(wide, 2, 0));
	assert_false(python_extends(wide, sizeof(wide), 2));
}

/* A generator: RETURN_GENERATOR, POP_TOP, RESUME, ..., YIELD_VALUE, RESUME, RETURN_CONST. */
static void test_frames(void **state)
{
	static const uint8_t code[] = { 35, 0, 32, 0, 149, 0, 118, 0, 149, 5, 103, 0 };
	static const bool enters[] = { true, true, false, false, true, false };
	static const bool leaves[] = { true, false, false, true, false, true };

	(void)state;
	assert_string_equal(python_name(118), "YIELD_VALUE");
	assert_string_equal(python_name(103), "RETURN_CONST");
	for (size_t i = 0; i < 6; i++) {
		assert_int_equal(python_enters(code, sizeof(code), 2 * i), enters[i]);
		assert_int_equal(python_leaves(code, sizeof(code), 2 * i), leaves[i]);
	}
	assert_false(python_leaves(code, 1, 0));
}

/* MAKE_CELL, COPY_FREE_VARS, RESUME, MAKE_CELL, RETURN_CONST; the last but one is a comprehension's. */
static void test_begins(void **state)
{
	static const uint8_t code[] = { 94, 0, 62, 1, 149, 0, 94, 1, 103, 0 };

	(void)state;
	assert_string_equal(python_name(94), "MAKE_CELL");
	assert_string_equal(python_name(62), "COPY_FREE_VARS");
	assert_int_equal(python_begins(code, sizeof(code)), 4);
	assert_int_equal(python_begins(code + 4, sizeof(code) - 4), 0);
	assert_int_equal(python_begins(code, 3), 2);
	for (size_t i = 0; i < 5; i++)
		assert_int_equal(python_repeats(code, sizeof(code), 2 * i), i == 2);
	assert_false(python_repeats(code, 5, 4));
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_opcodes),
		cmocka_unit_test(test_two_at_once),
		cmocka_unit_test(test_frames),
		cmocka_unit_test(test_begins),
	};

	return cmocka_run_group_tests_name("python", tests, NULL, NULL);
}
