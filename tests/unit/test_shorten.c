// SPDX-License-Identifier: GPL-2.0-or-later
/* out/shorten: what becomes of long names, and base/utf8: how long they are. */
#include "out/shorten.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/utf8.h"

struct sample {
	const char *name;
	size_t columns; /* that there are */
	const char *expected;
};

/* What is in brackets goes first, the innermost last: a name is known by what calls it. */
static const struct sample brackets[] = {
	{ "main", 8, "main" },
	{ "f(int, char)", 12, "f(int, char)" },
	{ "f(int, char)", 11, "f(…)" },
	{ "pack<map<int, int>>::put(int)", 28, "pack<map<…>>::put(int)" },
	{ "pack<map<int, int>>::put(int)", 20, "pack<…>::put(…)" },
	{ "f() const [clone .part]", 23, "f() const [clone .part]" },
	{ "pack<map<int, int>>::put() const", 26, "pack<map<…>>::put() const" },
	{ "a((((((((x))))))))", 12, "a(((((…)))))" },
	{ "no(end<of<brackets", 12, "no(end<of<…" },
	{ "<Book<u8> as Match<u8>>::find", 28, "<Book<…> as Match<…>>::find" },
	{ "<Book<u8>>::find::<u8>", 20, "<Book<…>>::find::<…>" },
	{ "a::<impl Match<u8> for Book<u8>>::find", 36,
	  "a::<impl Match<…> for Book<…>>::find" },
	/* An object of mem's. */
	{ "heap: list<int>::put(int) (24)", 28, "heap: list<…>::put(…) (24)" },
};

/* Brackets of an operator's name are no brackets. */
static const struct sample operators[] = {
	{ "bool operator<(value, value)", 20, "bool operator<(…)" },
	{ "value operator<< <int>(value, int)", 30, "value operator<< <…>(…)" },
	{ "value::operator->(value *, int)", 20, "value::operator->(…)" },
	{ "value::operator()(value *, int)", 20, "value::operator()(…)" },
	{ "value::operator>>=(value *, int)", 24, "value::operator>>=(…)" },
	{ "value::operator<=>(value *, int)", 24, "value::operator<=>(…)" },
	{ "decltype(a->b) f<int>(int)", 19, "decltype(…) f<…>(…)" },
	{ "my_operator<int, int>()", 16, "my_operator<…>()" },
};

/* A name without brackets loses its middle; a character is never cut. */
static const struct sample middles[] = {
	{ "abcdefghijklmnopqrstuvwxyz", 10, "abcdef…xyz" },
	{ "abcdefghij", 10, "abcdefghij" },
	{ "größegrößegröße", 10, "größeg…öße" },
	{ "名名名名名名名名", 8, "名名…名" },
	{ "\xff\xff\xff\xff\xff\xff\xff\xff\xff", 8, "\xff\xff\xff\xff…\xff\xff\xff" },
};

static void check(const struct sample *samples, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		char *text = shorten(samples[i].name, samples[i].columns);

		assert_string_equal(text, samples[i].expected);
		assert_true(utf8_columns(text) <= samples[i].columns);
		free(text);
	}
}

static void test_brackets(void **state)
{
	(void)state;
	check(brackets, sizeof(brackets) / sizeof(*brackets));
}

static void test_operators(void **state)
{
	(void)state;
	check(operators, sizeof(operators) / sizeof(*operators));
}

static void test_middle(void **state)
{
	(void)state;
	check(middles, sizeof(middles) / sizeof(*middles));
}

/* Whether `text` without its ellipses is `name` with some bytes left out. */
static bool is_part_of(const char *text, const char *name)
{
	while (*text) {
		if (!strncmp(text, "…", sizeof("…") - 1)) {
			text += sizeof("…") - 1;
			continue;
		}
		while (*name && *name != *text)
			name++;
		if (!*name)
			return false;
		name++, text++;
	}
	return true;
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
		assert_true(is_part_of(text, name));
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

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_brackets), cmocka_unit_test(test_operators),
	cmocka_unit_test(test_middle),	 cmocka_unit_test(test_any),
	cmocka_unit_test(test_columns),
};

int main(void)
{
	return cmocka_run_group_tests(tests, NULL, NULL);
}
