// SPDX-License-Identifier: GPL-2.0-or-later
/* program/made: jitdumps, and whose blocks are where memory is used again. */
#include "program/made/made.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "program/made/list.h"

/* ---- a jitdump ----------------------------------------------------------- */

static void put_header(struct buf *dump, uint32_t magic, uint64_t flags)
{
	buf_put_u32(dump, magic);
	buf_put_u32(dump, 1);
	buf_put_u32(dump, 48);
	buf_put(dump, "machine pad pid", 12);
	buf_put_u64(dump, 1);
	buf_put_u64(dump, flags);
	buf_put_u64(dump, 0); /* of a newer version */
}

static void put_record(struct buf *dump, uint32_t kind, uint64_t ns, struct buf *body)
{
	buf_put_u32(dump, kind);
	buf_put_u32(dump, (uint32_t)body->len + 16);
	buf_put_u64(dump, ns);
	buf_put(dump, body->data, body->len);
	buf_fini(body);
	*body = BUF_INIT;
}

static void put_load(struct buf *dump, uint64_t ns, uint64_t address, const char *name,
		     const char *code)
{
	struct buf body = BUF_INIT;

	buf_put_u64(&body, 0);
	buf_put_u64(&body, address);
	buf_put_u64(&body, address);
	buf_put_u64(&body, strlen(code));
	buf_put_u64(&body, 1);
	buf_put(&body, name, strlen(name) + 1);
	buf_put(&body, code, strlen(code));
	put_record(dump, 0, ns, &body);
}

static void put_move(struct buf *dump, uint64_t from, uint64_t to, uint64_t bytes)
{
	struct buf body = BUF_INIT;

	buf_put_u64(&body, 0);
	buf_put_u64(&body, from);
	buf_put_u64(&body, from);
	buf_put_u64(&body, to);
	buf_put_u64(&body, bytes);
	buf_put_u64(&body, 1);
	put_record(dump, 1, 9, &body);
}

/* Two lines of a file, the first one `skip` bytes from the start. */
static void put_debug_of(struct buf *dump, uint64_t address, uint64_t skip,
			 const char *file)
{
	struct buf body = BUF_INIT;

	buf_put_u64(&body, address);
	buf_put_u64(&body, 2);
	buf_put_u64(&body, address + skip);
	buf_put_u32(&body, 3);
	buf_put_u32(&body, 0);
	buf_put(&body, file, strlen(file) + 1);
	buf_put_u64(&body, address + skip + 2);
	buf_put_u32(&body, 4);
	buf_put_u32(&body, 0);
	buf_put(&body, "\xff", 2);
	put_record(dump, 2, 1, &body);
}

static void put_debug(struct buf *dump, uint64_t address, uint64_t skip)
{
	put_debug_of(dump, address, skip, "a.js");
}

static int read_dump(struct made *made, const struct buf *dump)
{
	struct wm_error err;

	*made = MADE_INIT;
	return made_jitdump.read(made, (const char *)dump->data, dump->len, &err);
}

static const char *name_of(const struct made *made, uint32_t piece)
{
	return (const char *)made->texts.data + made->pieces[piece].name;
}

static void test_jitdump(void **state)
{
	struct buf dump = BUF_INIT, body = BUF_INIT;
	struct made made;

	(void)state;
	put_header(&dump, 0x4a695444, 0);
	put_load(&dump, 5, 0x1000, "f", "abcd");
	put_debug(&dump, 0x2000, 0);
	put_load(&dump, 6, 0x2000, "g", "efgh");
	buf_put_u32(&body, 0);
	put_record(&dump, 4, 7, &body); /* unwinding */
	put_move(&dump, 0x1000, 0x3000, 4);
	put_move(&dump, 0x1000, 0x3000, 5); /* no such piece */
	put_load(&dump, 8, 0x4000, "empty", "");
	put_load(&dump, 8, UINT64_MAX - 1, "beyond", "abcd");
	assert_int_equal(read_dump(&made, &dump), 0);
	assert_int_equal(made.n, 3);
	assert_string_equal(name_of(&made, 0), "f");
	assert_int_equal(made.pieces[0].ns, 5);
	assert_int_equal(made.pieces[0].lines, 0);
	assert_memory_equal(dump.data + made.pieces[0].code, "abcd", 4);
	assert_int_equal(made.pieces[1].lines, 2);
	assert_int_equal(made.lines[1].address, 0x2002);
	assert_int_equal(made.lines[1].number, 4);
	assert_string_equal((char *)made.texts.data + made.lines[1].file, "a.js");
	assert_string_equal(name_of(&made, 2), "f");
	assert_int_equal(made.pieces[2].start, 0x3000);
	assert_int_equal(made.pieces[2].code, made.pieces[0].code);
	made_fini(&made);
	/* What was cut short counts up to there. */
	for (size_t n = dump.len; n-- > 48;) {
		dump.len = n;
		assert_int_equal(read_dump(&made, &dump), 0);
		made_fini(&made);
	}
	buf_fini(&dump);
}

