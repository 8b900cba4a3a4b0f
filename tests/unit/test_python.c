// SPDX-License-Identifier: GPL-2.0-or-later
/* CPython's bytecodes: names, lengths with caches, and what one does for another. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "isa/python_operands.h"

/* s += x; out.append(c) and its POP_TOP; a wide operand. */
static const uint8_t add[] = { 45, 13, 0, 0, 110, 1, 85, 0 };
static const uint8_t call[] = { 53, 1, 0, 0, 0, 0, 0, 0, 32, 0, 103, 0 };
static const uint8_t wide[] = { 71, 1, 83, 4 };

static const struct python *release(const char *version)
{
	return python_find((const uint8_t *)version, strlen(version));
}

/* The opcode of that name. */
static uint8_t opcode(const struct python *python, const char *name)
{
	for (unsigned i = 0; i < 256; i++) {
		const char *its = python_name(python, (uint8_t)i);

		if (its && !strcmp(its, name))
			return (uint8_t)i;
	}
	fail_msg("there is no %s", name);
	return 0;
}

static void test_releases(void **state)
{
	(void)state;
	assert_non_null(release("3.13.5"));
	assert_ptr_not_equal(release("3.13.5"), release("3.14.0rc1"));
	assert_null(release("3.12.9"));
	assert_null(release("3.1"));
	assert_null(release("3.13"));
	assert_null(release("3.140.1"));
	assert_null(python_find(NULL, 0));
	assert_int_equal(opcode(release("3.14.2"), "RESUME"), 128);
}

static void test_opcodes(void **state)
{
	const struct python *python = release("3.13.5");

	(void)state;
	assert_string_equal(python_name(python, 149), "RESUME");
	assert_null(python_name(python, 200));
	assert_int_equal(python_length(python, add, sizeof(add), 0), 4);
	assert_int_equal(python_length(python, call, sizeof(call), 0), 8);
	assert_int_equal(python_length(python, add, 3, 0), 0);
	assert_int_equal(python_length(python, add, sizeof(add), 8), 0);
}

static void test_two_at_once(void **state)
{
	const struct python *python = release("3.13.5");

	(void)state;
	assert_true(python_swallows(python, add, sizeof(add), 0));
	assert_false(python_swallows(python, add, sizeof(add), 4));
	assert_false(python_swallows(python, add, 5, 0));
	assert_true(python_swallows(python, call, sizeof(call), 0));
	assert_true(python_extends(python, wide, sizeof(wide), 0));
	assert_false(python_extends(python, wide, 2, 0));
	assert_false(python_extends(python, wide, sizeof(wide), 2));
}

/* A generator: RETURN_GENERATOR, POP_TOP, RESUME, ..., YIELD_VALUE, RESUME, RETURN_CONST. */
static void test_frames(void **state)
{
	static const uint8_t code[] = { 35, 0, 32, 0, 149, 0, 118, 0, 149, 5, 103, 0 };
	static const bool enters[] = { true, true, false, false, true, false };
	static const bool leaves[] = { true, false, false, true, false, true };
	const struct python *python = release("3.13.5");

	(void)state;
	assert_string_equal(python_name(python, 118), "YIELD_VALUE");
	assert_string_equal(python_name(python, 103), "RETURN_CONST");
	for (size_t i = 0; i < 6; i++) {
		assert_int_equal(python_enters(python, code, sizeof(code), 2 * i),
				 enters[i]);
		assert_int_equal(python_leaves(python, code, sizeof(code), 2 * i),
				 leaves[i]);
	}
	assert_false(python_leaves(python, code, 1, 0));
}

/* MAKE_CELL, COPY_FREE_VARS, RESUME, MAKE_CELL, RETURN_CONST; the last but one is a comprehension's. */
static void test_begins(void **state)
{
	static const uint8_t code[] = { 94, 0, 62, 1, 149, 0, 94, 1, 103, 0 };
	const struct python *python = release("3.13.5");

	(void)state;
	assert_string_equal(python_name(python, 94), "MAKE_CELL");
	assert_string_equal(python_name(python, 62), "COPY_FREE_VARS");
	assert_int_equal(python_begins(python, code, sizeof(code)), 4);
	assert_int_equal(python_begins(python, code + 4, sizeof(code) - 4), 0);
	assert_int_equal(python_begins(python, code, 3), 2);
	for (size_t i = 0; i < 5; i++)
		assert_int_equal(python_repeats(python, code, sizeof(code), 2 * i),
				 i == 2);
	assert_false(python_repeats(python, code, 5, 4));
}

