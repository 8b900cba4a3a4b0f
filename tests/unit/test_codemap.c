// SPDX-License-Identifier: GPL-2.0-or-later
/* format/codemap: what is put is got; what is malformed is refused. */
#include "format/codemap.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "format/pack.h"

static struct symtab_segment segment = { 0x1000, 0x800, 0x11000, true };
static struct symtab_range range = { 0x11000, 0x11010, 0, SYMTAB_NO_RANGE };
static uint32_t offs[] = { 0, 4, 8 };
static struct codemap_line lines[] = { { 0x1000, 0x1004, 0, 12 },
				       { 0x1004, 0x1008, 1, 7 },
				       { 0x1100, 0x1108, 0, UINT32_MAX } };
static struct codemap_call calls[] = { { 0x1100, 0x1108, 2, 1, 3 },
				       { 0x1000, 0x1200, 2, 0, 0 } };

static struct codemap make(void)
{
	struct codemap map = {
		.names = { &segment, 1, &range, 1, BUF_INIT },
		.text_off = offs,
		.lines = lines,
		.calls = calls,
		.n_texts = 3,
		.n_lines = 3,
		.n_calls = 2,
		.complete = true,
	};

	buf_put(&map.names.names, "work", 5);
	buf_put(&map.texts, "a.c\0b.h\0fun", 12);
	return map;
}

static void fini(struct codemap *map)
{
	buf_fini(&map->names.names);
	buf_fini(&map->texts);
}

/* The payload of make(), and where its names begin. */
static void put(struct buf *payload, bool places)
{
	struct symtab_head head = { (char *)"4f2a", (char *)"/a" };
	struct codemap map = make();

	assert_true(codemap_put(payload, &head, &map, places));
	fini(&map);
}

static bool get(const struct buf *payload, struct codemap *map, bool *malformed)
{
	struct span span = span_of(payload->data, payload->len);
	struct symtab_head head;
	bool good;

	assert_true(symtab_get_head(&span, &head));
	assert_string_equal(head.build_id, "4f2a");
	symtab_head_fini(&head);
	good = codemap_get(&span, map);
	*malformed = span.failed;
	return good;
}

static void test_round_trip(void **state)
{
	struct buf payload = BUF_INIT;
	struct codemap map;
	bool malformed;

	(void)state;
	put(&payload, true);
	assert_true(get(&payload, &map, &malformed));
	assert_true(map.complete);
	assert_int_equal(map.names.n_ranges, 1);
	assert_string_equal(codemap_text(&map, 1), "b.h");
	assert_string_equal(codemap_text(&map, 2), "fun");
	assert_int_equal(map.n_lines, 3);
	assert_memory_equal(map.lines, lines, sizeof(lines));
	assert_int_equal(map.n_calls, 2);
	for (unsigned i = 0; i < 2; i++) {
		assert_int_equal(map.calls[i].start, calls[i].start);
		assert_int_equal(map.calls[i].end, calls[i].end);
		assert_int_equal(map.calls[i].name, calls[i].name);
		assert_int_equal(map.calls[i].source, calls[i].source);
		assert_int_equal(map.calls[i].line, calls[i].line);
	}
	codemap_fini(&map);
	buf_fini(&payload);
}

static void test_names_only(void **state)
{
	struct buf payload = BUF_INIT;
	struct codemap map;
	bool malformed;

	(void)state;
	put(&payload, false);
	assert_true(get(&payload, &map, &malformed));
	assert_false(map.complete);
	assert_int_equal(map.names.n_ranges, 1);
	assert_int_equal(map.n_lines + map.n_calls + map.n_texts, 0);
	codemap_fini(&map);
	buf_fini(&payload);
}

/* A map with these places. */
static void check_refused(const char *places, size_t bytes)
{
	struct symtab_head head = { (char *)"4f2a", (char *)"/a" };
	struct symtab nothing = SYMTAB_INIT;
	struct buf payload = BUF_INIT;
	struct codemap map;
	bool malformed;

	assert_true(symtab_put(&payload, &head, &nothing));
	pack_put(&payload, places, bytes, 1);
	assert_false(get(&payload, &map, &malformed));
	assert_true(malformed);
	assert_null(map.lines);
	buf_fini(&payload);
}

#define REFUSED(places) check_refused(places, sizeof(places) - 1)

static void test_malformed(void **state)
{
	(void)state;
	REFUSED("");
	REFUSED("\1\1a");		  /* a text that does not end */
	REFUSED("\1\7a\0");		  /* more texts than bytes */
	REFUSED("\1\1a\0\1\0\1\1\2\0");	  /* a line of text 1, of one */
	REFUSED("\1\1a\0\1\0\1\0\1\0");	  /* a line below 0 */
	REFUSED("\1\0\0\1\0\1\0\0\0");	  /* a call whose name is none */
	REFUSED("\1\1a\0\0\1\0\1\0\2\0"); /* a call's source that is none */
	REFUSED("\1\1a\0\0\0\0");	  /* something after the end */
	REFUSED("\1\1a\0\0\1\1\2\0\0\0"); /* a call beyond all bytes */
	REFUSED("\1\1a\0\2\xff\xff\xff\xff\xff\xff\xff\xff\xff\1\1\1\1\0\0\0\0\0");
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_round_trip),
	cmocka_unit_test(test_names_only),
	cmocka_unit_test(test_malformed),
};

int main(void)
{
	return cmocka_run_group_tests(tests, NULL, NULL);
}
