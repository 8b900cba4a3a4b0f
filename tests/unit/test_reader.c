// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * format/reader, and what the public library makes of a damaged file: cut anywhere, it
 * opens and serves a prefix of what was there, or it is refused; any bit of it flipped, it
 * is found out, or all is there.
 */
#include "format/reader.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include <cmocka.h>

#include "sample.h"

enum { STREAMS = 2 };

static const char *const path = "reader.wmk";

/* What ran in each stream, as it is written. */
static struct sample_sequence written[STREAMS];
static uint8_t *file;
static size_t file_bytes;

/* Two streams, three chunks, blocks between them, a text, an event, a section unknown. */
static void write_file(bool torn)
{
	static const char text[] = "\2\1\0\3nop";
	struct sample sample;
	uint64_t seed = 1;

	memset(written, 0, sizeof(written));
	sample_open(&sample, path);
	sample_stream(&sample);
	for (uint32_t i = 0; i < 5; i++)
		sample_block(&sample, 0x10000 + 32 * i, 1 + i);
	sample_flush(&sample);
	sample_put(&sample, SECTION_DISA, text, sizeof(text) - 1);
	sample_event(&sample, 3, 99, "event");
	sample_ran(&sample, 0, 50, &seed, &written[0]);
	sample_stream(&sample);
	sample_put(&sample, SECTION_TYPE('N', 'E', 'W', '!'), "who knows", 9);
	for (uint32_t i = 0; i < 30; i++)
		sample_block(&sample, 0x20000, 3);
	sample_ran(&sample, 1, 70, &seed, &written[1]);
	sample_ran(&sample, 0, 90, &seed, &written[0]);
	sample_close(&sample, torn);
	free(file);
	file = sample_load(path, &file_bytes);
}

/* All of a stream, or up to an error, whose code it returns. */
static int read_stream(const struct wm_trace *trace, unsigned stream,
		       struct sample_sequence *got)
{
	struct wm_cursor *cursor;
	struct wm_step step;
	struct wm_block block;
	int ret;

	got->n = 0;
	ret = wm_cursor_new(&cursor, trace, stream, NULL);
	if (ret)
		return ret;
	while (!(ret = wm_cursor_next_block(cursor, &step, NULL))) {
		assert_int_equal(wm_trace_block(trace, step.id, &block), 0);
		assert_true(got->n < SAMPLE_SEQUENCE);
		got->addresses[got->n++] = block.address;
	}
	wm_cursor_free(cursor);
	return ret;
}

/*
 * Opens these bytes; what is served must be a prefix of what was written. Returns whether
 * all of it was, with nothing said against the file.
 */
static bool check_bytes(const uint8_t *data, size_t bytes)
{
	struct wm_check check = { .threads = 1 };
	struct wm_error err = { 0 };
	struct wm_summary summary;
	struct wm_trace *trace;
	struct sample_sequence got;
	bool all = true;
	char text[40];

	if (wm_trace_open_memory(&trace, data, bytes, &err)) {
		assert_true(err.code == WM_E_DAMAGED || err.code == WM_E_FORMAT);
		assert_true(*err.text);
		return false;
	}
	wm_trace_summary(trace, &summary);
	assert_true(summary.streams <= STREAMS);
	for (unsigned i = 0; i < STREAMS; i++) {
		int ret = read_stream(trace, i, &got);

		assert_true(got.n <= written[i].n);
		assert_memory_equal(got.addresses, written[i].addresses,
				    got.n * sizeof(*got.addresses));
		assert_true(ret == WM_END || ret == WM_E_DAMAGED || ret == WM_E_RANGE);
		all &= ret == WM_END && got.n == written[i].n;
	}
	if (wm_trace_verify(trace, &check, &err))
		summary.complete = false;
	if (summary.complete) {
		assert_true(all);
		assert_string_equal(wm_trace_meta(trace, "guest-isa"), "riscv64");
		assert_int_equal(wm_trace_disas_qemu(trace, 1, 0, text, sizeof(text)), 3);
		assert_string_equal(text, "nop");
	}
	wm_trace_close(trace);
	return summary.complete;
}

static void test_intact(void **state)
{
	struct reader *reader;
	const char *why;
	uint64_t end;

	(void)state;
	write_file(false);
	assert_true(check_bytes(file, file_bytes));
	assert_int_equal(reader_open_memory(&reader, file, file_bytes, NULL), 0);
	assert_true(reader_whole(reader, &why, &end));
	assert_null(why);
	assert_int_equal(reader_bytes(reader), file_bytes);
	assert_int_equal(reader_section(reader, 0)->off, FILE_HEADER_BYTES);
	reader_close(reader);
}

/* A copy that ends where it ends, for ASan. */
static void check_prefix(size_t bytes, bool all)
{
	uint8_t *copy = malloc(bytes + !bytes);

	assert_non_null(copy);
	memcpy(copy, file, bytes);
	assert_true(check_bytes(copy, bytes) == all);
	free(copy);
}

