// SPDX-License-Identifier: GPL-2.0-or-later
/* out/text: disassembly without its blanks, and CSV's quotes. */
#include "out/text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static FILE *out;
static char *got;
static size_t got_bytes;

static void begin(void)
{
	out = open_memstream(&got, &got_bytes);
	assert_non_null(out);
}

static void end(const char *expected)
{
	fclose(out);
	assert_string_equal(got, expected);
	free(got);
}

static void check_disas(const char *disas, unsigned column, const char *expected)
{
	char *text = text_disas_new(disas, column);

	begin();
	text_disas(out, disas, column);
	end(expected);
	assert_string_equal(text, expected);
	free(text);
}

static void test_disas(void **state)
{
	(void)state;
	check_disas("", 8, "");
	check_disas("ret                     ", 8, "ret");
	check_disas("jal                     ra,34                   # 0x105a6", 8,
		    "jal     ra,34  # 0x105a6");
	check_disas("jal                     ra,34                   # 0x105a6", 0,
		    "jal ra,34  # 0x105a6");
	check_disas("  amoadd.w.aqrl\ta0,a1,(a2)", 8, "amoadd.w.aqrl a0,a1,(a2)");
	check_disas("seven77 x", 8, "seven77 x");
}

static void check_csv(const char *field, const char *expected)
{
	begin();
	text_csv(out, field);
	end(expected);
}

static void test_csv(void **state)
{
	(void)state;
	check_csv("", "");
	check_csv("main", "main");
	check_csv("f(int, char)", "\"f(int, char)\"");
	check_csv("a\"b", "\"a\"\"b\"");
	check_csv("a\nb", "\"a\nb\"");
	check_csv("a\033[31m\xc2\x9b", "a?[31m??");
}

static void check_line(const char *name, const char *expected)
{
	char text[64];

	begin();
	assert_int_equal(text_line(out, name), strlen(expected));
	end(expected);
	snprintf(text, sizeof(text), "%s", name);
	text_make_line(text);
	assert_string_equal(text, expected);
}

/* A name stays in its line, whatever is in it. */
static void test_line(void **state)
{
	(void)state;
	check_line("", "");
	check_line("main", "main");
	check_line("gr\xc3\xbc\xc3\x9f", "gr\xc3\xbc\xc3\x9f");
	check_line("a\nb\tc\r\033[31m\x7f", "a?b?c??[31m?");
	check_line("a\xc2\x9b"
		   "31m\xc2\xa0",
		   "a??31m\xc2\xa0");
	check_line("a\xc2", "a\xc2");
}

/* What is found eight bytes at a time, wherever it lies. */
static void test_plain(void **state)
{
	static const char *const cases[][2] = {
		{ "\033", "?" },
		{ "\x7f", "?" },
		{ "\x1f", "?" },
		{ "\n", "\n" },
		{ "\t", "\t" },
		{ " ~", " ~" },
		{ "\xc2\x80", "??" },
		{ "\xc2\x9f", "??" },
		{ "\xc2\xa0", "\xc2\xa0" },
		{ "\xc2 \x80", "\xc2 \x80" },
		{ "\x80", "\x80" },
		{ "\xff", "\xff" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		for (int before = 0; before < 20; before++)
			for (int behind = 0; behind < 20; behind++) {
				char text[64], wanted[64];

				snprintf(text, sizeof(text), "%.*s%s%.*s", before,
					 "abcdefghijklmnopqrst", cases[i][0], behind,
					 "abcdefghijklmnopqrst");
				snprintf(wanted, sizeof(wanted), "%.*s%s%.*s", before,
					 "abcdefghijklmnopqrst", cases[i][1], behind,
					 "abcdefghijklmnopqrst");
				text_make_plain(text, strlen(text));
				assert_string_equal(text, wanted);
			}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_disas),
	cmocka_unit_test(test_csv),
	cmocka_unit_test(test_line),
	cmocka_unit_test(test_plain),
};

int main(void)
{
	return cmocka_run_group_tests(tests, NULL, NULL);
}
