// SPDX-License-Identifier: GPL-2.0-or-later
/* cli/nearest: which word a mistyped one was meant to be. */
#include "base/nearest.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static const char *const words[] = { "record", "info", "blocks", "insns", "verify" };

static const char *nearest(const char *typed)
{
	return nearest_word(typed, words, sizeof(words) / sizeof(*words));
}

static void test_edits(void **state)
{
	(void)state;
	assert_string_equal(nearest("record"), "record");
	assert_string_equal(nearest("recor"), "record");   /* dropped */
	assert_string_equal(nearest("recoard"), "record"); /* added */
	assert_string_equal(nearest("rexord"), "record");  /* changed */
	assert_string_equal(nearest("recrod"), "record");  /* swapped */
	assert_string_equal(nearest("inof"), "info");
	assert_string_equal(nearest("insn"), "insns");
	assert_string_equal(nearest("erify"), "verify");
}

static void test_too_far(void **state)
{
	char longest[200];

	(void)state;
	memset(longest, 'r', sizeof(longest) - 1);
	longest[sizeof(longest) - 1] = '\0';
	assert_null(nearest("frobnicate"));
	assert_null(nearest("fono")); /* info */
	assert_null(nearest(""));
	assert_null(nearest("x"));
	assert_null(nearest("in")); /* two edits make any short word */
	assert_null(nearest(longest));
	assert_null(nearest_word("info", words, 0));
}

/* A letter of several bytes is one letter, and one of a word's. */
static void test_utf8(void **state)
{
	static const char *const names[] = { "z\xc3\xa4hle", "\xe4\xba\x8c\xe5\x8d\x81" };

	(void)state;
	assert_string_equal(nearest_word("zahle", names, 2), names[0]);
	assert_string_equal(nearest_word("z\xc3\xb6hle", names, 2), names[0]);
	/* Two letters: one may differ, not both. */
	assert_string_equal(nearest_word("\xe4\xba\x8c\xe5\x8d\x82", names, 2), names[1]);
	assert_null(nearest_word("\xe4\xba\x8d\xe5\x8d\x82", names, 2));
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_edits),
	cmocka_unit_test(test_too_far),
	cmocka_unit_test(test_utf8),
};

int main(void)
{
	return cmocka_run_group_tests(tests, NULL, NULL);
}
