// SPDX-License-Identifier: GPL-2.0-or-later
/* format/code_files: sections that leave code in files, made whole; and files that are wrong. */
#include "format/code_files.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/error.h"

enum { BIAS = 0x10000, FILE_BYTES = 4096, BLOCKS = 300 };

static uint8_t in_file[FILE_BYTES];
static FILE *file;
static unsigned opened;

static int open_file(void *cookie, const char *path, const char *build_id,
		     struct wm_error *err)
{
	(void)cookie;
	if (strcmp(build_id, "4f2a") || strcmp(path, "/bin/app"))
		return wm_fail(err, WM_E_IO, 0, "%s is missing", path);
	opened++;
	return fileno(file);
}

static const struct code_source source = { open_file, NULL };

static int set_up(void **state)
{
	(void)state;
	for (unsigned i = 0; i < FILE_BYTES; i += 2) {
		/* Instructions of two bytes, of RISC-V, too. */
		in_file[i] = (uint8_t)(i * 7) & 0xfc;
		in_file[i + 1] = (uint8_t)(i >> 3);
	}
	file = tmpfile();
	return !file || fwrite(in_file, FILE_BYTES, 1, file) != 1 || fflush(file);
}

static int tear_down(void **state)
{
	(void)state;
	return fclose(file);
}

/* Block i: every third is in memory only, all others are in the file. */
static struct wm_block block_of(uint32_t i)
{
	static const uint8_t sizes[8] = { 2, 2, 2, 2, 2, 2, 2, 2 };
	static uint8_t own[16];
	uint32_t off = i * 13 % 200 * 16, insns = 1 + i % 8;
	struct wm_block block = { BIAS + off, insns, 2 * insns, sizes, in_file + off };

	if (i % 3 == 0) {
		memset(own, (int)(i & 0xfc), sizeof(own));
		block.code = own;
	}
	if (i % 50 == 3)
		block = (struct wm_block){ 0 };
	return block;
}

static void write_blocks(struct buf *payload, enum sizes_rule rule, bool refers)
{
	static const struct blocks_file files[] = { { "/bin/app", "4f2a", BIAS } };
	struct blocks_writer writer;

	blocks_writer_init(&writer, rule, 1);
	if (refers)
		assert_true(blocks_writer_use_files(&writer, files));
	for (uint32_t i = 0; i < BLOCKS; i++) {
		struct wm_block block = block_of(i);

		assert_true(blocks_writer_add_from(&writer, &block,
						   refers && i % 3 && block.insns));
	}
	blocks_writer_flush(&writer, payload);
	blocks_writer_fini(&writer);
}

static void check_rule(enum sizes_rule rule)
{
	struct buf plain = BUF_INIT, refers = BUF_INIT, whole = BUF_INIT;

	write_blocks(&plain, rule, false);
	write_blocks(&refers, rule, true);
	assert_false(code_files_in(span_of(plain.data, plain.len)));
	assert_true(code_files_in(span_of(refers.data, refers.len)));
	assert_true(refers.len < plain.len);
	opened = 0;
	assert_int_equal(code_files_resolve(&whole, span_of(refers.data, refers.len),
					    &source, NULL),
			 0);
	assert_int_equal(opened, 1);
	assert_int_equal(whole.len, plain.len);
	assert_memory_equal(whole.data, plain.data, plain.len);
	/* Cut short anywhere, it is malformed. */
	for (size_t n = 0; n < refers.len; n++) {
		uint8_t *copy = malloc(n + 1);

		memcpy(copy, refers.data, n);
		assert_int_not_equal(
			code_files_resolve(&whole, span_of(copy, n), &source, NULL), 0);
		free(copy);
	}
	buf_fini(&plain);
	buf_fini(&refers);
	buf_fini(&whole);
}

static void test_rules(void **state)
{
	(void)state;
	check_rule(SIZES_LISTED);
	check_rule(SIZES_RISCV);
}

/* A section whose blocks have all their code is unchanged, and so is the next one. */
static void test_without(void **state)
{
	static const struct blocks_file files[] = { { "/bin/app", "4f2a", BIAS } };
	struct wm_block block = block_of(1);
	struct buf payload = BUF_INIT;
	struct blocks_writer writer;

	(void)state;
	blocks_writer_init(&writer, SIZES_RISCV, 1);
	assert_true(blocks_writer_use_files(&writer, files));
	assert_true(blocks_writer_add_from(&writer, &block, 1));
	assert_true(blocks_writer_bytes(&writer) > block.bytes);
	blocks_writer_flush(&writer, &payload);
	assert_true(code_files_in(span_of(payload.data, payload.len)));
	assert_int_equal(blocks_writer_bytes(&writer), 0);
	payload.len = 0;
	assert_true(blocks_writer_add(&writer, &block));
	blocks_writer_flush(&writer, &payload);
	assert_false(code_files_in(span_of(payload.data, payload.len)));
	blocks_writer_fini(&writer);
	buf_fini(&payload);
}

static void test_wrong_files(void **state)
{
	static const struct blocks_file files[] = { { "/bin/gone", "4f2a", BIAS } };
	struct wm_block block = block_of(1);
	struct buf payload = BUF_INIT, whole = BUF_INIT;
	struct blocks_writer writer;
	struct wm_error err;

	(void)state;
	write_blocks(&payload, SIZES_RISCV, true);
	/* Patched: the error names the file. */
	assert_int_equal(pwrite(fileno(file), "\x40", 1, 13 * 16), 1);
	assert_int_equal(code_files_resolve(&whole, span_of(payload.data, payload.len),
					    &source, &err),
			 WM_E_IO);
	assert_non_null(strstr(err.text, "/bin/app"));
	assert_int_equal(pwrite(fileno(file), in_file + 13 * 16, 1, 13 * 16), 1);
	payload.len = 0;
	blocks_writer_init(&writer, SIZES_RISCV, 1);
	assert_true(blocks_writer_use_files(&writer, files));
	assert_true(blocks_writer_add_from(&writer, &block, 1));
	blocks_writer_flush(&writer, &payload);
	blocks_writer_fini(&writer);
	assert_int_equal(code_files_resolve(&whole, span_of(payload.data, payload.len),
					    &source, &err),
			 WM_E_IO);
	assert_string_equal(err.text, "/bin/gone is missing");
	buf_fini(&payload);
	buf_fini(&whole);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rules),
		cmocka_unit_test(test_without),
		cmocka_unit_test(test_wrong_files),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
