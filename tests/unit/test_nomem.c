// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Memory that runs out: each scenario runs with its n-th allocation failing, for every n
 * until none is left to fail. It must end in WM_E_NOMEM or do without, lose nothing that was
 * there before, and leak nothing.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/intern.h"
#include "collect/newest.h"
#include "exhaust.h"
#include "format/blocks.h"
#include "format/chunk.h"
#include "format/reader.h"
#include "format/records.h"
#include "format/section.h"
#include "format/symtab.h"
#include "format/writer.h"
#include "trace/recover.h"
#include "waymark.h"

/* ---- writing ------------------------------------------------------------- */

enum { BLOCKS = 600, IDS = 4000 };

static const char *const path = "nomem.wmk";
static uint32_t ids[IDS];

static int put(struct writer *writer, uint32_t type, struct buf *payload, uint64_t *off)
{
	int ret = writer_put(writer, type, payload, 3, off, NULL);

	payload->len = 0;
	payload->failed = false;
	return ret;
}

static bool put_names(struct buf *payload)
{
	struct symtab_segment segment = { 0, 100, 0, true };
	struct symtab_range range = { .start = 0, .end = 100 };
	struct symtab_head head = { (char *)"c0ffee", (char *)"" };
	uint8_t name[] = "name";
	struct symtab symtab = {
		&segment, 1, &range, 1, { name, sizeof(name), 0, false }
	};

	return symtab_put(payload, &head, &symtab);
}

static int put_records(struct writer *writer, struct buf *payload)
{
	struct space_record process = { 0, 1,	      SPACE_NONE, 2, (char *)"/bin/guest",
					0, SPACE_NONE };
	struct stream_record stream = { 0, 0, 0, 0, 1, (char *)"main", 0 };
	struct module_record module = {
		0, 1, 2, 3, (char *)"/lib/libc.so.6", 0, 1, (char *)"c0ffee"
	};
	int ret;

	meta_put(payload, "guest-isa", "none");
	ret = put(writer, SECTION_META, payload, NULL);
	space_put(payload, &process);
	if (!ret)
		ret = put(writer, SECTION_PROC, payload, NULL);
	for (unsigned i = 0; i < 2 && !ret; i++) {
		stream_put(payload, &stream); /* the second replaces the first */
		ret = put(writer, SECTION_STRM, payload, NULL);
	}
	module_put(payload, &module);
	if (!ret)
		ret = put(writer, SECTION_MODU, payload, NULL);
	if (!ret && !put_names(payload))
		ret = WM_E_NOMEM;
	if (!ret)
		ret = put(writer, SECTION_SYMS, payload, NULL);
	return ret;
}

static int put_blocks(struct writer *writer, struct buf *payload)
{
	static const uint8_t nops[4] = { 1, 0, 1, 0 }, sizes[2] = { 2, 2 };
	struct blocks_writer blocks;
	int ret = 0;

	blocks_writer_init(&blocks, SIZES_LISTED, 1);
	for (uint32_t i = 0; i < BLOCKS && !ret; i++) {
		struct wm_block block = { 0x1000 + 16 * i, 2, 4, sizes, nops };

		if (!blocks_writer_add(&blocks, &block))
			ret = WM_E_NOMEM;
	}
	if (!ret) {
		blocks_writer_flush(&blocks, payload);
		ret = put(writer, SECTION_BLKS, payload, NULL);
	}
	blocks_writer_fini(&blocks);
	return ret;
}

static int put_texts(struct writer *writer, struct buf *payload)
{
	for (unsigned i = 0; i < 1200; i++) {
		buf_put_u8(payload, 4);
		buf_put_u32(payload, 0x00010001 + 4 * i);
		buf_put_string(payload, "nop");
	}
	return put(writer, SECTION_DISA, payload, NULL);
}

