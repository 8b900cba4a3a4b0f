// SPDX-License-Identifier: GPL-2.0-or-later
/* analysis/cache/fetches: which fetches of a block are listed. */
#include "analysis/cache/fetches.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* "insn+off:bytes", of a block of instructions of these sizes, with lines of 64 bytes. */
static void check(uint64_t address, const char *sizes, const char *wanted)
{
	uint8_t bytes[64];
	struct wm_block block = { .address = address,
				  .insns = (uint16_t)strlen(sizes),
				  .sizes = bytes };
	struct fetches *fetches;
	char text[256] = "";

	for (unsigned i = 0; i < block.insns; i++)
		bytes[i] = (uint8_t)(sizes[i] - '0');
	fetches = fetches_new(&block, 6);
	assert_non_null(fetches);
	for (uint32_t i = 0; i < fetches->n; i++)
		snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s%u+%u:%u",
			 i ? " " : "", fetches->all[i].insn, fetches->all[i].off,
			 fetches->all[i].bytes);
	assert_string_equal(text, wanted);
	free(fetches);
}

static void test_lines(void **state)
{
	(void)state;
	check(0x1000, "4444", "0+0:4");
	check(0x1038, "4444", "0+0:4 2+8:4");
	/* Across the end of a line; what follows is in the second one. */
	check(0x1036, "4444", "0+0:4 2+8:4");
	check(0x103e, "444", "0+0:4");
	check(0x103e, "224", "0+0:2 1+2:2");
	/* The line that begins with address 0. */
	check(0x0, "44", "0+0:4");
}

static void test_no_code(void **state)
{
	(void)state;
	check(0x1000, "404", "");
	check(0x1000, "", "");
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lines),
		cmocka_unit_test(test_no_code),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
