// SPDX-License-Identifier: GPL-2.0-or-later
/* format/symtab: what is put is got and found; what is malformed is refused. */
#include "format/symtab.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "format/pack.h"

/* Names as name, start, end; the file's bytes from 0x1000 on are at 0x11000. */
struct name {
	const char *text;
	uint64_t start, end;
};

static const struct name names[] = {
	{ "outer", 0x11000, 0x11100 }, { "inner", 0x11010, 0x11020 },
	{ "twice", 0x11018, 0x1101c }, { "empty", 0x11200, 0x11200 },
	{ "", 0x11300, 0x11310 },      { "last", UINT64_MAX - 15, UINT64_MAX },
};
enum { NAMES = sizeof(names) / sizeof(*names) };

static struct symtab make(void)
{
	struct symtab symtab = SYMTAB_INIT;

	symtab.segments = calloc(2, sizeof(*symtab.segments));
	symtab.ranges = calloc(NAMES, sizeof(*symtab.ranges));
	assert_true(symtab.segments && symtab.ranges);
	symtab.segments[0] = (struct symtab_segment){ 0x1000, 0x800, 0x11000, true };
	symtab.segments[1] = (struct symtab_segment){ 0x1700, 0x200, 0x90000, false };
	symtab.n_segments = 2;
	symtab.n_ranges = NAMES;
	for (uint32_t i = 0; i < NAMES; i++) {
		symtab.ranges[i] = (struct symtab_range){ names[i].start, names[i].end,
							  (uint32_t)symtab.names.len, 0 };
		buf_put(&symtab.names, names[i].text, strlen(names[i].text) + 1);
	}
	symtab_nest(&symtab);
	return symtab;
}

static void check_found(const struct symtab *symtab, uint64_t file_off,
			const char *expected, uint64_t expected_offset)
{
	uint64_t offset = 0;
	const char *name = symtab_find(symtab, file_off, &offset);

	if (!expected) {
		assert_null(name);
		return;
	}
	assert_non_null(name);
	assert_string_equal(name, expected);
	assert_int_equal(offset, expected_offset);
}

static void check_all(const struct symtab *symtab)
{
	check_found(symtab, 0xfff, NULL, 0);
	check_found(symtab, 0x1000, "outer", 0);
	check_found(symtab, 0x100f, "outer", 15);
	check_found(symtab, 0x1010, "inner", 0);
	check_found(symtab, 0x101b, "twice", 3);
	check_found(symtab, 0x101c, "inner", 12);
	check_found(symtab, 0x1020, "outer", 32);
	check_found(symtab, 0x1100, NULL, 0);
	check_found(symtab, 0x1200, NULL, 0);
	check_found(symtab, 0x130f, "", 15);
	/* In both segments: code goes first; in the other alone there are no names. */
	check_found(symtab, 0x1700, NULL, 0);
	check_found(symtab, UINT64_MAX, NULL, 0);
}

/* Byte after byte: the same name, one byte further, and another one where it ends. */
static void check_along(const struct symtab *symtab, uint64_t file_off)
{
	uint64_t bytes = symtab_along(symtab, file_off), offset, next = 0;
	const char *name = symtab_find(symtab, file_off, &offset);

	assert_true(bytes);
	for (uint64_t i = 1; i < bytes && i < 0x2000; i++) {
		assert_ptr_equal(symtab_find(symtab, file_off + i, &next), name);
		assert_true(!name || next == offset + i);
	}
}

static void test_along(void **state)
{
	struct symtab symtab = make();

	(void)state;
	for (uint64_t at = 0xf00; at < 0x1a00; at++)
		check_along(&symtab, at);
	assert_int_equal(symtab_along(&symtab, 0x1000), 0x10);
	assert_int_equal(symtab_along(&symtab, 0x101c), 4);
	assert_int_equal(symtab_along(&symtab, 0x1020), 0xe0);
	assert_int_equal(symtab_along(&symtab, 0xff0), 0x10);
	assert_int_equal(symtab_along(&symtab, 0x1310), 0x3f0);
	symtab_fini(&symtab);
}

