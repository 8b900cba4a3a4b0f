// SPDX-License-Identifier: GPL-2.0-or-later
/* program/made/noted: code that an agent told, its lines and inlined calls. */
#include "program/made/noted.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char *text_of(const struct made *made, uint32_t text)
{
	return (const char *)made->texts.data + text;
}

static void put_frame(struct buf *data, unsigned method, unsigned line)
{
	buf_put_varint(data, method);
	buf_put_varint(data, line / 10);
	buf_put_varint(data, line);
}

/* The example in the head of noted.c: 0x70 bytes at 0x1000. */
static void put_code(struct buf *data)
{
	static const char code[0x70];

	buf_put_varint(data, 0x1000);
	buf_put_varint(data, sizeof(code));
	buf_put_string(data, "A.f");
	buf_put_string(data, "F.java");
	buf_put_string(data, "C2");
	buf_put_varint(data, NOTE_OPTIMISED);
	buf_put_varint(data, 0x11);
	buf_put_varint(data, 3);
	buf_put_string(data, "A.f");
	buf_put_string(data, "F.java");
	buf_put_varint(data, 0xf000);
	buf_put_string(data, "A.g");
	buf_put_string(data, "G.java");
	buf_put_varint(data, 0x9000);
	buf_put_string(data, "A.h");
	buf_put_string(data, "H.java");
	buf_put_varint(data, 0);
	buf_put_varint(data, 4);
	buf_put_varint(data, 0);
	buf_put_varint(data, 1);
	put_frame(data, 0, 10);
	buf_put_varint(data, 0x20);
	buf_put_varint(data, 2);
	put_frame(data, 0, 11);
	put_frame(data, 1, 30);
	buf_put_varint(data, 0x20);
	buf_put_varint(data, 3);
	put_frame(data, 0, 11);
	put_frame(data, 1, 31);
	put_frame(data, 2, 7);
	buf_put_varint(data, 0x20);
	buf_put_varint(data, 1);
	put_frame(data, 0, 12);
	buf_put(data, code, sizeof(code));
}

static void keep(struct buf *text, uint32_t kind, const struct buf *data, size_t bytes)
{
	struct note note = { .ns = 5, .kind = kind, .data = data->data, .bytes = bytes };

	made_keep_note(text, &note);
}

static void expect_call(const struct made *made, uint32_t call, uint64_t start,
			uint64_t end, const char *name, uint32_t line)
{
	assert_int_equal(made->calls[call].start, start);
	assert_int_equal(made->calls[call].end, end);
	assert_string_equal(text_of(made, made->calls[call].name), name);
	assert_int_equal(made->calls[call].line, line);
}

static void test_code(void **state)
{
	struct buf data = BUF_INIT, text = BUF_INIT;
	struct made made = MADE_INIT;

	(void)state;
	put_code(&data);
	keep(&text, NOTE_CODE, &data, data.len);
	assert_true(made_read_notes(&made, (const char *)text.data, text.len));
	assert_int_equal(made.n, 1);
	assert_string_equal(text_of(&made, made.pieces[0].name), "A.f [C2]");
	assert_int_equal(made.pieces[0].end, 0x1070);
	assert_int_equal(made.pieces[0].lines, 4);
	assert_int_equal(made.lines[2].address, 0x1040);
	assert_int_equal(made.lines[2].number, 7);
	assert_int_equal(made.lines[1].unit, 0x9000);
	assert_int_equal(made.lines[1].offset, 2);
	assert_int_equal(made.lines[2].unit, 0);
	assert_int_equal(made.calls[0].unit, 0xf000);
	assert_int_equal(made.calls[0].offset, 0);
	assert_int_equal(made.pieces[0].entry, 0x1010);
	assert_int_equal(made.pieces[0].tier, NOTE_OPTIMISED);
	assert_string_equal(text_of(&made, made.lines[2].file), "H.java");
	assert_int_equal(made.pieces[0].calls, 2);
	expect_call(&made, 0, 0x1020, 0x1060, "A.g", 11);
	expect_call(&made, 1, 0x1040, 0x1060, "A.h", 31);
	made_fini(&made);
	buf_fini(&text);
	buf_fini(&data);
}

