// SPDX-License-Identifier: GPL-2.0-or-later
/* base/intern: dense ids; equal means the same address and the same bytes, all of them. */
#include "base/intern.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static void test_equality(void **state)
{
	struct interner in = INTERNER_INIT;
	bool fresh;

	(void)state;
	assert_int_equal(intern_find(&in, 1, (const uint8_t *)"a", 1), 0);
	assert_int_equal(intern(&in, 0x1000, (const uint8_t *)"abcd", 4, &fresh), 1);
	assert_true(fresh);
	assert_int_equal(intern(&in, 0x1000, (const uint8_t *)"abcd", 4, &fresh), 1);
	assert_false(fresh);
	assert_int_equal(intern(&in, 0x1000, (const uint8_t *)"abcd", 3, &fresh), 2);
	assert_int_equal(intern(&in, 0x1001, (const uint8_t *)"abcd", 4, &fresh), 3);
	assert_int_equal(intern(&in, 0x1000, (const uint8_t *)"abce", 4, &fresh), 4);
	assert_int_equal(intern(&in, 0x1000, (const uint8_t *)"", 0, &fresh), 5);
	/* Trailing zeros are bytes like others. */
	assert_int_equal(intern(&in, 0, (const uint8_t *)"\1", 1, &fresh), 6);
	assert_int_equal(intern(&in, 0, (const uint8_t *)"\1\0", 2, &fresh), 7);
	assert_int_equal(intern(&in, 0, (const uint8_t *)"\1\0\0\0\0\0\0\0", 8, &fresh),
			 8);
	assert_int_equal(intern_find(&in, 0x1000, (const uint8_t *)"abce", 4), 4);
	assert_int_equal(intern_find(&in, 0x1002, (const uint8_t *)"abce", 4), 0);
	/* Apart: it finds nothing, and is not found. */
	assert_int_equal(intern_apart(&in, 0x1000, (const uint8_t *)"abce", 4, &fresh),
			 9);
	assert_true(fresh);
	assert_int_equal(intern_apart(&in, 0x1000, (const uint8_t *)"abce", 4, &fresh),
			 10);
	assert_int_equal(intern(&in, 0x1000, (const uint8_t *)"abce", 4, &fresh), 4);
	assert_int_equal(intern_find(&in, 0x1000, (const uint8_t *)"abce", 4), 4);
	interner_fini(&in);
	assert_int_equal(in.count, 0);
}

/* The code of piece i, of 1 to 20 bytes. */
static uint32_t piece(uint32_t i, uint8_t code[20])
{
	memset(code, 0, 20);
	memcpy(code, &i, sizeof(i));
	return 4 + i % 17;
}

static void test_many(void **state)
{
	enum { MANY = 100000 };
	struct interner in = INTERNER_INIT;
	uint8_t code[20];
	bool fresh;

	(void)state;
	for (unsigned round = 0; round < 2; round++)
		for (uint32_t i = 0; i < MANY; i++) {
			uint32_t bytes = piece(i / 2, code);

			assert_int_equal(intern(&in, i % 2, code, bytes, &fresh), i + 1);
			assert_int_equal(fresh, round == 0);
		}
	for (uint32_t i = 0; i < MANY; i++) {
		uint32_t bytes = piece(i / 2, code);

		assert_int_equal(intern_find(&in, i % 2, code, bytes), i + 1);
		assert_int_equal(intern_find(&in, 2, code, bytes), 0);
	}
	interner_fini(&in);
}

/* What the caller does with its bytes afterwards does not matter. */
static void test_copies(void **state)
{
	struct interner in = INTERNER_INIT;
	uint8_t code[] = "abcdefghij";
	bool fresh;

	(void)state;
	assert_int_equal(intern(&in, 7, code, 10, &fresh), 1);
	memset(code, 'x', sizeof(code));
	assert_int_equal(intern_find(&in, 7, (const uint8_t *)"abcdefghij", 10), 1);
	assert_int_equal(intern_find(&in, 7, code, 10), 0);
	interner_fini(&in);
}

/* Copies stay where they are, apart, aligned, and whole, of whatever size they are. */
static void test_places(void **state)
{
	static const uint32_t sizes[] = { 0, 1, 7, 8, 9, 1000, 30, 300000, 5, 600000, 1 };
	enum { SIZES = sizeof(sizes) / sizeof(*sizes) };
	static uint8_t code[600000];
	struct interner in = INTERNER_INIT;
	const uint8_t *at[SIZES];
	uint64_t address;
	uint32_t bytes;
	bool fresh;

	(void)state;
	for (uint32_t i = 0; i < SIZES; i++) {
		memset(code, (int)i + 1, sizes[i]);
		assert_int_equal(intern(&in, i, code, sizes[i], &fresh), i + 1);
		at[i] = intern_code(&in, i + 1, &address, &bytes);
		assert_int_equal((uintptr_t)at[i] % 8, 0);
	}
	for (uint32_t i = 0; i < SIZES; i++) {
		assert_ptr_equal(intern_code(&in, i + 1, &address, &bytes), at[i]);
		assert_int_equal(address, i);
		assert_int_equal(bytes, sizes[i]);
		for (uint32_t j = 0; j < bytes; j++)
			assert_int_equal(at[i][j], i + 1);
	}
	interner_fini(&in);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_equality),
	cmocka_unit_test(test_many),
	cmocka_unit_test(test_copies),
	cmocka_unit_test(test_places),
};

int main(void)
{
	return cmocka_run_group_tests_name("intern", tests, NULL, NULL);
}
