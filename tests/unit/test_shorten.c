// SPDX-License-Identifier: GPL-2.0-or-later
/* out/shorten: what becomes of long names, and out/utf8: how long they are. */
#include "out/shorten.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "out/utf8.h"

static void check(const char *name, size_t columns, const char *expected)
{
	char *text = shorten(name, columns);

	assert_string_equal(text, expected);
	assert_true(utf8_columns(text) <= columns);
	free(text);
}

static void test_brackets(void **state)
{
	(void)state;
	check("main", 8, "main");
	check("f(int, char)", 12, "f(int, char)");
	check("f(int, char)", 11, "f(…)");
	check("pack<map<int, int>>::put(int)", 28, "pack<map<…>>::put(int)");
	check("pack<map<int, int>>::put(int)", 20, "pack<…>::put(…)");
	check("f() const [clone .part]", 23, "f() const [clone .part]");
	check("pack<map<int, int>>::put() const", 26, "pack<map<…>>::put() const");
	check("a((((((((x))))))))", 12, "a(((((…)))))");
	check("no(end<of<brackets", 12, "no(end<of<…");
}

static void test_operators(void **state)
{
	(void)state;
	check("bool operator<(value, value)", 20, "bool operator<(…)");
	check("value operator<< <int>(value, int)", 30, "value operator<< <…>(…)");
	check("value::operator->(value *, int)", 20, "value::operator->(…)");
	check("value::operator()(value *, int)", 20, "value::operator()(…)");
	check("value::operator>>=(value *, int)", 24, "value::operator>>=(…)");
	check("value::operator<=>(value *, int)", 24, "value::operator<=>(…)");
	check("decltype(a->b) f<int>(int)", 19, "decltype(…) f<…>(…)");
	check("my_operator<int, int>()", 16, "my_operator<…>()");
}

static void test_middle(void **state)
{
	(void)state;
	check("abcdefghijklmnopqrstuvwxyz", 10, "abcdef…xyz");
	check("abcdefghij", 10, "abcdefghij");
	check("größegrößegröße", 10, "größeg…öße");
	check("名名名名名名名名", 8, "名名…名");
	check("\xff\xff\xff\xff\xff\xff\xff\xff\xff", 8, "\xff\xff\xff\xff…\xff\xff\xff");
}

static void test_any(void **state)
{
	static const char signs[] = "ab<>()-:operator\xc3\xa4\xe5\x90\x8d\xff ";

	(void)state;
	srand(1);
	for (unsigned i = 0; i < 20000; i++) {
		char name[200];
		size_t n = (size_t)rand() % sizeof(name),
		       columns = 8 + (size_t)rand() % 60;
		char *text;

		for (size_t j = 0; j < n; j++)
			name[j] = signs[(size_t)rand() % (sizeof(signs) - 1)];
		name[n ? n - 1 : 0] = 0;
		text = shorten(name, columns);
		assert_true(utf8_columns(text) <= columns);
		if (utf8_columns(name) <= columns)
			assert_string_equal(text, name);
		free(text);
	}
}

static void test_columns(void **state)
{
	(void)state;
	assert_int_equal(utf8_columns(""), 0);
	assert_int_equal(utf8_columns("größe"), 5);
	assert_int_equal(utf8_columns("名a😀"), 5);
	assert_int_equal(utf8_columns("\xc3"), 1);
	assert_int_equal(utf8_columns("\xed\xa0\x80"), 3); /* a surrogate */
	assert_int_equal(utf8_fitting("名名", 3), 3);
	assert_int_equal(utf8_fitting("größe", 3), 4);
	assert_int_equal(utf8_fitting("abc", 9), 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_brackets), cmocka_unit_test(test_operators),
		cmocka_unit_test(test_middle),	 cmocka_unit_test(test_any),
		cmocka_unit_test(test_columns),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