/* The example in the head of begins.c: 0x50 bytes at 0x1000. */
static void put_branches(struct buf *data)
{
	static const uint8_t nop[] = { 0x01, 0 }, ret[] = { 0x82, 0x80 };
	static const uint64_t rows[][2] = { { 0, 2 }, { 0x20, 10 }, { 0x20, 10 } };

	buf_put_varint(data, 0x1000);
	buf_put_varint(data, 0x50);
	buf_put_string(data, "A.f");
	buf_put_string(data, "F.java");
	buf_put_string(data, "C1");
	buf_put_varint(data, NOTE_COMPILED);
	buf_put_varint(data, 1);
	buf_put_varint(data, 1);
	buf_put_string(data, "A.f");
	buf_put_string(data, "F.java");
	buf_put_varint(data, 0xf000);
	buf_put_varint(data, 3);
	for (int i = 0; i < 3; i++) {
		buf_put_varint(data, rows[i][0]);
		buf_put_varint(data, 1);
		buf_put_varint(data, 0);
		buf_put_varint(data, rows[i][1] + 1);
		buf_put_varint(data, 7 + (uint64_t)i);
	}
	for (unsigned at = 0; at < 0x50; at += 2)
		buf_put(data, at == 0x2e || at == 0x4e ? ret : nop, 2);
}

static void expect_line(const struct made_line *line, uint64_t address, uint64_t unit,
			uint32_t offset, bool begins)
{
	assert_int_equal(line->address, address);
	assert_int_equal(line->unit, unit);
	if (unit)
		assert_int_equal(line->offset, offset);
	assert_int_equal(line->begins, begins);
}

/* A bytecode begins once, and not with the code that leaves the method before it. */
static void test_begins(void **state)
{
	struct buf data = BUF_INIT, text = BUF_INIT;
	struct made made = MADE_INIT;

	(void)state;
	put_branches(&data);
	keep(&text, NOTE_CODE, &data, data.len);
	assert_true(made_read_notes(&made, (const char *)text.data, text.len));
	assert_int_equal(made.n, 1);
	assert_int_equal(made.pieces[0].lines, 4);
	expect_line(&made.lines[0], 0x1000, 0xf000, 2, true);
	expect_line(&made.lines[1], 0x1020, 0, 0, false);
	expect_line(&made.lines[2], 0x1030, 0xf000, 10, true);
	expect_line(&made.lines[3], 0x1040, 0xf000, 10, false);
	assert_int_equal(made.lines[1].number, 0);
	assert_int_equal(made.lines[2].number, 8);
	made_fini(&made);
	buf_fini(&text);
	buf_fini(&data);
}

static void test_dispatch(void **state)
{
	struct buf data = BUF_INIT, text = BUF_INIT;
	struct made made = MADE_INIT;

	(void)state;
	buf_put_varint(&data, 0x2000);
	buf_put_varint(&data, 64);
	buf_put_varint(&data, zigzag(96));
	buf_put_string(&data, "iadd");
	keep(&text, NOTE_DISPATCH, &data, data.len);
	assert_true(made_read_notes(&made, (const char *)text.data, text.len));
	assert_int_equal(made.n, 1);
	assert_int_equal(made.pieces[0].start, 0x2000);
	assert_int_equal(made.pieces[0].code, MADE_NO_CODE);
	assert_string_equal(text_of(&made, made.pieces[0].name), "iadd [interpreter]");
	made_fini(&made);
	buf_fini(&text);
	buf_fini(&data);
}

/* Cut anywhere, with any byte changed: no piece that is not whole, and no crash. */
static void test_malformed(void **state)
{
	struct buf data = BUF_INIT;

	(void)state;
	put_code(&data);
	for (size_t i = 0; i < 2 * data.len; i++) {
		struct buf text = BUF_INIT;
		struct made made = MADE_INIT;
		size_t at = i % data.len;

		if (i >= data.len)
			data.data[at] ^= 0xff;
		keep(&text, NOTE_CODE, &data, i < data.len ? at : data.len);
		if (i >= data.len)
			data.data[at] ^= 0xff;
		assert_true(made_read_notes(&made, (const char *)text.data, text.len));
		if (i < data.len)
			assert_int_equal(made.n, 0);
		made_fini(&made);
		buf_fini(&text);
	}
	buf_fini(&data);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_code),
		cmocka_unit_test(test_begins),
		cmocka_unit_test(test_dispatch),
		cmocka_unit_test(test_malformed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