static int put_chunk(struct writer *writer, struct encoder *encoder, struct buf *payload)
{
	struct chunk_head head = { .insns = 2 * IDS, .known = BLOCKS };
	struct buf events = BUF_INIT;
	struct codes codes;
	int ret;

	encoder_finish(encoder, &codes);
	head.blocks = codes.blocks;
	path_put(payload, &codes, &events);
	ret = put(writer, SECTION_PATH, payload, &head.path_off);
	chunk_put(payload, &head, encoder_counts(encoder));
	if (!ret)
		ret = put(writer, SECTION_CHNK, payload, NULL);
	payload->len = 0;
	end_put(payload, "");
	if (!ret)
		ret = put(writer, SECTION_ENDS, payload, NULL);
	return ret;
}

static int encode(struct writer *writer, struct buf *payload)
{
	struct encoder *encoder = encoder_new(IDS);
	int ret = WM_E_NOMEM;

	if (encoder && !encoder_know(encoder, 10) && !encoder_know(encoder, BLOCKS) &&
	    encoder_feed(encoder, ids, IDS) == IDS)
		ret = put_chunk(writer, encoder, payload);
	encoder_free(encoder);
	return ret;
}

static int write_file(void)
{
	struct buf payload = BUF_INIT;
	struct writer *writer;
	int ret = writer_open(&writer, path, NULL);

	if (ret)
		return ret;
	ret = put_records(writer, &payload);
	if (!ret)
		ret = put_blocks(writer, &payload);
	if (!ret)
		ret = put_texts(writer, &payload);
	if (!ret)
		ret = encode(writer, &payload);
	buf_fini(&payload);
	if (!ret)
		ret = writer_publish(writer, NULL);
	if (!ret)
		return writer_finish(writer, NULL);
	writer_abort(writer);
	return ret;
}

/* ---- reading ------------------------------------------------------------- */

static int read_stream(struct wm_cursor *cursor, struct wm_error *err)
{
	struct wm_step step;
	size_t n = 0;
	int ret;

	while (!(ret = wm_cursor_next_block(cursor, &step, err)))
		assert_int_equal(step.id, ids[n++]);
	if (ret == WM_END)
		assert_int_equal(n, IDS);
	if (ret == WM_END)
		ret = wm_cursor_seek_insn(cursor, IDS, err);
	if (!ret)
		ret = wm_cursor_next_insn(cursor, &step, err);
	if (!ret)
		assert_int_equal(step.insn_ordinal, IDS);
	return ret;
}

static int read_trace(const struct wm_trace *trace, struct wm_error *err)
{
	struct wm_check check = { .threads = 1 };
	struct wm_cursor *cursor;
	struct wm_count *counts;
	char text[10];
	size_t n;
	int ret = wm_trace_histogram(trace, 0, &counts, &n, err);

	if (!ret)
		free(counts);
	if (!ret)
		ret = wm_cursor_new(&cursor, trace, 0, err);
	if (!ret) {
		ret = read_stream(cursor, err);
		wm_cursor_free(cursor);
	}
	for (uint32_t id = 0; id <= BLOCKS; id++) /* cannot fail, whatever was loaded */
		wm_trace_disas(trace, id, 0, text, sizeof(text));
	if (!ret)
		ret = wm_trace_verify(trace, &check, err);
	return ret;
}

static int read_file(void)
{
	struct wm_error err = { 0 };
	struct wm_trace *trace;
	int ret = wm_trace_open(&trace, path, &err);

	if (!ret) {
		ret = read_trace(trace, &err);
		wm_trace_close(trace);
	}
	if (ret) {
		assert_int_equal(err.code, ret);
		assert_non_null(strstr(err.text, "out of memory"));
	}
	return ret;
}

static void check_file(void)
{
	assert_int_equal(read_file(), 0);
}

/* The same without a table of contents: by walking. */
static int read_torn(void)
{
	struct wm_summary summary;
	struct wm_trace *trace;
	int ret = wm_trace_open(&trace, path, NULL);

	if (ret)
		return ret;
	wm_trace_summary(trace, &summary);
	assert_int_equal(summary.known_blocks, BLOCKS);
	assert_int_equal(summary.blocks, IDS);
	wm_trace_close(trace);
	return 0;
}

static void test_writing(void **state)
{
	(void)state;
	exhaust(write_file, check_file);
}

static void test_reading(void **state)
{
	(void)state;
	assert_int_equal(write_file(), 0);
	exhaust(read_file, NULL);
}

