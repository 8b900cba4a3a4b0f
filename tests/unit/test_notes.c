// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Notes of guests: what is put comes back, with the place of each in every stream, and
 * what is malformed is refused.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "collect/notes.h"
#include "folder.h"
#include "format/note_form.h"
#include "sample.h"
#include "trace/notes.h"

static struct sample sample;

static int remove_file(void **state)
{
	(void)state;
	remove("trace");
	return 0;
}

/* Three notes: stream 0 moves each time, stream 1 before the second one only. */
static const struct note_place first[] = { { 0, 2 } };
static const struct note_place second[] = { { 0, 5 }, { 1, 1 } };
static const struct note_place third[] = { { 0, 7 } };
static const struct note given[] = {
	{ 5000, 0, NOTE_RUNTIME, first, 1, (const uint8_t *)"abc", 3 },
	{ 4000, 0, NOTE_UNIT_GONE, second, 2, NULL, 0 },
	{ 6000, 7, 99, third, 1, (const uint8_t *)"\0\xff", 2 },
};

static void put(const struct note *notes, size_t n)
{
	struct buf payload = BUF_INIT;
	uint64_t last = 0;

	for (size_t i = 0; i < n; i++)
		note_put(&payload, &notes[i], &last);
	assert_false(payload.failed);
	sample_put(&sample, SECTION_NOTE, payload.data, payload.len);
	buf_fini(&payload);
}

/* A trace of two streams with the notes in two sections. */
static struct wm_trace *make(const struct note *notes, size_t n)
{
	sample_open(&sample, "trace");
	sample_row(&sample, 3);
	sample_stream(&sample);
	sample_stream(&sample);
	put(notes, n / 2);
	sample_chunk(&sample, 0, (uint32_t[]){ 1, 2, 3, 1, 2, 3, 1, 2 }, 8);
	sample_chunk(&sample, 1, (uint32_t[]){ 1, 2 }, 2);
	put(notes + n / 2, n - n / 2);
	sample_close(&sample, false);
	return sample_trace("trace");
}

static void test_come_back(void **state)
{
	struct wm_trace *trace = make(given, 3);
	struct wm_check check = { .threads = 1 };
	struct notes_trace notes;

	(void)state;
	assert_int_equal(notes_trace_read(&notes, trace, NULL), 0);
	assert_int_equal(notes.n, 3);
	for (size_t i = 0; i < 3; i++) {
		assert_true(notes.notes[i].ns == given[i].ns);
		assert_int_equal(notes.notes[i].space, given[i].space);
		assert_int_equal(notes.notes[i].kind, given[i].kind);
		assert_int_equal(notes.notes[i].bytes, given[i].bytes);
		assert_memory_equal(notes.notes[i].data,
				    given[i].data ? given[i].data : (const uint8_t *)"",
				    given[i].bytes);
	}
	notes_trace_fini(&notes);
	assert_int_equal(wm_trace_verify(trace, &check, NULL), 0);
	wm_trace_close(trace);
}

static void check_moments(const struct notes_trace *notes, uint32_t stream,
			  const size_t *before, size_t blocks)
{
	struct note_moment *at;
	size_t n;

	assert_int_equal(notes_trace_stream(notes, stream, &at, &n, NULL), 0);
	for (size_t i = 0; i < blocks; i++)
		assert_int_equal(notes_before(at, n, notes->n, i), before[i]);
	free(at);
}

/* How many notes came before each block of both streams. */
static void test_places(void **state)
{
	struct wm_trace *trace = make(given, 3);
	struct notes_trace notes;

	(void)state;
	assert_int_equal(notes_trace_read(&notes, trace, NULL), 0);
	check_moments(&notes, 0, (size_t[]){ 0, 0, 1, 1, 1, 2, 2, 3 }, 8);
	/* It stood still from its block 1 on until after the third. */
	check_moments(&notes, 1, (size_t[]){ 1, 3 }, 2);
	notes_trace_fini(&notes);
	wm_trace_close(trace);
}

static void test_malformed(void **state)
{
	static const struct note_place nowhere[] = { { 2, 0 } };
	static const struct note bad = { .places = nowhere, .n_places = 1 };
	struct wm_check check = { .threads = 1 };
	struct wm_trace *trace = make(&bad, 1);
	struct buf places = BUF_INIT;
	struct note note;

	(void)state;
	assert_int_equal(wm_trace_verify(trace, &check, NULL), WM_E_DAMAGED);
	wm_trace_close(trace);
	for (size_t n = 1; n < 6; n++) {
		struct span cut = span_of((const uint8_t *)"\1\2\3\1\0\0\4", n);
		uint64_t ns = 0;

		assert_false(note_get(&cut, &note, &places, &ns));
		assert_true(cut.failed);
	}
	/* More places, and more data, than there are bytes. */
	for (unsigned i = 0; i < 2; i++) {
		struct span span = span_of(i ? "\1\2\3\0\5ab" : "\1\2\3\5\0\0\0", 7);
		uint64_t ns = 0;

		assert_false(note_get(&span, &note, &places, &ns));
		assert_true(span.failed);
	}
	buf_fini(&places);
}

