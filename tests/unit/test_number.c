// SPDX-License-Identifier: GPL-2.0-or-later
/* cli/number and cli/ordinal: numbers read from and written for people. */
#include "cli/list/ordinal.h"
#include "out/number.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static void test_parse(void **state)
{
	static const char *const wrong[] = {
		"",
		" 1",
		"1 ",
		"-1",
		"+1",
		"1.5",
		"0x",
		"0xg",
		"12a",
		"x",
		"1,000",
		"18446744073709551616",
		"0x10000000000000000",
	};
	uint64_t value = 7;

	(void)state;
	assert_true(number_parse("0", &value) && value == 0);
	assert_true(number_parse("0019", &value) && value == 19);
	assert_true(number_parse("0x1F", &value) && value == 31);
	assert_true(number_parse("18446744073709551615", &value) && value == UINT64_MAX);
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++)
		assert_false(number_parse(wrong[i], &value));
}

static void test_parse_bytes(void **state)
{
	static const char *const wrong[] = { "",
					     "k",
					     "K",
					     "1kk",
					     "1 k",
					     "m",
					     "-1k",
					     "1.5M",
					     "1,2",
					     ",123",
					     "1234,567",
					     "1,2345",
					     "1,234,",
					     "0x1,234",
					     "18446744073709551615k",
					     "0000000000000000000000000000000000001" };
	uint64_t value = 7;

	(void)state;
	assert_true(number_parse_bytes("0", &value) && value == 0);
	assert_true(number_parse_bytes("12", &value) && value == 12);
	assert_true(number_parse_bytes("500k", &value) && value == 500000);
	assert_true(number_parse_bytes("500K", &value) && value == 500000);
	assert_true(number_parse_bytes("16M", &value) && value == 16000000);
	assert_true(number_parse_bytes("0x10G", &value) && value == 16000000000);
	assert_true(number_parse_bytes("19,355", &value) && value == 19355);
	assert_true(number_parse_bytes("1,234,567k", &value) && value == 1234567000);
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++)
		assert_false(number_parse_bytes(wrong[i], &value));
}

static void digits_alone_are_those_of_printf(void **state)
{
	static const uint64_t values[] = { 0, 9, 10, 0xf, 0x10400, 1234567, UINT64_MAX };
	char text[NUMBER_TEXT], expected[NUMBER_TEXT];

	(void)state;
	for (size_t i = 0; i < sizeof(values) / sizeof(*values); i++) {
		snprintf(expected, sizeof(expected), "%" PRIu64, values[i]);
		assert_int_equal(number_digits(text, values[i]), strlen(expected));
		assert_string_equal(text, expected);
		snprintf(expected, sizeof(expected), "0x%" PRIx64, values[i]);
		assert_string_equal(number_address(text, values[i]), expected);
	}
}

static void test_grouped(void **state)
{
	char text[NUMBER_TEXT];

	(void)state;
	assert_string_equal(number_real(text, 0.125), "0.12");
	assert_string_equal(number_real(text, 999.994), "999.99");
	assert_string_equal(number_real(text, 1234.5), "1,234.50");
	assert_string_equal(number_real(text, -1234.5), "-1234.50");
	assert_string_equal(number_real(text, 1664580), "1,664,580.00");
	assert_string_equal(number_grouped(text, 0), "0");
	assert_string_equal(number_grouped(text, 999), "999");
	assert_string_equal(number_grouped(text, 1000), "1,000");
	assert_string_equal(number_grouped(text, 1234567), "1,234,567");
	assert_string_equal(number_grouped(text, UINT64_MAX),
			    "18,446,744,073,709,551,615");
}

static void test_bytes(void **state)
{
	char text[NUMBER_TEXT];

	(void)state;
	assert_string_equal(number_bytes(text, 1), "1 byte");
	assert_string_equal(number_bytes(text, 999), "999 bytes");
	assert_string_equal(number_bytes(text, 1000), "1.0 kB");
	assert_string_equal(number_bytes(text, 12345), "12 kB");
	assert_string_equal(number_bytes(text, 999499), "999 kB");
	assert_string_equal(number_bytes(text, 999500), "1.0 MB");
	assert_string_equal(number_bytes(text, UINT64_MAX), "18 EB");
}

static void test_seconds_and_ratio(void **state)
{
	char text[NUMBER_TEXT];

	(void)state;
	assert_string_equal(number_seconds(text, 0.0123), "0.012 s");
	assert_string_equal(number_seconds(text, 3.456), "3.46 s");
	assert_string_equal(number_seconds(text, 119.4), "119.4 s");
	assert_string_equal(number_seconds(text, 307), "5 min 7 s");
	assert_string_equal(number_ratio(text, 100, 0), "0");
	assert_string_equal(number_ratio(text, 1000, 8000), "1");
	assert_string_equal(number_ratio(text, 12345, 1000000), "0.0988");
	assert_string_equal(number_ratio(text, 11000, 400000000), "0.00022");
	assert_string_equal(number_ratio(text, 400, 400000000), "0.0000080");
	assert_string_equal(number_ratio(text, 40000, 2), "160000");
}

/* Counting on gives what starting there gives, widths and carries included. */
static void test_ordinal(void **state)
{
	struct ordinal counted, made;

	(void)state;
	for (unsigned width = 0; width < 8; width += 3) {
		ordinal_init(&counted, 0, width);
		for (uint64_t i = 0; i < 12000; i++) {
			ordinal_init(&made, i, width);
			assert_int_equal(counted.used, made.used);
			assert_memory_equal(ordinal_text(&counted), ordinal_text(&made),
					    made.used);
			ordinal_next(&counted);
		}
	}
	ordinal_init(&counted, 99999999999999ull, 10);
	ordinal_next(&counted);
	assert_int_equal(counted.used, 15);
	assert_memory_equal(ordinal_text(&counted), "100000000000000", 15);
	ordinal_init(&counted, UINT64_MAX, 10);
	assert_memory_equal(ordinal_text(&counted), "18446744073709551615", 20);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_parse),
	cmocka_unit_test(test_parse_bytes),
	cmocka_unit_test(test_grouped),
	cmocka_unit_test(digits_alone_are_those_of_printf),
	cmocka_unit_test(test_bytes),
	cmocka_unit_test(test_seconds_and_ratio),
	cmocka_unit_test(test_ordinal),
};

int main(void)
{
	return cmocka_run_group_tests(tests, NULL, NULL);
}
