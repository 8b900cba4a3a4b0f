// SPDX-License-Identifier: GPL-2.0-or-later
/* out/table: order, columns, shares that add up, and the three forms to the byte. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "out/table.h"

static const struct table_column columns[] = {
	{ "insns", "instructions", TABLE_COUNT, false },
	{ "share", "share", TABLE_SHARE, false },
	{ "running", "sum", TABLE_RUNNING, false },
	{ "name", "function", TABLE_TEXT, false },
	{ "start", "start", TABLE_ADDRESS, true },
	{ "mean", "mean", TABLE_REAL, true },
};
enum { COLUMNS = sizeof(columns) / sizeof(*columns) };
enum { INSNS, SHARE, RUNNING, NAME, START, MEAN };

static void add(struct table *table, uint64_t insns, const char *name)
{
	table_row(table);
	table_count(table, INSNS, insns);
	table_real(table, SHARE, (double)insns / 10000);
	table_text(table, NAME, name);
	table_count(table, START, insns * 16);
	table_real(table, MEAN, (double)insns / 3);
}

static struct table *made(void)
{
	struct table *table = table_new(columns, COLUMNS);

	assert_non_null(table);
	add(table, 1000, "z");
	add(table, 6000, "main");
	add(table, 1000, "a, \"b\"\n\033[31m");
	add(table, 2000, "gr\xc3\xbc\xc3\x9f");
	table_row(table); /* one without anything */
	return table;
}

static void check(struct table_view view, const char *wanted)
{
	struct table *table = made();
	struct wm_error err;
	char *text = NULL;
	size_t bytes = 0;
	FILE *out = open_memstream(&text, &bytes);

	assert_non_null(out);
	assert_int_equal(table_check(columns, COLUMNS, &view, &err), 0);
	assert_int_equal(table_write(table, out, &view, &err), 0);
	fclose(out);
	assert_string_equal(text, wanted);
	free(text);
	table_free(table);
}

static void test_text(void **state)
{
	(void)state;
	check((struct table_view){ .sort = "insns", .rows = UINT64_MAX },
	      "instructions   share      sum  function\n"
	      "       6,000  60.00%   60.00%  main\n"
	      "       2,000  20.00%   80.00%  gr\xc3\xbc\xc3\x9f\n"
	      "       1,000  10.00%   90.00%  a, \"b\"??[31m\n"
	      "       1,000  10.00%  100.00%  z\n"
	      "                      100.00%  \n");
	check((struct table_view){ .columns = "name,insns,start", .rows = 2 },
	      "function  instructions    start\n"
	      "z                1,000   0x3e80\n"
	      "main             6,000  0x17700\n");
}

static void test_colour(void **state)
{
	(void)state;
	check((struct table_view){ .columns = "share", .rows = 1, .colour = true },
	      " \033[1mshare\033[m\n\033[31m10.00%\033[m\n");
}

static void test_csv(void **state)
{
	(void)state;
	check((struct table_view){ .sort = "name",
				   .rows = UINT64_MAX,
				   .columns = "name,insns,share,running,start,mean",
				   .format = TABLE_AS_CSV },
	      "name,insns,share,running,start,mean\n"
	      "\"a, \"\"b\"\"\n?[31m\",1000,0.100000,0.100000,0x3e80,333.333333\n"
	      "gr\xc3\xbc\xc3\x9f,2000,0.200000,0.300000,0x7d00,666.666667\n"
	      "main,6000,0.600000,0.900000,0x17700,2000.000000\n"
	      "z,1000,0.100000,1.000000,0x3e80,333.333333\n"
	      ",,,1.000000,,\n");
}

static void test_json(void **state)
{
	(void)state;
	check((struct table_view){ .rows = 1,
				   .columns = "insns,start,name,mean",
				   .format = TABLE_AS_JSON },
	      "[\n  {\n    \"insns\": 1000,\n    \"start\": \"0x3e80\",\n"
	      "    \"name\": \"z\",\n    \"mean\": 333.333333\n  }\n]\n");
}

static void test_no_such_column(void **state)
{
	struct table_view view = { .columns = "insns,nonsense" };
	struct wm_error err;

	(void)state;
	assert_int_equal(table_check(columns, COLUMNS, &view, &err), WM_E_RANGE);
	assert_string_equal(err.text, "there is no column \"nonsense\"; there are insns, "
				      "share, running, name, start, mean");
	view = (struct table_view){ .sort = "ins" };
	assert_int_equal(table_check(columns, COLUMNS, &view, &err), WM_E_RANGE);
	view = (struct table_view){ .columns = "" };
	assert_int_equal(table_check(columns, COLUMNS, &view, &err), WM_E_RANGE);
}

/* Changes go by their size, whichever way they are. */
static void test_changes(void **state)
{
	static const struct table_column changed[] = {
		{ "by", "by", TABLE_CHANGE, false },
		{ "name", "name", TABLE_TEXT, false },
	};
	static const int64_t values[] = { 5, -1200, 0, 1200, INT64_MIN, -6 };
	struct table *table = table_new(changed, 2);
	struct table_view view = { .sort = "by", .rows = 10 };
	char *text = NULL;
	size_t bytes = 0;
	FILE *out = open_memstream(&text, &bytes);

	(void)state;
	for (unsigned i = 0; i < sizeof(values) / sizeof(*values); i++) {
		table_row(table);
		table_change(table, 0, values[i]);
		table_text(table, 1, i % 2 ? "odd" : "even");
	}
	assert_int_equal(table_write(table, out, &view, NULL), 0);
	view.format = TABLE_AS_CSV;
	assert_int_equal(table_write(table, out, &view, NULL), 0);
	view.format = TABLE_AS_JSON;
	view.rows = 1;
	assert_int_equal(table_write(table, out, &view, NULL), 0);
	fclose(out);
	assert_string_equal(text, "                        by  name\n"
				  "-9,223,372,036,854,775,808  even\n"
				  "                    +1,200  odd\n"
				  "                    -1,200  odd\n"
				  "                        -6  odd\n"
				  "                        +5  even\n"
				  "                         0  even\n"
				  "by,name\n-9223372036854775808,even\n1200,odd\n"
				  "-1200,odd\n-6,odd\n5,even\n0,even\n"
				  "[\n  {\n    \"by\": -9223372036854775808,\n"
				  "    \"name\": \"even\"\n  }\n]\n");
	free(text);
	table_free(table);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_text),	cmocka_unit_test(test_colour),
		cmocka_unit_test(test_csv),	cmocka_unit_test(test_json),
		cmocka_unit_test(test_changes), cmocka_unit_test(test_no_such_column),
	};

	return cmocka_run_group_tests_name("table", tests, NULL, NULL);
}