struct form {
	uint32_t kind;
	const char *data;
	size_t bytes;
};

#define FORM(kind, data)                     \
	{                                    \
		kind, data, sizeof(data) - 1 \
	}

/* Each is formed, and cut short anywhere it is not, but for the end of an entry. */
static const struct form forms[] = {
	FORM(NOTE_UNIT, "\x10\2\1f\0\4f.py\1\0\6\1\0\1\1ab"),
	FORM(NOTE_DISPATCH, "\x10\4\1\3add"),
	FORM(NOTE_CLASS, "\1A\1O\1\1\1I\2\1\5\1\0\1\2\2\0\1\1\2\2\1\1a\1\1b"),
	FORM(NOTE_OPERANDS, "\x10\1\2\1\1\5\3\"a\"\2\2\0\1b\1\0"),
};

static const struct form wrong[] = {
	/* A unit with more code than there is, one beyond all memory, a line below 0. */
	FORM(NOTE_UNIT, "\x10\3\1f\0\0\0\0ab"),
	FORM(NOTE_UNIT, "\xff\xff\xff\xff\xff\xff\xff\xff\xff\1\2\1f\0\0\0\0ab"),
	FORM(NOTE_UNIT, "\x10\2\1f\0\0\1\0\1\0ab"),
	FORM(NOTE_SITES, "\1\x80"),
	/* Numbers of names have 16 bits. */
	FORM(NOTE_CLASS, "\1A\0\0\0\0\1\x80\x80\4\1\1\0"),
	FORM(NOTE_CLASS, "\1A\0\0\0\0\0\1\x80\x80\4\1a"),
	/* A table and a name with numbers beyond 32 bits, and more tables than there are. */
	FORM(NOTE_OPERANDS, "\x10\0\1\x80\x80\x80\x80\x10\0"),
	FORM(NOTE_OPERANDS, "\x10\0\1\1\2\xff\xff\xff\xff\xf\0\1\0"),
	FORM(NOTE_OPERANDS, "\x10\0\5\1\0"),
};

static bool is_formed(const struct form *form, size_t bytes)
{
	return note_is_formed(form->kind, span_of((const uint8_t *)form->data, bytes));
}

static void test_forms(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(forms) / sizeof(*forms); i++) {
		assert_true(is_formed(&forms[i], forms[i].bytes));
		for (size_t n = 1; n < forms[i].bytes; n++)
			assert_false(is_formed(&forms[i], n));
	}
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++)
		assert_false(is_formed(&wrong[i], wrong[i].bytes));
	/* Of these nothing is said. */
	assert_true(note_is_formed(NOTE_RUNTIME, span_of("\xff", 1)));
	assert_true(note_is_formed(99, span_of("\xff", 1)));
}

/* What does not have the form is damage of the file. */
static void test_unformed(void **state)
{
	static const struct note bad = { .kind = NOTE_UNIT,
					 .data = (const uint8_t *)"abc",
					 .bytes = 3 };
	struct wm_check check = { .threads = 1 };
	struct wm_trace *trace = make(&bad, 1);

	(void)state;
	assert_int_equal(wm_trace_verify(trace, &check, NULL), WM_E_DAMAGED);
	wm_trace_close(trace);
}

/* However many notes leave places behind, there is one of each stream. */
static void test_last_places(void **state)
{
	struct note_parts parts = { .data = BUF_INIT };
	const struct note_place *places;

	(void)state;
	for (uint64_t i = 0; i < 1000; i++)
		note_parts_place(&parts, &(struct note_place){ i % 2, i });
	assert_int_equal(parts.places.len, 2 * sizeof(*places));
	places = (const struct note_place *)(const void *)parts.places.data;
	assert_int_equal(places[0].block, 998);
	assert_int_equal(places[1].block, 999);
	note_parts_fini(&parts);
}

/* Pieces of one note, no more than one may have. */
static void test_parts(void **state)
{
	struct note_parts parts = { .data = BUF_INIT };
	static const uint8_t bytes[4] = "abc";

	(void)state;
	assert_true(note_parts_add(&parts, bytes, 2, 2));
	assert_true(note_parts_add(&parts, bytes + 2, 2, 0));
	assert_memory_equal(parts.data.data, "abc", 4);
	assert_false(note_parts_add(&parts, bytes, 1, NOTE_BYTES_MAX - 4));
	assert_false(note_parts_add(&parts, bytes, 1, UINT32_MAX));
	note_parts_fini(&parts);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test_teardown(test_come_back, remove_file),
	cmocka_unit_test_teardown(test_places, remove_file),
	cmocka_unit_test_teardown(test_malformed, remove_file),
	cmocka_unit_test_teardown(test_unformed, remove_file),
	cmocka_unit_test(test_forms),
	cmocka_unit_test(test_last_places),
	cmocka_unit_test(test_parts),
};

int main(void)
{
	return cmocka_run_group_tests_name("notes", tests, folder_enter, folder_leave);
}