/* A loop's end, and what a branch that is not taken skips. */
static void check_branches(const char *version, unsigned behind_loop, unsigned not_taken)
{
	const struct python *python = release(version);
	uint8_t code[24] = { opcode(python, "EXTENDED_ARG"), 0,
			     opcode(python, "FOR_ITER"), 4 };
	struct python_ways ways;

	code[14] = opcode(python, "END_FOR");
	code[16] = opcode(python, "POP_JUMP_IF_TRUE");
	code[17] = 1;
	code[20] = not_taken ? opcode(python, "NOT_TAKEN") : opcode(python, "NOP");
	code[22] = opcode(python, "NOP");
	assert_true(python_branches(python, code, sizeof(code), 2, &ways));
	assert_int_equal(ways.next, 6);
	assert_int_equal(ways.also_next, 6);
	assert_int_equal(ways.target, 14 + 2 + behind_loop);
	assert_int_equal(ways.also_target, 14);
	assert_true(python_branches(python, code, sizeof(code), 16, &ways));
	assert_int_equal(ways.next, 20 + not_taken);
	assert_int_equal(ways.also_next, 20);
	assert_int_equal(ways.target, 22);
	assert_int_equal(ways.also_target, 22);
	assert_false(python_branches(python, code, sizeof(code), 22, &ways));
	assert_false(python_branches(python, code, 18, 16, &ways));
	code[1] = 1; /* 256 units further */
	assert_true(python_branches(python, code, sizeof(code), 2, &ways));
	assert_int_equal(ways.target, 14 + 512);
}

static void test_branches(void **state)
{
	(void)state;
	check_branches("3.13.5", 2, 0);
	check_branches("3.14.2", 0, 2);
}

/* The text of two bytes, the last of code[bytes]; of its entries it has these names. */
static void check_text(const char *version, const char *name, uint8_t operand,
		       const char *first, const char *second, const char *want)
{
	const struct python *python = release(version);
	const char *const names[] = { first, second };
	uint8_t code[32] = { opcode(python, name), operand };
	char text[64];
	int n = python_operand_text(python, code, sizeof(code), 0, names, text,
				    sizeof(text));

	assert_string_equal(text, want);
	assert_int_equal(n, strlen(want));
	python_operand_text(python, code, sizeof(code), 0, names, text, 3);
	assert_true(strlen(text) < 3);
}

static void test_operands(void **state)
{
	(void)state;
	check_text("3.13.5", "LOAD_GLOBAL", 3, "fib", NULL, " fib + NULL");
	check_text("3.13.5", "LOAD_GLOBAL", 3, NULL, NULL, " 3");
	check_text("3.13.5", "LOAD_FAST_LOAD_FAST", 0x12, "a", "b", " a, b");
	check_text("3.13.5", "LOAD_FAST_LOAD_FAST", 0x12, "a", NULL, " 18");
	check_text("3.13.5", "COMPARE_OP", 18, NULL, NULL, " bool(<)");
	check_text("3.13.5", "COMPARE_OP", 0xf8, NULL, NULL, " 248");
	check_text("3.13.5", "BINARY_OP", 25, NULL, NULL, " ^=");
	check_text("3.14.2", "BINARY_OP", 26, NULL, NULL, " []");
	check_text("3.14.2", "BINARY_OP", 27, NULL, NULL, " 27");
	check_text("3.13.5", "SET_FUNCTION_ATTRIBUTE", 9, NULL, NULL,
		   " defaults, closure");
	check_text("3.13.5", "JUMP_FORWARD", 5, NULL, NULL, " 12");
	check_text("3.13.5", "RETURN_VALUE", 5, NULL, NULL, "");
	check_text("3.13.5", "CALL", 2, NULL, NULL, " 2");
	/* From one release to another. */
	check_text("3.13.5", "END_ASYNC_FOR", 1, NULL, NULL, "");
	check_text("3.14.2", "END_ASYNC_FOR", 1, NULL, NULL, " 0");
	check_text("3.14.2", "IMPORT_NAME", 1, "os", NULL, " os");
	check_text("3.15.0", "IMPORT_NAME", 1, "os", NULL, " os + lazy");
}

/* EXTENDED_ARG's byte is above the operand's own. */
static void test_entries(void **state)
{
	const struct python *python = release("3.13.5");
	const uint8_t code[] = { opcode(python, "EXTENDED_ARG"), 1,
				 opcode(python, "LOAD_CONST"), 4 };
	struct python_entry entries[2];

	(void)state;
	assert_int_equal(python_entries(python, code, 4, 2, entries), 1);
	assert_int_equal(entries[0].table, PYTHON_CONSTANTS);
	assert_int_equal(entries[0].number, 260);
	assert_int_equal(python_entries(python, code, 4, 0, entries), 0);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_releases),    cmocka_unit_test(test_opcodes),
		cmocka_unit_test(test_two_at_once), cmocka_unit_test(test_frames),
		cmocka_unit_test(test_begins),	    cmocka_unit_test(test_branches),
		cmocka_unit_test(test_operands),    cmocka_unit_test(test_entries),
	};

	return cmocka_run_group_tests_name("python", tests, NULL, NULL);
}
