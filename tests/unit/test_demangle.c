// SPDX-License-Identifier: GPL-2.0-or-later
/* program/demangle: names of four languages, names that are none, and attacks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "program/demangle.h"

static void check(const char *symbol, const char *wanted)
{
	char *name = demangle(symbol);

	assert_non_null(name);
	assert_string_equal(name, wanted);
	free(name);
}

static void test_names(void **state)
{
	(void)state;
	check("main", "main");
	check("", "");
	check("memcpy@plt", "memcpy@plt");
	check("_ZNSt6vectorIiSaIiEE9push_backERKi",
	      "std::vector<int, std::allocator<int> >::push_back(int const&)");
	check("_ZdlPv@plt", "operator delete(void*)@plt");
	check("_RNvCs1234_7mycrate3foo", "mycrate::foo");
	check("_ZN4core3fmt5Write9write_fmt17h0123456789abcdefE",
	      "core::fmt::Write::write_fmt");
	check("_D3std5stdio7writelnFZv", "std.stdio.writeln()");
	check("__shop_MOD_sell_book", "shop::sell_book");
	check("__shop_MOD_add@plt", "shop::add@plt");
	check("___MOD_add", "___MOD_add");
	check("__shop_MOD_", "__shop_MOD_");
	check("_Z9", "_Z9");
	check("_start", "_start");
}

static void test_parts(void **state)
{
	static const char method[] = "bool shop::Book<int>::match<char>(char) const";
	static const struct {
		const char *pattern, *name;
		bool fits;
	} examples[] = {
		{ method, method, true },
		{ "bool shop::Book<int>::match<char>", method, true },
		{ "shop::Book<int>::match<char>(char) const", method, true },
		{ "shop::Book<int>::match<char>", method, true },
		{ "Book<int>::match<char>(char) const", method, true },
		{ "match<char>", method, true },
		{ "match", method, true },
		{ "Book::match", method, true },
		{ "Book", method, false },
		{ "sell_book", "shop::sell_book", true },
		{ "sum<int>", "int sum<int>(int)", true },
		{ "int", "int sum<int>(int)", false },
		{ "sum<int, long>", "std::pair<int, long> sum<int, long>()", true },
		{ "bool", "shop::Book::operator bool()", false },
		{ "shop::sum", "decltype(auto) shop::sum<int>(int)", true },
		{ "sum", "decltype ((declval<int>())+(1)) shop::sum<int>(int)", true },
		{ "operator bool", "shop::Book::operator bool()", true },
		{ "operator new", "operator new(unsigned long)", true },
		{ "new", "operator new(unsigned long)", false },
		{ "Book::price", "virtual thunk to Book::price()", false },
		{ "Sq::area", "<shop::Sq as shop::Shape>::area", true },
		{ "Shape::area", "<shop::Sq as shop::Shape>::area", false },
		{ "Formatter::pad", "<core::fmt::Formatter>::pad", true },
		{ "Vec::push", "<alloc::vec::Vec<T, A>>::push", true },
		{ "Map::entry", "std::entry::<impl std::Map<K, V>>::entry", true },
		{ "u8::fmt", "core::num::<impl core::Debug for u8>::fmt", true },
		{ "<[u64; 3] as shop::Sum>::total", "<[u64; 3] as shop::Sum>::total",
		  true },
		{ "sum(int (&) [3])", "shop::sum(int (&) [3])", true },
		{ "shop::sum(int (&) [[]?])", "shop::sum(int (&) [3])", true },
		{ "main.Max[int]", "main.Max[int]", true },
		{ "main.Ma[xy]", "main.Max", true },
		{ "f", "<a<b::f", true },
		{ "a", "<a<b::f", false },
		{ "f", "(anonymous namespace)::f(int)", true },
		{ "namespace)::f", "(anonymous namespace)::f(int)", false },
		{ "Book.cost", "app.Book.cost(int) const", true },
		{ "cost", "app.Book.cost(int) const", true },
		{ "Book.cost(int) const", "app.Book.cost(int) const", true },
		{ "ook.cost", "app.Book.cost(int) const", false },
		{ "Book*", "app.Shop!(app.Book).Shop.total()", false },
		{ "Shop.total", "app.Shop!(app.Book).Shop.total()", true },
		{ "twice", "app.twice!(\"a < b\", int).twice(int)", true },
		{ "app.twice!(int).twice", "app.twice!(int).twice(int)", true },
		{ "operator!", "shop::Book::operator!() const", true },
		{ "push", "main.(*Stack).push", false },
		{ "0", "sort.part.0", false },
		{ "0", "sum(int) [clone .part.0]", false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(examples) / sizeof(*examples); i++)
		if (demangle_fits(examples[i].pattern, examples[i].name) !=
		    examples[i].fits)
			fail_msg("%s and %s", examples[i].pattern, examples[i].name);
}

/* What is small and says to be large stays what it is, and takes no time. */
static void test_attacks(void **state)
{
	static char symbol[100000];

	(void)state;
	memset(symbol, 'P', sizeof(symbol) - 1);
	memcpy(symbol, "_Z1f", 4);
	check(symbol, symbol);
	check("_Z1fDnS0_S1_S2_S3_S4_S5_S99999999_", "_Z1fDnS0_S1_S2_S3_S4_S5_S99999999_");
}

