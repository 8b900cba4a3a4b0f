// SPDX-License-Identifier: GPL-2.0-or-later
/* out/json: nesting, commas, escapes, and bytes that are not UTF-8. */
#include "out/json.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

/* What json_quote() makes of `text` must be `expected`. */
static void check_quote(const char *text, const char *expected)
{
	char *got = NULL;
	size_t bytes = 0;
	FILE *out = open_memstream(&got, &bytes);

	assert_non_null(out);
	json_quote(out, text);
	fclose(out);
	assert_string_equal(got, expected);
	free(got);
}

static void test_escapes(void **state)
{
	(void)state;
	check_quote("", "\"\"");
	check_quote("a\"b\\c/", "\"a\\\"b\\\\c/\"");
	check_quote("\b\f\n\r\t", "\"\\b\\f\\n\\r\\t\"");
	check_quote("\x01\x1f\x7f", "\"\\u0001\\u001f\\u007f\"");
	check_quote("\xc2\x80\xc2\x9f\xc2\xa0", "\"\\u0080\\u009f\xc2\xa0\"");
}

/* Escapes are found wherever they lie in a word of eight bytes. */
static void test_places(void **state)
{
	static const char *const cases[][2] = {
		{ "\"", "\\\"" },      { "\\", "\\\\" },	   { "\x1f", "\\u001f" },
		{ "\x7f", "\\u007f" }, { "\xc3\xa9", "\xc3\xa9" }, { "!#[]", "!#[]" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		for (int before = 0; before < 20; before++) {
			char text[64], wanted[64];

			snprintf(text, sizeof(text), "%.*s%s%s", before,
				 "abcdefghijklmnopqrst", cases[i][0], "12345678901");
			snprintf(wanted, sizeof(wanted), "\"%.*s%s%s\"", before,
				 "abcdefghijklmnopqrst", cases[i][1], "12345678901");
			check_quote(text, wanted);
		}
}

static void test_utf8(void **state)
{
	(void)state;
	check_quote("\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80",
		    "\"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\"");
	check_quote("\xed\x9f\xbf\xee\x80\x80\xf4\x8f\xbf\xbf",
		    "\"\xed\x9f\xbf\xee\x80\x80\xf4\x8f\xbf\xbf\"");
}

#define BAD "\xef\xbf\xbd"

static void test_not_utf8(void **state)
{
	(void)state;
	check_quote("\x80", "\"" BAD "\"");
	check_quote("a\xff"
		    "b",
		    "\"a" BAD "b\"");
	check_quote("\xc0\xaf", "\"" BAD BAD "\"");		    /* overlong */
	check_quote("\xe0\x9f\xbf", "\"" BAD BAD BAD "\"");	    /* overlong */
	check_quote("\xed\xa0\x80", "\"" BAD BAD BAD "\"");	    /* surrogate */
	check_quote("\xf4\x90\x80\x80", "\"" BAD BAD BAD BAD "\""); /* beyond the end */
	check_quote("\xe2\x82", "\"" BAD BAD "\"");		    /* cut short */
	check_quote("\xf0\x9f\x98", "\"" BAD BAD BAD "\"");
	check_quote("\xc3\"", "\"" BAD "\\\"\"");
}

static void write_sample(struct json *json)
{
	json_object(json, NULL);
	json_string(json, "name", "x");
	json_string(json, "none", NULL);
	json_uint(json, "big", UINT64_MAX);
	json_int(json, "low", INT64_MIN);
	json_array(json, "list");
	json_bool(json, NULL, true);
	json_bool(json, NULL, false);
	json_object(json, NULL);
	json_close(json);
	json_real(json, NULL, 0.5, 3);
	json_real(json, NULL, NAN, 3);
	json_close(json);
	json_array(json, "empty");
	json_close(json);
	json_close(json);
}

static void check_sample(bool indented, const char *expected)
{
	char *got = NULL;
	size_t bytes = 0;
	struct json json;
	FILE *out = open_memstream(&got, &bytes);

	assert_non_null(out);
	json_init(&json, out, indented);
	write_sample(&json);
	fclose(out);
	assert_string_equal(got, expected);
	free(got);
}

static void test_compact(void **state)
{
	(void)state;
	check_sample(false, "{\"name\":\"x\",\"none\":null,\"big\":18446744073709551615,"
			    "\"low\":-9223372036854775808,"
			    "\"list\":[true,false,{},0.500,null],\"empty\":[]}\n");
}

static void test_indented(void **state)
{
	(void)state;
	check_sample(true, "{\n"
			   "  \"name\": \"x\",\n"
			   "  \"none\": null,\n"
			   "  \"big\": 18446744073709551615,\n"
			   "  \"low\": -9223372036854775808,\n"
			   "  \"list\": [\n"
			   "    true,\n"
			   "    false,\n"
			   "    {},\n"
			   "    0.500,\n"
			   "    null\n"
			   "  ],\n"
			   "  \"empty\": []\n"
			   "}\n");
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_escapes), cmocka_unit_test(test_utf8),
	cmocka_unit_test(test_places),	cmocka_unit_test(test_not_utf8),
	cmocka_unit_test(test_compact), cmocka_unit_test(test_indented),
};

int main(void)
{
	return cmocka_run_group_tests(tests, NULL, NULL);
}