/* From the file to where it is loaded, and back. */
static void test_places(void **state)
{
	struct symtab symtab = make();
	const struct symtab_range *range;
	uint64_t at, offset;

	(void)state;
	assert_true(symtab_vaddr(&symtab, 0x1010, &at));
	assert_int_equal(at, 0x11010);
	assert_true(symtab_vaddr(&symtab, 0x1700, &at));
	assert_int_equal(at, 0x11700);
	assert_true(symtab_vaddr(&symtab, 0x18ff, &at));
	assert_int_equal(at, 0x901ff);
	assert_false(symtab_vaddr(&symtab, 0x1900, &at));
	assert_true(symtab_file_off(&symtab, 0x11010, &at));
	assert_int_equal(at, 0x1010);
	assert_true(symtab_file_off(&symtab, 0x901ff, &at));
	assert_int_equal(at, 0x18ff);
	assert_false(symtab_file_off(&symtab, 0x90200, &at));
	assert_false(symtab_file_off(&symtab, 0x10fff, &at));
	range = symtab_range(&symtab, 0x101c, &offset);
	assert_ptr_equal(range, &symtab.ranges[1]);
	assert_int_equal(offset, 12);
	assert_null(symtab_range(&symtab, 0x1100, &offset));
	symtab_fini(&symtab);
}

static void test_round_trip(void **state)
{
	struct symtab_head head = { (char *)"c0ffee", (char *)"/bin/a" };
	struct symtab symtab = make(), got;
	struct buf payload = BUF_INIT;
	struct symtab_head got_head;
	struct span span;

	(void)state;
	check_all(&symtab);
	assert_true(symtab_put(&payload, &head, &symtab));
	span = span_of(payload.data, payload.len);
	assert_true(symtab_get_head(&span, &got_head));
	assert_string_equal(got_head.build_id, "c0ffee");
	assert_string_equal(got_head.path, "/bin/a");
	symtab_head_fini(&got_head);
	assert_true(symtab_get(&span, &got));
	assert_int_equal(span_left(&span), 0);
	check_all(&got);
	assert_int_equal(got.n_ranges, NAMES);
	symtab_fini(&got);
	/* A later version may have more after it; whatever is cut is refused. */
	for (size_t cut = 0; cut < payload.len; cut++) {
		uint8_t *copy = malloc(cut + !cut); /* so that ASan sees a look beyond */

		assert_non_null(copy);
		memcpy(copy, payload.data, cut);
		span = span_of(copy, cut);
		if (symtab_get_head(&span, &got_head)) {
			symtab_head_fini(&got_head);
			assert_false(symtab_get(&span, &got));
			assert_null(got.ranges);
		}
		assert_true(span.failed);
		free(copy);
	}
	buf_fini(&payload);
	symtab_fini(&symtab);
}

static void test_nothing(void **state)
{
	struct symtab_head head = { (char *)"", (char *)"" };
	struct symtab symtab = SYMTAB_INIT, got;
	struct buf payload = BUF_INIT;
	struct span span;

	(void)state;
	assert_true(symtab_put(&payload, &head, &symtab));
	span = span_of(payload.data + 2, payload.len - 2);
	assert_true(symtab_get(&span, &got));
	check_found(&got, 0, NULL, 0);
	symtab_fini(&got);
	buf_fini(&payload);
}

