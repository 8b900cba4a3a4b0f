// SPDX-License-Identifier: GPL-2.0-or-later
/* managed/operands: what notes say that operands name, and what is shown where they say nothing. */
#include "managed/operands.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define DATA(bytes) (const uint8_t *)(bytes), sizeof(bytes) - 1

struct given {
	uint32_t space, kind;
	const uint8_t *data;
	size_t bytes;
};

static struct units units;
static struct operands operands;

static int read_notes(const struct given *given, size_t n)
{
	struct wm_error err;

	units.notes.left = UINT64_MAX;
	units.notes.notes = calloc(n, sizeof(*units.notes.notes));
	assert_non_null(units.notes.notes);
	units.notes.n = n;
	for (size_t i = 0; i < n; i++)
		units.notes.notes[i] = (struct trace_note){ .space = given[i].space,
							    .kind = given[i].kind,
							    .data = given[i].data,
							    .bytes = given[i].bytes };
	assert_int_equal(units_take(&units, &err), 0);
	return operands_read(&operands, &units, &err);
}

static int forget(void **state)
{
	(void)state;
	operands_fini(&operands);
	units_fini(&units);
	return 0;
}

static void shows(uint64_t start, uint32_t offset, const char *want)
{
	const struct unit *unit = units_find(&units, 0, start, units.notes.n);
	char text[64];

	assert_non_null(unit);
	operands_text(&operands, unit, offset, text, sizeof(text));
	assert_string_equal(text, want);
	/* However little room there is. */
	for (size_t size = 1; size < 16; size++) {
		operands_text(&operands, unit, offset, text, size);
		assert_true(strlen(text) < size);
	}
}

/* LOAD_FAST 0, LOAD_CONST 1 */
#define PYTHON_CODE "\x55\0\x53\1"
static const struct given python[] = {
	{ 0, NOTE_RUNTIME, DATA("\7CPython\0063.13.5\0") },
	/* Units at 0x10 and 0x20 with the same code. */
	{ 0, NOTE_UNIT,
	  DATA("\x10\4\1f\0\0\0\0" PYTHON_CODE "\x20\4\1g\0\0\0\0" PYTHON_CODE) },
	/* Of 0x10: constant 1 "2", variable 0 "n". */
	{ 0, NOTE_OPERANDS, DATA("\x10\0\2\1\1\1\0012\3\1\0\1n") },
};

static void test_names(void **state)
{
	(void)state;
	assert_int_equal(read_notes(python, 3), 0);
	shows(0x10, 0, "LOAD_FAST n");
	shows(0x10, 2, "LOAD_CONST 2");
	/* Nobody told of these. */
	shows(0x20, 0, "LOAD_FAST 0");
	shows(0x20, 2, "LOAD_CONST 1");
	shows(0x10, 1, "0");
}

/* A trace without such notes, as older ones are. */
static void test_without(void **state)
{
	(void)state;
	assert_int_equal(read_notes(python, 2), 0);
	shows(0x10, 0, "LOAD_FAST 0");
	shows(0x10, 2, "LOAD_CONST 1");
}

/* getfield 5; ldc 7; multianewarray 6 2; newarray long */
static const struct given java[] = {
	{ 0, NOTE_RUNTIME, DATA("\7hotspot\0\0") },
	{ 0, NOTE_UNIT,
	  DATA("\x10\013\3B.f\0\0\0\0\xb4\0\5\x12\7\xc5\0\6\2\xbc\013"
	       "\x20\2\3B.g\0\0\0\0\x12\7") },
	/* Entries 5, 6 and 7 of all units of that note. */
	{ 0, NOTE_OPERANDS, DATA("\x10\1\1\1\3\5\5B.x:J\1\3[[I\1\3\"a\"") },
};

static void test_constants(void **state)
{
	(void)state;
	assert_int_equal(read_notes(java, 3), 0);
	shows(0x10, 0, "getfield B.x:J");
	shows(0x10, 3, "ldc \"a\"");
	shows(0x10, 5, "multianewarray [[I 2");
	shows(0x10, 9, "newarray long");
	shows(0x20, 0, "ldc \"a\"");
	forget(state);
	/* Without them an operand of a field is HotSpot's, and says nothing. */
	assert_int_equal(read_notes(java, 2), 0);
	shows(0x10, 0, "getfield");
	shows(0x10, 5, "multianewarray 6 2");
}

static void test_malformed(void **state)
{
	static const struct given bad[] = {
		{ 0, NOTE_OPERANDS, DATA("\x10\0\2\1\1\1\0012\3\1\0\2n") },
		{ 0, NOTE_OPERANDS, DATA("\x10\0\1\1\2\1\0\xff\xff\xff\xff\xf\0") },
		{ 0, NOTE_OPERANDS, DATA("\x10\2\0") },
	};

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		assert_int_equal(read_notes(&bad[i], 1), WM_E_DAMAGED);
		forget(state);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(test_names, forget),
		cmocka_unit_test_teardown(test_without, forget),
		cmocka_unit_test_teardown(test_constants, forget),
		cmocka_unit_test(test_malformed),
	};

	return cmocka_run_group_tests_name("operands", tests, NULL, NULL);
}
