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

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_edits),
	cmocka_unit_test(test_too_far),
};

int main(void)
{
	return cmocka_run_group_tests(tests, NULL, NULL);
}