/* Rust: a pair of what is at `last`, counted from after "_R"; where it is itself. */
static unsigned put_rust_part(char *symbol, unsigned last)
{
	static const char digits[] = "0123456789abcdefghijklmnopqrstuvwxyz"
				     "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
	unsigned begin = (unsigned)strlen(symbol) - 2;
	char back[4] = { digits[(last - 1) / 62], digits[(last - 1) % 62] };
	const char *shortest = last > 62 ? back : back + 1;

	sprintf(symbol + strlen(symbol), "TB%s_B%s_E", shortest, shortest);
	return begin;
}

/* Where each part has the one before in it twice, a name of 200 bytes is of gigabytes. */
static void test_bombs(void **state)
{
	static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
	char cxx[512] = "_Z1f1AIiiE", d[512] = "_D1fFHiiHQeQg",
	     rust[512] = "_RINvC1a1fTllE";

	(void)state;
	for (unsigned i = 0; i < 30; i++)
		sprintf(cxx + strlen(cxx), "S_IS%c_S%c_E", digits[i], digits[i]);
	check(cxx, cxx);
	for (unsigned i = 0; i < 30; i++)
		strcat(d, "HQgQi");
	strcat(d, "Zv");
	check(d, d);
	for (unsigned i = 0, last = 8; i < 30; i++)
		last = put_rust_part(rust, last);
	strcat(rust, "E");
	check(rust, rust);
}

static void test_fits(void **state)
{
	static const char full[] = "shop::Book<int>::match(std::pair<int, int>) const";

	(void)state;
	assert_true(demangle_fits("main", "main"));
	assert_false(demangle_fits("ain", "main"));
	assert_true(demangle_fits(full, full));
	assert_true(demangle_fits("shop::Book<int>::match", full));
	assert_true(demangle_fits("Book<int>::match", full));
	assert_true(demangle_fits("Book<*>::match", full));
	assert_true(demangle_fits("match", full));
	assert_true(demangle_fits("Book::match", full));
	assert_true(demangle_fits("shop::Book::match", full));
	assert_false(demangle_fits("ok<int>::match", full));
	assert_false(demangle_fits("Book<int>", full));
	assert_false(demangle_fits("Book", full));
	assert_false(demangle_fits("pair<int, int>", full));
	assert_true(demangle_fits("helper", "(anonymous namespace)::helper(int)"));
	assert_true(demangle_fits("sum", "int shop::sum<int>(int)"));
	assert_true(demangle_fits("operator<<", "shop::operator<<(int)"));
	assert_false(demangle_fits("operator", "shop::operator<(A<int>, A<int>)"));
	assert_false(demangle_fits("main", "main::{lambda(A<int>)#1}::f() const"));
	assert_false(demangle_fits("open", "open<a<b(int)"));
	assert_true(
		demangle_fits("Less::operator()", "shop::Less::operator()(int, int)"));
}

static bool may_have(void *symbol, const char *part)
{
	if (!demangle_may_have(symbol, part))
		fail_msg("%s has no %s", (const char *)symbol, part);
	return false;
}

/* What is not looked at because it cannot have a name, does not have it. */
static void test_may_have(void **state)
{
	static const char *const symbols[] = {
		"_ZNSt6vectorIiSaIiEE9push_backERKi",
		"_ZNSsC1ERKSs",
		"_ZNSaIcED2Ev",
		"_ZN4shop4BookIiE5matchIcEEbT_",
		"_ZN4shopltERKNS_4BookES2_",
		"_ZZN4shop4mainEvENKUlvE_clEv",
		"_RNvCs1234_7mycrate3foo",
		"_RNvMs_NtCs1234_4core3fmtNtB4_9Formatter3pad",
		"_ZN4core3fmt5Write9write_fmt17h0123456789abcdefE",
		"_ZN40_$LT$shop..Sq$u20$as$u20$shop..Shape$GT$4area17h0123456789abcdefE",
		"_D3std5stdio7writelnFZv",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(symbols) / sizeof(*symbols); i++) {
		char *name = demangle(symbols[i]);

		assert_string_not_equal(name, symbols[i]);
		assert_false(demangle_each(name, may_have, (void *)symbols[i]));
		free(name);
	}
	assert_false(demangle_may_have("_ZNSt6vectorIiSaIiEE9push_backERKi", "pop_back"));
	assert_false(demangle_may_have("main", "main"));
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_names),	cmocka_unit_test(test_parts),
	cmocka_unit_test(test_attacks), cmocka_unit_test(test_bombs),
	cmocka_unit_test(test_fits),	cmocka_unit_test(test_may_have),
};

int main(void)
{
	return cmocka_run_group_tests_name("demangle", tests, NULL, NULL);
}