static void test_cut(void **state)
{
	(void)state;
	write_file(false);
	for (size_t bytes = 0; bytes < file_bytes; bytes++)
		check_prefix(bytes, false);
	check_prefix(file_bytes, true);
}

/* What follows the end is no part of a trace; the sections still are. */
static void test_trailing(void **state)
{
	uint8_t *longer;

	(void)state;
	write_file(false);
	longer = calloc(1, file_bytes + 100);
	assert_non_null(longer);
	memcpy(longer, file, file_bytes);
	assert_false(check_bytes(longer, file_bytes + 1));
	assert_false(check_bytes(longer, file_bytes + 100));
	free(longer);
}

static void test_flips(void **state)
{
	size_t harmless = 0;

	(void)state;
	write_file(false);
	for (size_t bit = 0; bit < 8 * file_bytes; bit++) {
		file[bit / 8] ^= (uint8_t)(1 << bit % 8);
		harmless += check_bytes(file, file_bytes);
		file[bit / 8] ^= (uint8_t)(1 << bit % 8);
	}
	assert_int_equal(harmless, 0); /* a damaged end is said, too */
}

/* Without its end, all that is whole is served. */
static void test_torn(void **state)
{
	struct wm_summary summary;
	struct wm_trace *trace;
	struct sample_sequence got;

	(void)state;
	write_file(true);
	assert_false(check_bytes(file, file_bytes));
	assert_int_equal(wm_trace_open(&trace, path, NULL), 0);
	wm_trace_summary(trace, &summary);
	assert_false(summary.complete);
	assert_non_null(summary.cut);
	assert_int_equal(summary.damage_off, file_bytes);
	for (unsigned i = 0; i < STREAMS; i++) {
		assert_int_equal(read_stream(trace, i, &got), WM_END);
		assert_int_equal(got.n, written[i].n);
	}
	wm_trace_close(trace);
}

/* ---- tables of contents that lie ----------------------------------------- */

static uint64_t get64(const uint8_t *at)
{
	struct span span = span_of(at, 8);

	return span_u64(&span);
}

/* The table of contents, to be changed; seal_toc() makes its checksum right again. */
static uint8_t *toc(void)
{
	return file + get64(file + file_bytes - FILE_TRAILER_BYTES);
}

static void seal_toc(void)
{
	uint8_t *header = toc();

	put_u64(header + 24, section_checksum(header, header + 32, get64(header + 8)));
}

static uint8_t *entries(void)
{
	return toc() + SECTION_HEADER_BYTES + 8;
}

/* The file again, its table of contents not compressed: then it can lie. */
static void write_plain(void)
{
	uint8_t header[SECTION_HEADER_BYTES], trailer[FILE_TRAILER_BYTES];
	struct section section = { .type = SECTION_TOCS };
	struct buf payload = BUF_INIT, plain = BUF_INIT;
	struct reader *reader;
	uint64_t off;

	write_file(false);
	off = (uint64_t)(toc() - file);
	assert_int_equal(reader_open_memory(&reader, file, file_bytes, NULL), 0);
	buf_put_u64(&payload, reader_sections(reader));
	for (size_t i = 0; i < reader_sections(reader); i++) {
		buf_put_u32(&payload, reader_section(reader, i)->type);
		buf_put_u32(&payload, 0);
		buf_put_u64(&payload, reader_section(reader, i)->off);
	}
	reader_close(reader);
	section.raw = section.stored = payload.len;
	section_header_put(header, &section, payload.data);
	file_trailer_put(trailer, off);
	buf_put(&plain, file, off);
	buf_put(&plain, header, sizeof(header));
	buf_put(&plain, payload.data, payload.len);
	buf_put(&plain, trailer, sizeof(trailer));
	assert_false(payload.failed || plain.failed);
	buf_fini(&payload);
	free(file);
	file = plain.data;
	file_bytes = plain.len;
}

/* The file must still be served whole, by walking. */
static void check_walked(void)
{
	struct wm_summary summary;
	struct wm_trace *trace;
	struct sample_sequence got;

	seal_toc();
	assert_int_equal(wm_trace_open_memory(&trace, file, file_bytes, NULL), 0);
	wm_trace_summary(trace, &summary);
	assert_false(summary.complete);
	for (unsigned i = 0; i < STREAMS; i++) {
		assert_int_equal(read_stream(trace, i, &got), WM_END);
		assert_int_equal(got.n, written[i].n);
	}
	wm_trace_close(trace);
	write_plain();
}

static void test_lying_toc(void **state)
{
	uint64_t count;

	(void)state;
	write_plain();
	assert_true(check_bytes(file, file_bytes));
	count = get64(toc() + 32);
	put_u64(toc() + 32, count - 1);
	check_walked();
	put_u64(toc() + 32, count + 1);
	check_walked();
	put_u64(toc() + 32, UINT64_MAX);
	check_walked();
	put_u64(toc() + 32, 1ull << 60);
	check_walked();
	put_u32(entries(), SECTION_PATH); /* not the type of what is there */
	check_walked();
	put_u64(entries() + 8, 0);
	check_walked();
	put_u64(entries() + 8, UINT64_MAX);
	check_walked();
	put_u64(entries() + 8, UINT64_MAX - 31);
	check_walked();
	put_u64(entries() + 8, file_bytes - 10);
	check_walked();
	memmove(entries(), entries() + 16, 16); /* the first one is missing */
	check_walked();
	memmove(entries() + 16, entries(), 16); /* the same twice */
	check_walked();
	put_u32(toc(), SECTION_META); /* no table at all */
	check_walked();
}

