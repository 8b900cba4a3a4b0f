// SPDX-License-Identifier: GPL-2.0-or-later
/* base/toml: values of each type, what is refused, and where. */
#include "base/toml.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static int parse(struct toml *root, const char *text, struct wm_error *err)
{
	return toml_parse(root, text, strlen(text), err);
}

static const struct toml *at(const struct toml *table, const char *key)
{
	const struct toml *value = toml_find(table, key);

	assert_non_null(value);
	return value;
}

static void test_values(void **state)
{
	struct toml root;

	(void)state;
	assert_int_equal(
		parse(&root,
		      "text = \"a \\\"b\\\"\\t\\u00e9\"  # why\r\n"
		      "raw = 'C:\\new'\n"
		      "\"a key\" = -1_000\n"
		      "yes = true\n"
		      "list = [ 1, # one\n  2,\n ]\n"
		      "inline = { a = 1, b.c = 'd' }\n"
		      "[table.inner]\nx = 0\n"
		      "[[row]]\nn = 1\n[row.more]\nm = 2\n[[row]]\nn = 9223372036854775807",
		      NULL),
		0);
	assert_string_equal(at(&root, "text")->text, "a \"b\"\t\xc3\xa9");
	assert_string_equal(at(&root, "raw")->text, "C:\\new");
	assert_int_equal(at(&root, "a key")->number, -1000);
	assert_true(at(&root, "yes")->type == TOML_BOOL && at(&root, "yes")->number);
	assert_int_equal(at(&root, "list")->n, 2);
	assert_int_equal(at(&root, "list")->all[1].number, 2);
	assert_string_equal(at(at(at(&root, "inline"), "b"), "c")->text, "d");
	assert_int_equal(at(at(at(&root, "table"), "inner"), "x")->number, 0);
	assert_int_equal(at(&root, "row")->n, 2);
	assert_int_equal(at(at(&at(&root, "row")->all[0], "more"), "m")->number, 2);
	assert_true(at(&at(&root, "row")->all[1], "n")->number == INT64_MAX);
	assert_int_equal(at(&root, "row")->line, 11);
	assert_null(toml_find(&root, "none"));
	toml_fini(&root);
}

static void refused(const char *text, const char *begin)
{
	struct wm_error err = { .code = 0 };
	struct toml root;

	if (parse(&root, text, &err) != WM_E_FORMAT)
		fail_msg("taken: %s", text);
	if (strncmp(err.text, begin, strlen(begin)) != 0)
		fail_msg("%s: %s", text, err.text);
	toml_fini(&root);
}

static void test_refused(void **state)
{
	(void)state;
	refused("a = 1\nb = \n", "line 2: a value is");
	refused("a = 1\na = 2\n", "line 2: the key is there");
	refused("[a]\n[a]\n", "line 2: the table is there");
	refused("a = { b = 1 }\n[a]\n", "line 2: the key is in use");
	refused("a = []\n[[a]]\n", "line 2: the key is in use");
	refused("a.b = { c = 1 }\na.b.d = 2\n", "line 2: the key is in use");
	refused("[[a]]\n[a]\n", "line 2: the key is in use");
	refused("a = \"x\n\"\n", "line 1: a text does not end");
	refused("a = \"\\q\"\n", "line 1: there is no such escape");
	refused("a = \"\\u0000\"\n", "line 1: there is no such escape");
	refused("a = \"\\ud800\"\n", "line 1: there is no such escape");
	refused("a = \"\"\"x\"\"\"\n", "line 1: texts of several lines");
	refused("a = 1 b = 2\n", "line 1: the line does not end");
	refused("a = 01\n", "line 1: a value is");
	refused("a = 1__0\n", "line 1: a value is");
	refused("a = 1_\n", "line 1: a value is");
	refused("a = 9223372036854775808\n", "line 1: a value is");
	refused("a = 1.5\n", "line 1: a value is");
	refused("a = 2026-11-22\n", "line 1: a value is");
	refused("a = truely\n", "line 1: a value is");
	refused("a = [1 2]\n", "line 1: an array goes on");
	refused("a = { b = 1, }\n", "line 1: a key is missing");
	refused("= 1\n", "line 1: a key is missing");
	refused("[a\n", "line 1: the name of a table");
	refused("a = [[[[[[[[[[[[[[[[[[[[", "line 1: arrays and tables are too deep");
	refused("a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a = 1",
		"line 1: the key has too many");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_values),
		cmocka_unit_test(test_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