/* One name around the other, as no compiler makes them: the search is not endless. */
static void test_deep(void **state)
{
	enum { DEEP = 100000 };
	struct symtab symtab = SYMTAB_INIT;

	(void)state;
	symtab.segments = calloc(1, sizeof(*symtab.segments));
	symtab.ranges = calloc(DEEP, sizeof(*symtab.ranges));
	assert_true(symtab.segments && symtab.ranges);
	symtab.segments[0] = (struct symtab_segment){ 0, UINT64_MAX, 0, true };
	symtab.n_segments = 1;
	symtab.n_ranges = DEEP;
	for (uint32_t i = 0; i < DEEP; i++)
		symtab.ranges[i] = (struct symtab_range){ i, 2 * DEEP - i, 0, 0 };
	buf_put(&symtab.names, "deep", 5);
	symtab_nest(&symtab);
	check_found(&symtab, 5, "deep", 0);
	check_found(&symtab, DEEP, "deep", 1);
	for (uint64_t off = 2 * DEEP - 1000; off < 2 * DEEP; off++)
		check_found(&symtab, off, NULL, 0);
	symtab_fini(&symtab);
}

/* ---- malformed tables, one for each rule of FORMAT.md -------------------- */

/* Varints, and after them `text` with its NUL, packed. */
static void refuse(const uint64_t *values, size_t n, const char *text, size_t bytes)
{
	struct buf table = BUF_INIT, payload = BUF_INIT;
	struct symtab symtab;
	struct span span;

	for (size_t i = 0; i < n; i++)
		buf_put_varint(&table, values[i]);
	buf_put(&table, text, bytes);
	pack_put(&payload, table.data, table.len, 1);
	span = span_of(payload.data, payload.len);
	assert_false(symtab_get(&span, &symtab));
	assert_true(span.failed);
	assert_null(symtab.ranges);
	buf_fini(&table);
	buf_fini(&payload);
}

#define REFUSE(text, ...)                                                          \
	refuse((const uint64_t[]){ __VA_ARGS__ },                                  \
	       sizeof((const uint64_t[]){ __VA_ARGS__ }) / sizeof(uint64_t), text, \
	       sizeof(text))

static void test_malformed(void **state)
{
	(void)state;
	REFUSE("", SYMTAB_SEGMENTS_MAX + 1);
	REFUSE("", 1, 0, 0);
	REFUSE("", 0, 1); /* a name without places */
	REFUSE("", 0, UINT64_MAX);
	REFUSE("", 0, SYMTAB_RANGES_MAX + 1ul);
	REFUSE("a\0a", 0, 2, 5, 0, 1, 1);		     /* two at one place */
	REFUSE("a\0a", 0, 2, UINT64_MAX, 1, 1, 1);	     /* around the end */
	REFUSE("a\0a", 0, 2, 1, 1, UINT64_MAX, 1);	     /* a size around it */
	REFUSE("a", 0, 2, 1, 1, 1, 1);			     /* one name for two */
	REFUSE("a\0b\0c", 0, 2, 1, 1, 1, 1);		     /* three */
	refuse((const uint64_t[]){ 0, 1, 1, 1 }, 4, "a", 1); /* without its end */
}

static void test_too_large(void **state)
{
	struct symtab_head head = { (char *)"", (char *)"" };
	struct symtab symtab = { .n_ranges = SYMTAB_RANGES_MAX + 1 };
	struct buf payload = BUF_INIT;

	(void)state;
	assert_false(symtab_put(&payload, &head, &symtab));
	symtab = (struct symtab){ .n_segments = SYMTAB_SEGMENTS_MAX + 1 };
	assert_false(symtab_put(&payload, &head, &symtab));
	assert_int_equal(payload.len, 0);
	/* Small by itself, and more than a reader takes when it is unpacked. */
	buf_put_varint(&payload, SYMTAB_RAW_MAX + 1ul);
	buf_put_varint(&payload, 0);
	struct span span = span_of(payload.data, payload.len);
	assert_false(symtab_get(&span, &symtab));
	buf_fini(&payload);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_along),	   cmocka_unit_test(test_places),
	cmocka_unit_test(test_round_trip), cmocka_unit_test(test_nothing),
	cmocka_unit_test(test_deep),	   cmocka_unit_test(test_malformed),
	cmocka_unit_test(test_too_large),
};

int main(void)
{
	return cmocka_run_group_tests(tests, NULL, NULL);
}
