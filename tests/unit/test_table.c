// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * out/table, view and table_writer: order, columns, shares that add up, the three forms to
 * the byte, and rows that pass through one at a time.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "out/table_writer.h"
#include "out/view.h"

static const struct table_column columns[] = {
	{ "insns", TABLE_COUNT, false },     { "share", TABLE_SHARE, false },
	{ "running", TABLE_RUNNING, false }, { "name", TABLE_TEXT, false },
	{ "start", TABLE_ADDRESS, true },    { "mean", TABLE_REAL, true },
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

static void add_all(struct table *table)
{
	add(table, 1000, "z");
	add(table, 6000, "main");
	add(table, 1000, "a, \"b\"\n\033[31m");
	add(table, 2000, "gr\xc3\xbc\xc3\x9f");
	table_row(table); /* one without anything */
}

/* Writes what the view wants of a table that fill() fills, as the caller's string. */
static char *written(const struct table_column *columns_of, unsigned n,
		     void (*fill)(struct table *table), const struct table_view *wanted,
		     enum table_format format, bool colour)
{
	struct table_writer writer;
	struct wm_error err;
	struct table table;
	struct view view;
	char *text = NULL;
	size_t bytes = 0;
	FILE *out = open_memstream(&text, &bytes);

	assert_non_null(out);
	assert_int_equal(table_check(columns_of, n, wanted, &err), 0);
	table_writer_init(&writer, format, out, colour);
	view_init(&view, wanted, &writer.sink);
	table_begin(&table, columns_of, n, &view.sink);
	fill(&table);
	assert_int_equal(table_end(&table, 0, &err), 0);
	view_fini(&view);
	table_writer_fini(&writer);
	fclose(out);
	return text;
}

static void check(struct table_view view, enum table_format format, const char *wanted)
{
	char *text = written(columns, COLUMNS, add_all, &view, format, false);

	assert_string_equal(text, wanted);
	free(text);
}

static void test_text(void **state)
{
	(void)state;
	check((struct table_view){ .sort = "insns", .rows = UINT64_MAX }, TABLE_AS_TEXT,
	      "insns   share  running  name\n"
	      "6,000  60.00%   60.00%  main\n"
	      "2,000  20.00%   80.00%  gr\xc3\xbc\xc3\x9f\n"
	      "1,000  10.00%   90.00%  a, \"b\"??[31m\n"
	      "1,000  10.00%  100.00%  z\n"
	      "               100.00%  \n");
	check((struct table_view){ .columns = "name,insns,start", .rows = 2 },
	      TABLE_AS_TEXT,
	      "name  insns    start\n"
	      "z     1,000   0x3e80\n"
	      "main  6,000  0x17700\n");
}

static void test_colour(void **state)
{
	char *text = written(columns, COLUMNS, add_all,
			     &(struct table_view){ .columns = "share", .rows = 1 },
			     TABLE_AS_TEXT, true);

	(void)state;
	assert_string_equal(text, " \033[1mshare\033[m\n\033[31m10.00%\033[m\n");
	free(text);
}

static void test_csv(void **state)
{
	(void)state;
	check((struct table_view){ .sort = "name",
				   .rows = UINT64_MAX,
				   .columns = "name,insns,share,running,start,mean" },
	      TABLE_AS_CSV,
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
	check((struct table_view){ .rows = 1, .columns = "insns,start,name,mean" },
	      TABLE_AS_JSON,
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

static void fill_changes(struct table *table)
{
	static const int64_t values[] = { 5, -1200, 0, 1200, INT64_MIN, -6 };

	for (unsigned i = 0; i < sizeof(values) / sizeof(*values); i++) {
		table_row(table);
		table_change(table, 0, values[i]);
		table_text(table, 1, i % 2 ? "odd" : "even");
	}
}

static void check_changes(uint64_t rows, enum table_format format, const char *wanted)
{
	static const struct table_column changed[] = {
		{ "by", TABLE_CHANGE, false },
		{ "name", TABLE_TEXT, false },
	};
	const struct table_view view = { .sort = "by", .rows = rows };
	char *text = written(changed, 2, fill_changes, &view, format, false);

	assert_string_equal(text, wanted);
	free(text);
}

/* Changes go by their size, whichever way they are. */
static void test_changes(void **state)
{
	(void)state;
	check_changes(10, TABLE_AS_TEXT,
		      "                        by  name\n"
		      "-9,223,372,036,854,775,808  even\n"
		      "                    +1,200  odd\n"
		      "                    -1,200  odd\n"
		      "                        -6  odd\n"
		      "                        +5  even\n"
		      "                         0  even\n");
	check_changes(10, TABLE_AS_CSV,
		      "by,name\n-9223372036854775808,even\n1200,odd\n"
		      "-1200,odd\n-6,odd\n5,even\n0,even\n");
	check_changes(1, TABLE_AS_JSON,
		      "[\n  {\n    \"by\": -9223372036854775808,\n"
		      "    \"name\": \"even\"\n  }\n]\n");
}

static void fill_values(struct table *table)
{
	static const char *const texts[] = { "0x0000000000000009", "0xfb", "0x0000", NULL,
					     "0x10000000000000000000000000000000" };

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		table_row(table);
		table_text(table, 0, texts[i]);
	}
}

/* Texts that are numbers go by these, however long they are. */
static void test_hexadecimal(void **state)
{
	static const struct table_column value = { "value", TABLE_TEXT,
						   .hexadecimal = true };
	const struct table_view view = { .sort = "value", .rows = UINT64_MAX };
	char *text = written(&value, 1, fill_values, &view, TABLE_AS_CSV, false);

	(void)state;
	assert_string_equal(text, "value\n0x10000000000000000000000000000000\n0xfb\n"
				  "0x0000000000000009\n0x0000\n\n");
	free(text);
}

/* ---- streams ------------------------------------------------------------- */

/* A sink that counts, and has enough after `enough` rows or fails there. */
struct counter {
	struct table_sink sink;
	unsigned begun, rows, ended, enough;
	int then;
};

static int begin_counting(struct table_sink *sink, const struct table_column *of,
			  unsigned n, struct wm_error *err)
{
	(void)of;
	(void)err;
	assert_int_equal(n, 4);
	((struct counter *)sink)->begun++;
	return 0;
}

static int count_row(struct table_sink *sink, const struct table_cell *cells,
		     struct wm_error *err)
{
	struct counter *counter = (struct counter *)sink;

	assert_true(cells[INSNS].filled);
	if (err)
		*err = (struct wm_error){ .code = counter->then };
	return ++counter->rows == counter->enough ? counter->then : 0;
}

static int end_counting(struct table_sink *sink, struct wm_error *err)
{
	(void)err;
	((struct counter *)sink)->ended++;
	return 0;
}

static struct counter pass_through(unsigned enough, int then, int code, int wanted)
{
	struct counter counter = { { begin_counting, count_row, end_counting },
				   .enough = enough,
				   .then = then };
	struct table_view all = { .rows = 5 };
	struct wm_error err;
	struct table table;
	struct view view;

	view_init(&view, &all, &counter.sink);
	table_begin(&table, columns, COLUMNS, &view.sink);
	for (unsigned i = 0; i < 10 && !code; i++) {
		add(&table, 100 + i, "row");
		/* A row is sent when the next one begins; after that none is kept. */
		assert_int_equal(counter.rows,
				 i < 5 && !table_is_full(&table) ? i : counter.rows);
	}
	assert_int_equal(table_end(&table, code, &err), wanted);
	view_fini(&view);
	return counter;
}

static void test_streams(void **state)
{
	struct counter counter = pass_through(0, 0, 0, 0);

	(void)state;
	assert_int_equal(counter.begun, 1);
	assert_int_equal(counter.rows, 5);
	assert_int_equal(counter.ended, 1);
	counter = pass_through(3, WM_END, 0, 0);
	assert_int_equal(counter.rows, 3);
	assert_int_equal(counter.ended, 1);
	counter = pass_through(3, WM_E_OUTPUT, 0, WM_E_OUTPUT);
	assert_int_equal(counter.rows, 3);
	assert_int_equal(counter.ended, 0);
	/* What failed before any row leaves the sink alone. */
	counter = pass_through(0, 0, WM_E_RANGE, WM_E_RANGE);
	assert_int_equal(counter.begun, 0);
	assert_int_equal(counter.ended, 0);
}

/* Names of code give way to the terminal, the longest first; other columns do not. */
static void test_room(void **state)
{
	static const struct table_column names[] = {
		{ "function", TABLE_TEXT, false, true },
		{ "text", TABLE_TEXT, false },
		{ "n", TABLE_COUNT, false },
	};
	static const struct table_cell cells[] = {
		{ .filled = true,
		  .text = "pack<map<int, less<int>, allocator<char>>>::find(int const&)" },
		{ .filled = true,
		  .text = "a text that is as long as it is, come what may" },
		{ .filled = true, .count = 7 },
	};
	struct table_writer writer;
	struct wm_error err;
	char *text = NULL;
	size_t bytes = 0;
	FILE *out = open_memstream(&text, &bytes);

	(void)state;
	assert_non_null(out);
	table_writer_init(&writer, TABLE_AS_TEXT, out, false);
	writer.room = 85;
	assert_int_equal(writer.sink.begin(&writer.sink, names, 3, &err), 0);
	assert_int_equal(writer.sink.row(&writer.sink, cells, &err), 0);
	assert_int_equal(writer.sink.end(&writer.sink, &err), 0);
	table_writer_fini(&writer);
	fclose(out);
	assert_string_equal(
		text,
		"function                            text                                "
		"            n\n"
		"pack<map<\xe2\x80\xa6>>::find(int const&)      a text that is as long as it is, "
		"come what may  7\n");
	free(text);
}

/* Without a terminal names are whole, but a long one is not what all others are padded to. */
static void test_aligned(void **state)
{
	static const struct table_column names[] = {
		{ "function", TABLE_TEXT, false, true },
		{ "n", TABLE_COUNT, false },
	};
	static const char name[] = "long_name_0123456789_long_name_0123456789_long_name_"
				   "0123456789_long_name_0123456789";
	char *text = NULL, wanted[400];
	struct table_writer writer;
	struct wm_error err;
	size_t bytes = 0;
	FILE *out = open_memstream(&text, &bytes);

	(void)state;
	assert_non_null(out);
	table_writer_init(&writer, TABLE_AS_TEXT, out, false);
	assert_int_equal(writer.sink.begin(&writer.sink, names, 2, &err), 0);
	for (unsigned i = 0; i < 2; i++) {
		const struct table_cell cells[] = {
			{ .filled = true, .text = i ? (char *)name : (char *)"main" },
			{ .filled = true, .count = 7 },
		};

		assert_int_equal(writer.sink.row(&writer.sink, cells, &err), 0);
	}
	assert_int_equal(writer.sink.end(&writer.sink, &err), 0);
	table_writer_fini(&writer);
	fclose(out);
	snprintf(wanted, sizeof(wanted), "%-72s  n\n%-72s  7\n%s  7\n", "function",
		 "main", name);
	assert_string_equal(text, wanted);
	free(text);
}

/* More than stays in memory: 40,000 rows of 600 bytes. The last is the widest. */
enum { MANY = 40000, WIDE = 600 };

static void add_many(struct table *table)
{
	char name[WIDE + 1];

	memset(name, 'x', WIDE);
	name[WIDE] = 0;
	for (unsigned i = 1; i <= MANY; i++) {
		table_row(table);
		table_count(table, 1, i);
		table_text(table, 0, i < MANY ? name + 1 : name);
	}
}

static void test_many(void **state)
{
	static const struct table_column two[] = { { "name", TABLE_TEXT, false },
						   { "n", TABLE_COUNT, false } };
	enum { LINE = WIDE + 2 + 6 + 1 };
	struct table_view all = { .rows = UINT64_MAX };
	char *text = written(two, 2, add_many, &all, TABLE_AS_TEXT, false);
	char wanted[16];

	(void)state;
	assert_int_equal(strlen(text), (MANY + 1ul) * LINE);
	for (unsigned i = 1; i <= MANY; i++) {
		const char *line = text + (size_t)i * LINE;

		if (i < 1000)
			snprintf(wanted, sizeof(wanted), "%s%8u\n", i < MANY ? " " : "",
				 i);
		else
			snprintf(wanted, sizeof(wanted), "%s%4u,%03u\n",
				 i < MANY ? " " : "", i / 1000, i % 1000);
		assert_memory_equal(line, "xxxx", 4);
		assert_memory_equal(line + LINE - strlen(wanted), wanted, strlen(wanted));
	}
	free(text);
}

/* In no order, and each number many times. */
static void add_mixed(struct table *table)
{
	for (unsigned i = 0; i < MANY; i++) {
		table_row(table);
		table_text(table, 0, i & 1 ? "odd" : "even");
		table_count(table, 1, i * 7919ul % 5000);
	}
}

/* Sorted with a few wanted: the same as the first of all, and few are kept meanwhile. */
static void test_few_of_many(void **state)
{
	static const struct table_column two[] = { { "name", TABLE_TEXT, false },
						   { "n", TABLE_COUNT, false } };
	const struct table_view all = { .sort = "n", .rows = UINT64_MAX };

	(void)state;
	for (uint64_t rows = 0; rows <= 4000; rows = rows * 20 + 10) {
		const struct table_view few = { .sort = "n", .rows = rows };
		char *whole = written(two, 2, add_mixed, &all, TABLE_AS_CSV, false);
		char *text = written(two, 2, add_mixed, &few, TABLE_AS_CSV, false);
		struct table_writer writer;
		struct table table;
		struct view view;

		assert_memory_equal(text, whole, strlen(text));
		table_writer_init(&writer, TABLE_AS_CSV, stderr, false);
		view_init(&view, &few, &writer.sink);
		table_begin(&table, two, 2, &view.sink);
		add_mixed(&table);
		assert_int_equal(table.rows, MANY);
		assert_true(view.kept.n <= 8192);
		table_end(&table, WM_E_NOMEM, NULL); /* prints nothing */
		view_fini(&view);
		table_writer_fini(&writer);
		free(whole);
		free(text);
	}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_few_of_many), cmocka_unit_test(test_text),
	cmocka_unit_test(test_many),	    cmocka_unit_test(test_room),
	cmocka_unit_test(test_aligned),	    cmocka_unit_test(test_colour),
	cmocka_unit_test(test_csv),	    cmocka_unit_test(test_json),
	cmocka_unit_test(test_changes),	    cmocka_unit_test(test_no_such_column),
	cmocka_unit_test(test_streams),	    cmocka_unit_test(test_hexadecimal),
};

int main(void)
{
	return cmocka_run_group_tests_name("table", tests, NULL, NULL);
}