/* V8 tells some files by bytes that are no name. */
static void test_file_names(void **state)
{
	static const char *const wrong[] = { "a\n.js", "\x01", "a.js\x7f", "\xff\xfe",
					     "a\xc3" };
	struct buf dump = BUF_INIT;
	struct made made;

	(void)state;
	for (size_t i = 0; i <= sizeof(wrong) / sizeof(*wrong); i++) {
		bool right = i == sizeof(wrong) / sizeof(*wrong);
		const char *file = right ? "\xc3\xa4 b.js" : wrong[i];

		dump.len = 0;
		put_header(&dump, 0x4a695444, 0);
		put_debug_of(&dump, 0x2000, 0, file);
		put_load(&dump, 6, 0x2000, "g", "efgh");
		assert_int_equal(read_dump(&made, &dump), 0);
		assert_int_equal(made.n_lines, 2);
		for (uint32_t line = 0; line < 2; line++) {
			assert_string_equal((char *)made.texts.data +
						    made.lines[line].file,
					    right ? file : "");
			assert_int_equal(made.lines[line].number, right ? 3 + line : 0);
		}
		made_fini(&made);
	}
	buf_fini(&dump);
}

/* V8's lines are beyond an ELF header; other clocks are none of ours. */
static void test_dialects(void **state)
{
	struct buf dump = BUF_INIT;
	struct made made;

	(void)state;
	put_header(&dump, 0x4a695444, 1);
	put_debug(&dump, 0x2000, 64);
	put_load(&dump, 6, 0x2000, "g", "efgh");
	assert_int_equal(read_dump(&made, &dump), 0);
	assert_int_equal(made.pieces[0].ns, 0);
	assert_int_equal(made.lines[0].address, 0x2000);
	assert_int_equal(made.lines[1].address, 0x2002);
	made_fini(&made);
	dump.len = 0;
	put_header(&dump, 0x4454694a, 0);
	assert_int_equal(read_dump(&made, &dump), WM_E_FORMAT);
	dump.len = 47;
	dump.data[0] = 'D';
	assert_int_equal(read_dump(&made, &dump), WM_END);
	buf_fini(&dump);
}

/* ---- blocks -------------------------------------------------------------- */

struct blocks {
	const struct made_block *all;
	uint32_t n;
};

static bool next(void *cookie, struct made_block *block)
{
	struct blocks *blocks = cookie;

	if (!blocks->n)
		return false;
	*block = *blocks->all++;
	blocks->n--;
	return true;
}

static const uint8_t code[] = "abcdefghabxyab";

static void settle(struct made *made, const struct made_block *all, uint32_t n)
{
	struct blocks blocks = { all, n };

	assert_true(made_settle(made, (const char *)code, next, &blocks));
}

static void test_used_again(void **state)
{
	struct made_piece pieces[] = {
		{ .start = 0x1000, .end = 0x1004, .code = 0, .name = 0 },
		{ .start = 0x1000, .end = 0x1004, .code = 4, .name = 2 },
		{ .start = 0x1000, .end = 0x1004, .code = 8, .name = 4 },
		{ .start = 0x2000, .end = 0x2004, .code = 0, .name = 6 },
	};
	struct made made = { .pieces = pieces, .n = 4 };
	const struct made_block blocks[] = {
		{ 0x1000, code, 4, 3 },	     /* the first */
		{ 0x1000, code + 8, 2, 4 },  /* the first and the third begin so */
		{ 0x1002, code + 10, 4, 6 }, /* the third, and goes on behind it */
		{ 0x1000, code + 4, 4, 7 },  /* the second */
		{ 0x2000, code + 4, 4, 8 },  /* bytes of none */
		{ 0x3000, code, 4, 9 },	     /* nothing is there */
		{ 0x1002, code + 10, 2, 10 },
	};

	(void)state;
	buf_put(&made.texts, "f\0g\0h\0i", 8);
	settle(&made, blocks, 7);
	assert_true(pieces[0].ran && pieces[1].ran && pieces[2].ran);
	assert_false(pieces[3].ran);
	assert_int_equal(pieces[0].known, 2);
	assert_int_equal(pieces[1].known, 6);
	assert_int_equal(pieces[2].known, 5);
	assert_int_equal(made.shared, 1);
	buf_fini(&made.texts);
}

/* Without bytes the later one of two at an address counts, from the start. */
static void test_without_bytes(void **state)
{
	struct made_piece pieces[] = {
		{ .start = 0x1000, .end = 0x1010, .code = MADE_NO_CODE },
		{ .start = 0x1000, .end = 0x1008, .code = MADE_NO_CODE },
		{ .start = 0x1010, .end = 0x1018, .code = MADE_NO_CODE },
	};
	struct made made = { .pieces = pieces, .n = 3 };
	const struct made_block blocks[] = { { 0x1004, code, 2, 9 } };

	(void)state;
	settle(&made, blocks, 1);
	assert_false(pieces[0].ran);
	assert_true(pieces[1].ran);
	assert_int_equal(pieces[1].known, 0);
	assert_false(pieces[2].ran);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_jitdump),	      cmocka_unit_test(test_file_names),
	cmocka_unit_test(test_dialects),      cmocka_unit_test(test_used_again),
	cmocka_unit_test(test_without_bytes),
};

int main(void)
{
	return cmocka_run_group_tests(tests, NULL, NULL);
}
