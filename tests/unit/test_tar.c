// SPDX-License-Identifier: GPL-2.0-or-later
/* out/tar: files of any size in an archive. The sanitizers see what is read (tests/sanitize.sh). */
#include "out/tar.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { BLOCK = 512 };

/* The archive of one file with the first `bytes` bytes of a text. */
static size_t archive(char *to, size_t most, size_t bytes)
{
	FILE *out = fmemopen(to, most, "w");
	struct buf file = BUF_INIT;

	assert_non_null(out);
	buf_put(&file, "text", bytes);
	tar_put(out, "name", &file);
	assert_int_equal(file.len, 0);
	buf_fini(&file);

	size_t size = (size_t)ftell(out);

	fclose(out);
	return size;
}

static void test_file(void **state)
{
	char tar[3 * BLOCK];

	(void)state;
	assert_int_equal(archive(tar, sizeof(tar), 4), 2 * BLOCK);
	assert_string_equal(tar, "name");
	assert_string_equal(tar + 124, "00000000004");
	assert_string_equal(tar + BLOCK, "text");
}

/* As the events of a trace without threads: nothing was ever put into the buffer. */
static void test_empty_file(void **state)
{
	char tar[2 * BLOCK];

	(void)state;
	assert_int_equal(archive(tar, sizeof(tar), 0), BLOCK);
	assert_string_equal(tar + 124, "00000000000");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_file),
		cmocka_unit_test(test_empty_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