static void test_lying_trailer(void **state)
{
	static const uint64_t offs[] = { 0, 1, 32, 33, 1u << 20, 1ull << 63, UINT64_MAX };

	(void)state;
	write_file(false);
	for (unsigned i = 0; i < sizeof(offs) / sizeof(*offs); i++) {
		file_trailer_put(file + file_bytes - FILE_TRAILER_BYTES, offs[i]);
		assert_false(check_bytes(file, file_bytes));
	}
}

/* Many sections that are tiny except for what is compressed into them: refused. */
static void test_bomb(void **state)
{
	uint8_t header[SECTION_HEADER_BYTES], *zeros = calloc(1, SECTION_RAW_MAX);
	struct buf packed = BUF_INIT, bomb = BUF_INIT;
	struct section section = { .type = SECTION_META, .flags = SECTION_ZSTD };
	struct wm_error err = { 0 };
	struct wm_trace *trace;

	(void)state;
	assert_non_null(zeros);
	assert_true(buf_reserve(&packed, ZSTD_compressBound(SECTION_RAW_MAX)));
	section.raw = SECTION_RAW_MAX;
	section.stored =
		ZSTD_compress(packed.data, packed.cap, zeros, SECTION_RAW_MAX, 1);
	section_header_put(header, &section, packed.data);
	write_file(false);
	buf_put(&bomb, file, FILE_HEADER_BYTES);
	for (unsigned i = 0; i <= FILE_UNPACKED_MAX / SECTION_RAW_MAX; i++) {
		buf_put(&bomb, header, sizeof(header));
		buf_put(&bomb, packed.data, section.stored);
	}
	assert_true(!bomb.failed && bomb.len < 1 << 20);
	assert_int_equal(wm_trace_open_memory(&trace, bomb.data, bomb.len, &err),
			 WM_E_DAMAGED);
	assert_non_null(strstr(err.text, "more is compressed"));
	free(zeros);
	buf_fini(&packed);
	buf_fini(&bomb);
}

/* ---- other things than files --------------------------------------------- */

static int code_of(const char *name)
{
	struct reader *reader;
	struct wm_error err = { 0 };
	int ret = reader_open(&reader, name, &err);

	assert_int_not_equal(ret, 0);
	assert_int_equal(ret, err.code);
	assert_true(*err.text);
	return ret;
}

static void test_no_trace(void **state)
{
	(void)state;
	assert_int_equal(code_of("missing.wmk"), WM_E_IO);
	assert_int_equal(code_of("/"), WM_E_IO);
	assert_int_equal(code_of("/dev/zero"), WM_E_IO);
	assert_int_equal(mkfifo("reader.fifo", 0600), 0);
	assert_int_equal(code_of("reader.fifo"), WM_E_IO);
	unlink("reader.fifo");
	sample_save(path, (const uint8_t *)"", 0);
	assert_int_equal(code_of(path), WM_E_FORMAT);
	sample_save(path, (const uint8_t *)"#!/bin/sh\nexit 0 # longer than a header",
		    40);
	assert_int_equal(code_of(path), WM_E_FORMAT);
}

/* A file that shrinks while it is open. */
static void test_shrinking(void **state)
{
	struct buf payload = BUF_INIT;
	struct reader *reader;
	struct wm_error err;
	size_t last;

	(void)state;
	write_file(false);
	assert_int_equal(reader_open(&reader, path, NULL), 0);
	last = reader_sections(reader) - 1;
	assert_int_equal(truncate(path, (off_t)reader_section(reader, last)->off + 10),
			 0);
	assert_int_equal(reader_read(reader, reader_section(reader, last), &payload,
				     &err),
			 WM_E_DAMAGED);
	assert_int_equal(reader_read(reader, reader_section(reader, 0), &payload, &err),
			 0);
	reader_close(reader);
	buf_fini(&payload);
}

static int tear_down(void **state)
{
	(void)state;
	free(file);
	unlink(path);
	return 0;
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_intact),	      cmocka_unit_test(test_cut),
	cmocka_unit_test(test_trailing),      cmocka_unit_test(test_flips),
	cmocka_unit_test(test_torn),	      cmocka_unit_test(test_lying_toc),
	cmocka_unit_test(test_lying_trailer), cmocka_unit_test(test_bomb),
	cmocka_unit_test(test_no_trace),      cmocka_unit_test(test_shrinking),
};

int main(void)
{
	return cmocka_run_group_tests_name("reader", tests, NULL, tear_down);
}