static void test_walking(void **state)
{
	struct stat st;

	(void)state;
	assert_int_equal(write_file(), 0);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(truncate(path, st.st_size - 1), 0);
	exhaust(read_torn, NULL);
}

/* ---- recovering ---------------------------------------------------------- */

static const char *const copy_path = "nomem.copy.wmk";

static int recover(void)
{
	struct wm_error err = { 0 };
	struct salvage *salvage;
	int ret = trace_recover(&salvage, path, copy_path, &err);

	salvage_close(salvage);
	if (ret)
		assert_non_null(strstr(err.text, "out of memory"));
	return ret;
}

static void check_copy(void)
{
	struct wm_check check = { .threads = 1 };
	struct wm_summary summary;
	struct wm_trace *trace;

	assert_int_equal(wm_trace_open(&trace, copy_path, NULL), 0);
	assert_int_equal(wm_trace_verify(trace, &check, NULL), 0);
	wm_trace_summary(trace, &summary);
	assert_int_equal(summary.blocks, IDS);
	assert_non_null(summary.cut);
	wm_trace_close(trace);
}

/* Damages the sections of a type. */
static void damage(uint32_t type)
{
	struct reader *reader;
	FILE *file = fopen(path, "r+b");

	assert_non_null(file);
	assert_int_equal(reader_open(&reader, path, NULL), 0);
	for (size_t i = 0; i < reader_sections(reader); i++) {
		const struct section *section = reader_section(reader, i);

		if (section->type != type)
			continue;
		assert_int_equal(fseek(file, (long)section->off + 24, SEEK_SET), 0);
		assert_int_equal(fputs("damaged!", file) >= 0, true);
	}
	reader_close(reader);
	assert_int_equal(fclose(file), 0);
}

static void test_recovering(void **state)
{
	(void)state;
	assert_int_equal(write_file(), 0);
	damage(SECTION_PROC);
	damage(SECTION_STRM);
	damage(SECTION_PATH);
	exhaust(recover, check_copy);
	assert_int_equal(write_file(), 0);
	damage(SECTION_BLKS);
	exhaust(recover, check_copy);
}

/* ---- keeping the newest part --------------------------------------------- */

enum { PIECE = 500, PIECES = IDS / PIECE };

static int put_pieces(struct output *out, struct newest *newest, struct stream *stream)
{
	static uint16_t insns_of[BLOCKS + 1];
	int ret = stream_know(stream, BLOCKS) ? WM_E_NOMEM : 0;

	for (uint32_t i = 0; i <= BLOCKS; i++)
		insns_of[i] = 2;
	for (unsigned i = 0; i < PIECES && !ret; i++) {
		if (stream_feed(stream, ids + i * PIECE, PIECE) < PIECE)
			return WM_E_NOMEM;
		stream->dropped = newest_dropped(newest, 0);
		ret = stream_flush(stream, out->writer, insns_of, BLOCKS, NULL);
		if (!ret)
			newest_chunk(newest, out, 0, 2, PIECE, 2 * PIECE);
	}
	return ret ? ret : newest_finish(newest, out, insns_of, BLOCKS, NULL, NULL);
}

static int record_pieces(struct output *out, struct newest *newest)
{
	struct buf payload = BUF_INIT;
	int ret = put_records(out->writer, &payload);
	struct encoders pool;
	struct stream *stream;

	encoders_init(&pool, SIZE_MAX, &stream_no_limits);
	stream = stream_new(0, 0, &pool);
	if (!ret && !stream)
		ret = WM_E_NOMEM;
	if (!ret)
		ret = put_blocks(out->writer, &payload);
	if (!ret)
		ret = put_pieces(out, newest, stream);
	end_put(&payload, "");
	if (!ret)
		ret = put(out->writer, SECTION_ENDS, &payload, NULL);
	buf_fini(&payload);
	stream_free(stream);
	encoders_fini(&pool);
	return ret;
}

