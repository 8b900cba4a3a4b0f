// SPDX-License-Identifier: GPL-2.0-or-later
/* isa/jvm: lengths and targets of bytecodes, also of those that do not lie in their method. */
#include "isa/jvm.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static void test_names(void **state)
{
	(void)state;
	assert_string_equal(jvm_name(0), "nop");
	assert_string_equal(jvm_name(96), "iadd");
	assert_string_equal(jvm_name(201), "jsr_w");
	assert_null(jvm_name(202));
	assert_int_equal(jvm_kind(0xac), JVM_RETURN);
	assert_int_equal(jvm_kind(0xb8), JVM_CALL);
	assert_int_equal(jvm_kind(0xbf), JVM_THROW);
	assert_int_equal(jvm_kind(255), JVM_PLAIN);
}

static void test_lengths(void **state)
{
	const uint8_t code[] = { 0x1a, 0x10, 7,	   0xc4, 0x84, 1, 0,
				 2,    0,    0xc4, 0x15, 1,    0, 203 };

	(void)state;
	assert_int_equal(jvm_length(code, sizeof(code), 0), 1);
	assert_int_equal(jvm_length(code, sizeof(code), 1), 2);
	assert_int_equal(jvm_length(code, 2, 1), 0);
	assert_int_equal(jvm_length(code, sizeof(code), 3), 6);
	assert_int_equal(jvm_length(code, sizeof(code), 9), 4);
	assert_int_equal(jvm_length(code, sizeof(code), 13), 0);
	assert_int_equal(jvm_length(code, sizeof(code), 14), 0);
}

static bool leads(const uint8_t *code, size_t bytes, size_t at, size_t i, int64_t to)
{
	int64_t target;

	return jvm_target(code, bytes, at, i, &target) && target == to;
}

/* A tableswitch at 1, of the keys 5 to 6. */
static void test_table(void **state)
{
	const uint8_t code[] = { 0, 0xaa, 0, 0, 0, 0, 0, 40, 0,	   0,	 0,    5,
				 0, 0,	  0, 6, 0, 0, 0, 30, 0xff, 0xff, 0xff, 0xff };

	(void)state;
	assert_int_equal(jvm_length(code, sizeof(code), 1), 23);
	assert_int_equal(jvm_length(code, sizeof(code) - 1, 1), 0);
	assert_true(leads(code, sizeof(code), 1, 0, 41));
	assert_true(leads(code, sizeof(code), 1, 1, 31));
	assert_true(leads(code, sizeof(code), 1, 2, 0));
	assert_false(leads(code, sizeof(code), 1, 3, 0));
}

/* A lookupswitch at 0 of one key, and one of none. */
static void test_lookup(void **state)
{
	const uint8_t one[] = { 0xab, 0, 0, 0, 0, 0, 0, 20, 0, 0,
				0,    1, 0, 0, 0, 9, 0, 0,  0, 24 };
	const uint8_t none[] = { 0xab, 0, 0, 0, 0, 0, 0, 20, 0, 0, 0, 0, 0 };
	const uint8_t many[] = { 0xab, 0, 0, 0, 0, 0, 0, 20, 0x7f, 0xff, 0xff, 0xff, 0 };

	(void)state;
	assert_int_equal(jvm_length(one, sizeof(one), 0), 20);
	assert_true(leads(one, sizeof(one), 0, 0, 20));
	assert_true(leads(one, sizeof(one), 0, 1, 24));
	assert_false(leads(one, sizeof(one), 0, 2, 24));
	assert_int_equal(jvm_length(none, 12, 0), 12);
	assert_true(leads(none, 12, 0, 0, 20));
	assert_int_equal(jvm_length(many, sizeof(many), 0), 0);
	assert_false(leads(many, sizeof(many), 0, 0, 20));
}

static void test_branches(void **state)
{
	const uint8_t code[] = { 0x99, 0, 9, 0xa7, 0xff, 0xfd, 0xc8, 0, 0, 1, 0, 0x60 };

	(void)state;
	assert_true(leads(code, sizeof(code), 0, 0, 9));
	assert_true(leads(code, sizeof(code), 3, 0, 0));
	assert_true(leads(code, sizeof(code), 6, 0, 262));
	assert_false(leads(code, sizeof(code), 0, 1, 9));
	assert_false(leads(code, sizeof(code), 11, 0, 12));
}

