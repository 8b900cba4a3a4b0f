// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * format/records and format/text: what is put is got; cut anywhere, it is refused; what a
 * later version adds at the end is passed over.
 */
#include "format/records.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "format/text.h"

/* Gets a record and says whether it could; frees it. */
static bool get_meta(struct span *span)
{
	struct meta_record meta;

	if (!meta_get(span, &meta))
		return false;
	assert_string_equal(meta.key, "guest-isa");
	assert_string_equal(meta.value, "riscv64");
	free(meta.key);
	free(meta.value);
	return true;
}

static bool get_process_end(struct span *span)
{
	struct space_end_record end;

	if (!space_end_get(span, &end))
		return false;
	assert_int_equal(end.index, 1);
	assert_int_equal(end.status, -1);
	assert_int_equal(end.end_ns, 77);
	return true;
}

static bool get_module(struct span *span)
{
	struct module_record module;

	if (!module_get(span, &module))
		return false;
	assert_int_equal(module.space, 1);
	assert_int_equal(module.start, 0x10000);
	assert_int_equal(module.end, 0xffffffffffff0000);
	assert_int_equal(module.file_off, 4096);
	assert_string_equal(module.path, "/lib/libc.so.6");
	assert_int_equal(module.known_blocks, 12);
	assert_int_equal(module.ns, UINT64_MAX - 1);
	assert_string_equal(module.build_id, "c0ffee");
	module_fini(&module);
	return true;
}

static bool get_end(struct span *span)
{
	char *cut;

	if (!end_get(span, &cut))
		return false;
	assert_string_equal(cut, "the disk was full");
	free(cut);
	return true;
}

/* The payload, as it is, cut short everywhere, and with more at its end. */
static void check(struct buf *payload, bool (*get)(struct span *span))
{
	struct span span = span_of(payload->data, payload->len);
	uint8_t *copy;

	assert_false(payload->failed);
	assert_true(get(&span));
	assert_int_equal(span_left(&span), 0);
	for (size_t cut = 0; cut < payload->len; cut++) {
		copy = malloc(cut + !cut); /* so that ASan sees a look beyond it */
		assert_non_null(copy);
		memcpy(copy, payload->data, cut);
		span = span_of(copy, cut);
		assert_false(get(&span));
		free(copy);
	}
	buf_put(payload, "more", 4);
	span = span_of(payload->data, payload->len);
	assert_true(get(&span));
	assert_int_equal(span_left(&span), 4);
	buf_fini(payload);
}

static void test_records(void **state)
{
	struct space_end_record end = { 1, -1, 77 };
	struct buf payload = BUF_INIT;

	(void)state;
	meta_put(&payload, "guest-isa", "riscv64");
	check(&payload, get_meta);
	space_end_put(&payload, &end);
	check(&payload, get_process_end);
	end_put(&payload, "the disk was full");
	check(&payload, get_end);
}

/* A record, cut short everywhere: from `plain` bytes on, it is that of a plain process. */
static void check_space(const struct space_record *record, size_t plain)
{
	struct buf payload = BUF_INIT;

	space_put(&payload, record);
	assert_false(payload.failed);
	for (size_t cut = 0; cut <= payload.len; cut++) {
		struct span span = span_of(payload.data, cut);
		struct space_record space;
		bool whole = cut == payload.len;

		if (!whole && cut != plain) {
			assert_false(space_get(&span, &space));
			continue;
		}
		assert_true(space_get(&span, &space));
		assert_int_equal(space.index, 1);
		assert_int_equal(space.pid, 2);
		assert_int_equal(space.parent, SPACE_NONE);
		assert_true(space.begin_ns == UINT64_MAX);
		assert_string_equal(space.path, "/bin/true");
		assert_int_equal(space.kind, whole ? record->kind : WM_SPACE_PROCESS);
		assert_int_equal(space.over, whole ? record->over : SPACE_NONE);
		free(space.path);
	}
	buf_fini(&payload);
}

static void test_spaces(void **state)
{
	enum { PLAIN_BYTES = 30 };
	struct space_record space = {
		1, 2, SPACE_NONE, UINT64_MAX, (char *)"/bin/true", 0, SPACE_NONE
	};

	(void)state;
	check_space(&space, PLAIN_BYTES);
	space.over = 0;
	check_space(&space, PLAIN_BYTES);
	space.kind = WM_SPACE_MACHINE;
	check_space(&space, PLAIN_BYTES);
	space.over = SPACE_NONE;
	check_space(&space, PLAIN_BYTES);
}

/* The first version of the record, which ends after the path, cut short or with more. */
static void check_old_module(const struct buf *payload, size_t bytes)
{
	for (size_t cut = 0; cut < payload->len; cut++) {
		struct span span = span_of(payload->data, cut);
		struct module_record module;

		if (cut != bytes) {
			assert_false(module_get(&span, &module));
			assert_true(span.failed);
			continue;
		}
		assert_true(module_get(&span, &module));
		assert_string_equal(module.path, "/lib/libc.so.6");
		assert_int_equal(module.known_blocks, 0);
		assert_int_equal(module.ns, 0);
		assert_string_equal(module.build_id, "");
		module_fini(&module);
	}
}