static int keep_newest(void)
{
	struct newest_wish wish = { .insns = PIECE };
	struct output out = { .writer = NULL };
	struct newest newest;
	int ret = writer_open(&out.writer, path, NULL);

	if (ret)
		return ret;
	newest_init(&newest, &wish);
	newest.least_bytes = 1;
	ret = writer_publish(out.writer, NULL);
	if (!ret)
		ret = record_pieces(&out, &newest);
	if (!ret)
		ret = writer_finish(out.writer, NULL);
	else
		writer_abort(out.writer);
	newest_fini(&newest);
	return ret;
}

/* It has the end of the sequence: what was asked for, or more. */
static void check_newest(void)
{
	struct wm_check check = { .threads = 1 };
	struct wm_cursor *cursor;
	struct wm_trace *trace;
	struct wm_step step;
	size_t at;

	assert_int_equal(wm_trace_open(&trace, path, NULL), 0);
	assert_int_equal(wm_trace_verify(trace, &check, NULL), 0);
	assert_true(check.blocks >= PIECE / 2 && check.blocks <= IDS);
	assert_int_equal(wm_cursor_new(&cursor, trace, 0, NULL), 0);
	for (at = IDS - check.blocks; !wm_cursor_next_block(cursor, &step, NULL); at++)
		assert_int_equal(step.id, ids[at]);
	assert_int_equal(at, IDS);
	wm_cursor_free(cursor);
	wm_trace_close(trace);
}

static void test_newest(void **state)
{
	(void)state;
	assert_int_equal(keep_newest(), 0);
	check_newest();
	exhaust(keep_newest, check_newest);
}

/* ---- the parts whose users go on after a failure ------------------------- */

static int intern_many(void)
{
	struct interner in = INTERNER_INIT;
	uint32_t code;
	int ret = 0;

	for (code = 0; code < 5000 && !ret; code++) {
		bool fresh;
		uint32_t id =
			intern(&in, 1, (const uint8_t *)&code, sizeof(code), &fresh);

		if (!id)
			ret = WM_E_NOMEM;
		else
			assert_int_equal(id, code + 1);
	}
	if (ret && !exhaust_onward()) { /* again: as if nothing had been */
		bool fresh;

		code--;
		assert_int_equal(intern(&in, 1, (const uint8_t *)&code, 4, &fresh),
				 code + 1);
		assert_true(fresh);
	}
	interner_fini(&in);
	return ret;
}

/* A block that could not be added is not there, and the others are. */
static int add_blocks(void)
{
	static const uint8_t nops[4] = { 1, 0, 1, 0 };
	struct block_table table = { 0 };
	struct buf payload = BUF_INIT;
	struct blocks_writer writer;
	uint32_t added = 0;
	int ret = 0;

	blocks_writer_init(&writer, SIZES_RISCV, 1);
	for (uint32_t i = 0; i < BLOCKS; i++)
		added += blocks_writer_add(&writer, &(struct wm_block){ 16 * i, 2, 4,
									NULL, nops });
	assert_int_equal(writer.count, added);
	blocks_writer_flush(&writer, &payload);
	if (payload.failed)
		ret = WM_E_NOMEM;
	else
		ret = block_table_add(&table, span_of(payload.data, payload.len), NULL);
	if (!ret)
		assert_int_equal(table.count, added);
	block_table_fini(&table);
	blocks_writer_fini(&writer);
	buf_fini(&payload);
	return ret;
}

static void test_interning(void **state)
{
	(void)state;
	exhaust(intern_many, NULL);
}

static void test_blocks(void **state)
{
	(void)state;
	exhaust(add_blocks, NULL);
}

static int set_up(void **state)
{
	(void)state;
	for (uint32_t i = 0; i < IDS; i++)
		ids[i] = i < BLOCKS ? i + 1 : 1 + i * i / 77 % BLOCKS;
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	unlink(path);
	unlink(copy_path);
	return 0;
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_writing), cmocka_unit_test(test_reading),
	cmocka_unit_test(test_walking), cmocka_unit_test(test_interning),
	cmocka_unit_test(test_blocks),	cmocka_unit_test(test_recovering),
	cmocka_unit_test(test_newest),
};

int main(void)
{
	return cmocka_run_group_tests_name("nomem", tests, set_up, tear_down);
}