static bool reads(const uint8_t *code, size_t bytes, size_t at, const char *want)
{
	char text[256];
	int n = jvm_operands(code, bytes, at, jvm_length(code, bytes, at), text,
			     sizeof(text));

	return n == (int)strlen(want) && !strcmp(text, want);
}

/* bipush -1; sipush -2; iinc 200 -3; ldc 200; getstatic 40000; goto -11; iadd; new 300 */
static void test_operands(void **state)
{
	const uint8_t code[] = { 0x10, 0xff, 0x11, 0xff, 0xfe, 0x84, 200,
				 0xfd, 0x12, 200,  0xb2, 0x9c, 0x40, 0xa7,
				 0xff, 0xf5, 0x60, 0xbb, 0x01, 0x2c };

	(void)state;
	assert_true(reads(code, sizeof(code), 0, " -1"));
	assert_true(reads(code, sizeof(code), 2, " -2"));
	assert_true(reads(code, sizeof(code), 5, " 200 -3"));
	assert_true(reads(code, sizeof(code), 8, ""));
	assert_true(reads(code, sizeof(code), 10, ""));
	assert_true(reads(code, sizeof(code), 13, " 2"));
	assert_true(reads(code, sizeof(code), 16, ""));
	assert_true(reads(code, sizeof(code), 17, " 300"));
}

static int64_t constant(const uint8_t *code, size_t bytes, size_t at)
{
	uint32_t index;

	return jvm_constant(code, bytes, at, &index) ? (int64_t)index : -1;
}

/* ldc 200; getstatic 40000; invokevirtual 1; invokedynamic 300; newarray long; ldc2_w cut short */
static void test_constants(void **state)
{
	const uint8_t code[] = { 0x12, 200,  0xb2, 0x9c, 0x40, 0xb6, 0,	   1, 0xba,
				 0x01, 0x2c, 0,	   0,	 0xbc, 11,   0x14, 0 };

	(void)state;
	assert_int_equal(constant(code, sizeof(code), 0), 200);
	assert_int_equal(constant(code, sizeof(code), 2), 40000);
	assert_int_equal(constant(code, sizeof(code), 5), -1);
	assert_int_equal(constant(code, sizeof(code), 8), 300);
	assert_int_equal(constant(code, sizeof(code), 13), -1);
	assert_true(reads(code, sizeof(code), 13, " long"));
	assert_int_equal(constant(code, sizeof(code), 15), -1);
}

/* Byte by byte: opcode and padding, default, then low and high and targets, or pairs. */
static void test_switches(void **state)
{
	const uint8_t dense[] = { 0xaa, 0, 0, 0, 0, 0, 0, 100, 0xff, 0xff, 0xff, 0xff,
				  0,	0, 0, 0, 0, 0, 0, 30,  0,    0,	   0,	 20 };
	const uint8_t sparse[] = { 0xab, 0, 0, 0, 0, 0, 0, 100, 0, 0,
				   0,	 1, 0, 0, 1, 0, 0, 0,	0, 40 };
	uint8_t many[16 + 4 * 20] = { 0xaa, [15] = 19 };

	(void)state;
	assert_true(reads(dense, sizeof(dense), 0, " -1: 30, 0: 20, default: 100"));
	assert_true(reads(sparse, sizeof(sparse), 0, " 256: 40, default: 100"));
	assert_true(reads(many, sizeof(many), 0,
			  " 0: 0, 1: 0, 2: 0, 3: 0, 4: 0, 5: 0, 6: 0, 7: 0, 12 more, "
			  "default: 0"));
	assert_true(reads(many, sizeof(many) - 1, 0, ""));
}

/* wide iinc 258 -2; wide iload 258; multianewarray 258 2 */
static void test_wide_operands(void **state)
{
	const uint8_t code[] = { 0xc4, 0x84, 1, 2,    0xff, 0xfe, 0xc4,
				 0x15, 1,    2, 0xc5, 1,    2,	  2 };

	(void)state;
	assert_true(reads(code, sizeof(code), 0, " iinc 258 -2"));
	assert_true(reads(code, sizeof(code), 6, " iload 258"));
	assert_true(reads(code, sizeof(code), 10, " 258 2"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),	  cmocka_unit_test(test_lengths),
		cmocka_unit_test(test_table),	  cmocka_unit_test(test_lookup),
		cmocka_unit_test(test_branches),  cmocka_unit_test(test_operands),
		cmocka_unit_test(test_constants), cmocka_unit_test(test_wide_operands),
		cmocka_unit_test(test_switches),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