static void check_stream(const struct stream_record *stream, uint64_t passed)
{
	assert_int_equal(stream->index, 1);
	assert_int_equal(stream->space, 2);
	assert_int_equal(stream->vcpu, 3);
	assert_int_equal(stream->generation, 4);
	assert_int_equal(stream->tid, 5);
	assert_string_equal(stream->name, "main");
	assert_int_equal(stream->passed, passed);
}

/* What was passed stands after what there was first. Cut short everywhere, and with more. */
static void test_stream(void **state)
{
	struct stream_record stream = { 1, 2, 3, 4, 5, (char *)"main", 0 };
	struct buf payload = BUF_INIT;
	size_t bytes;

	(void)state;
	stream_put(&payload, &stream);
	bytes = payload.len;
	payload.len = 0;
	stream.passed = UINT64_MAX - 1;
	stream_put(&payload, &stream);
	assert_int_equal(payload.len, bytes + 8);
	buf_put(&payload, "more", 4);
	for (size_t cut = 0; cut <= payload.len; cut++) {
		struct span span = span_of(payload.data, cut);
		bool whole = cut == bytes || cut >= bytes + 8;

		assert_int_equal(stream_get(&span, &stream), whole);
		if (!whole)
			continue;
		check_stream(&stream, cut == bytes ? 0 : UINT64_MAX - 1);
		free(stream.name);
	}
	buf_fini(&payload);
}

static void test_module(void **state)
{
	struct module_record module = {
		1,  0x10000,	    0xffffffffffff0000, 4096, (char *)"/lib/libc.so.6",
		12, UINT64_MAX - 1, (char *)"c0ffee"
	};
	struct buf payload = BUF_INIT;
	struct span span;

	(void)state;
	module_put(&payload, &module);
	check_old_module(&payload, payload.len - 4 - 8 - 1 - strlen("c0ffee"));
	buf_put(&payload, "more", 4);
	span = span_of(payload.data, payload.len);
	assert_true(get_module(&span));
	assert_int_equal(span_left(&span), 4);
	buf_fini(&payload);
}

/* ---- texts --------------------------------------------------------------- */

static bool get_text(struct span *span)
{
	struct text_record text;
	bool good = text_get(span, &text);

	if (good) {
		assert_true(text.at_address);
		assert_int_equal(text.address, 0x1234);
		assert_int_equal(text.size, 3);
		assert_memory_equal(text.code, "\x01\x02\x03", 3);
		assert_string_equal(text.text, "mov");
	}
	free(text.text);
	return good;
}

static void test_text_record(void **state)
{
	static const uint8_t sizes[] = { 0, 17, 127, TEXT_AT_ADDRESS,
					 TEXT_AT_ADDRESS | 17 };
	struct buf payload = BUF_INIT;

	(void)state;
	buf_put_u8(&payload, TEXT_AT_ADDRESS | 3);
	buf_put_u64(&payload, 0x1234);
	buf_put(&payload, "\x01\x02\x03", 3);
	buf_put_string(&payload, "mov");
	check(&payload, get_text);
	for (unsigned i = 0; i < sizeof(sizes); i++) {
		uint8_t bytes[256] = { sizes[i] };
		struct span span = span_of(bytes, sizeof(bytes));
		struct text_record text;

		assert_false(text_get(&span, &text));
		free(text.text);
	}
}

/* QEMU's text at one address; what is kept of it; and the same at another address. */
static void check_relative(const char *text, uint64_t address, const char *kept,
			   uint64_t elsewhere, const char *expected)
{
	char buffer[100], got[100];

	strcpy(buffer, text);
	text_make_relative(buffer, sizeof(buffer), address);
	assert_string_equal(buffer, kept);
	assert_int_equal(text_at(buffer, address, got, sizeof(got)), strlen(text));
	assert_string_equal(got, text);
	assert_int_equal(text_at(buffer, elsewhere, got, sizeof(got)), strlen(expected));
	assert_string_equal(got, expected);
}

static void test_relative(void **state)
{
	char small[6];

	(void)state;
	check_relative("nop", 0x1000, "nop", 0, "nop");
	check_relative("", 0x1000, "", 0, "");
	check_relative("beq a0,zero,-8  # 0xff8", 0x1000, "beq a0,zero,-8  \001f", 0x2000,
		       "beq a0,zero,-8  # 0x1ff8");
	check_relative("j 16 # 0x1010", 0x1000, "j 16 \00120", 0xfffffffffffffff8,
		       "j 16 # 0x8");
	/* Not an address at the end: kept as it is. */
	check_relative("x # 0x1010 y", 0x1000, "x # 0x1010 y", 0x2000, "x # 0x1010 y");
	check_relative("x # 0x", 0x1000, "x # 0x", 0x2000, "x # 0x");
	/* Cut to the space there is, like snprintf(). */
	assert_int_equal(text_at("j 16 \00120", 0x1000, small, sizeof(small)), 13);
	assert_string_equal(small, "j 16 ");
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_records),	    cmocka_unit_test(test_spaces),
	cmocka_unit_test(test_stream),	    cmocka_unit_test(test_module),
	cmocka_unit_test(test_text_record), cmocka_unit_test(test_relative),
};

int main(void)
{
	return cmocka_run_group_tests_name("records", tests, NULL, NULL);
}
