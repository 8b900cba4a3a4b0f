// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Linked into every test program: with the environment variable CASE set, only test functions
 * whose names contain it run. tests/run.sh and `meson test` name one case so.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

__attribute__((constructor)) static void choose_case(void)
{
	static char pattern[256];
	const char *wanted = getenv("CASE");

	if (!wanted || !*wanted)
		return;
	snprintf(pattern, sizeof(pattern), "*%s*", wanted);
	cmocka_set_test_filter(pattern);
}
