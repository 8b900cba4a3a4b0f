// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What the library explains, on traces made by hand and on golden files: instructions,
 * branches, names, events, questions, callers of other struct sizes. Programs
 * and guests are in tests/cli/library.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "branchy.h"
/* ---- instructions -------------------------------------------------------- */

static void test_insn(void **state)
{
	struct wm_insn insn;

	(void)state;
	assert_int_equal(wm_trace_insn(trace, loop, 0, &insn), 0);
	assert_int_equal(insn.insn_class, WM_INSN_INTEGER);
	assert_int_equal(insn.flow, WM_FLOW_NEXT);
	assert_false(insn.has_target);
	assert_int_equal(wm_trace_insn(trace, loop, 1, &insn), 0);
	assert_int_equal(insn.address, LOOP + 4);
	assert_int_equal(insn.bytes, 4);
	assert_int_equal(insn.insn_class, WM_INSN_BRANCH);
	assert_int_equal(insn.flow, WM_FLOW_BRANCH);
	assert_true(insn.has_target && insn.target == LOOP);
	assert_string_equal(insn.extension, "I");
	assert_null(insn.precision);
	assert_int_equal(wm_trace_insn(trace, after, 0, &insn), 0);
	assert_int_equal(insn.flow, WM_FLOW_CALL);
	assert_int_equal(insn.target, FUNCTION);
	assert_int_equal(wm_trace_insn(trace, function, 0, &insn), 0);
	assert_int_equal(insn.insn_class, WM_INSN_FP_ADD);
	assert_string_equal(insn.extension, "D");
	assert_string_equal(insn.precision, "double");
	assert_int_equal(wm_trace_insn(trace, function, 1, &insn), 0);
	assert_int_equal(insn.flow, WM_FLOW_RETURN);

	assert_int_equal(wm_trace_insn(trace, loop, 2, &insn), WM_E_RANGE);
	assert_int_equal(wm_trace_insn(trace, gap, 0, &insn), WM_E_RANGE);
	assert_int_equal(wm_trace_insn(trace, 0, 0, &insn), WM_E_RANGE);
	assert_int_equal(wm_trace_insn(trace, 99, 0, &insn), WM_E_RANGE);
}

static void test_classes(void **state)
{
	(void)state;
	assert_string_equal(wm_insn_class_name(WM_INSN_LOAD), "load");
	assert_string_equal(wm_insn_class_name(WM_INSN_FP_ADD), "FP add");
	assert_string_equal(wm_insn_class_name(WM_INSN_UNKNOWN), "unknown");
	assert_string_equal(wm_insn_class_name(9999), "unknown");
	/* Every class has a name of its own. */
	for (uint32_t i = 1; i <= WM_INSN_HINT; i++) {
		assert_string_not_equal(wm_insn_class_name(i), "unknown");
		for (uint32_t j = 1; j < i; j++)
			assert_string_not_equal(wm_insn_class_name(i),
						wm_insn_class_name(j));
	}
}

/* ---- branches ------------------------------------------------------------ */

static void test_branches(void **state)
{
	struct wm_branches *branches;
	struct wm_branch branch;
	struct wm_cursor *cursor;

	(void)state;
	want();
	for (size_t from = 0; from < 6; from++) {
		size_t i = 0;

		while (i < 5 && wanted[i].block < from)
			i++;
		assert_int_equal(wm_cursor_new(&cursor, trace, 0, NULL), 0);
		assert_int_equal(wm_cursor_seek_block(cursor, from, NULL), 0);
		assert_int_equal(wm_branches_new(&branches, cursor, NULL), 0);
		for (; i < 5; i++) {
			assert_int_equal(wm_branches_next(branches, &branch, NULL), 0);
			check_branch(&branch, i);
		}
		for (unsigned again = 0; again < 2; again++)
			assert_int_equal(wm_branches_next(branches, &branch, NULL),
					 WM_END);
		wm_branches_free(branches);
		wm_cursor_free(cursor);
	}
	wm_branches_free(NULL);
}

/* ---- names --------------------------------------------------------------- */

static void test_names(void **state)
{
	struct wm_frame frames[2];
	struct wm_function number;
	struct wm_place place;
	struct wm_names *names;
	struct wm_error err = { .text = "" };
	size_t n;

	(void)state;
	assert_int_equal(wm_names_new(&names, trace, &err), 0);
	assert_int_equal(wm_names_functions(names), 0);
	assert_int_equal(wm_names_function(names, 1, &number), WM_E_RANGE);
	/* It is in no file. */
	assert_int_equal(wm_names_place(names, 0, LOOP, loop, &place, &err), 0);
	assert_int_equal(place.function, 1);
	assert_string_equal(place.name, "[anonymous]");
	assert_string_equal(place.build_id, "");
	assert_null(place.symbol);
	assert_null(place.module);
	assert_int_equal(place.offset, LOOP);
	assert_int_equal(wm_names_functions(names), 1);
	assert_int_equal(wm_names_function(names, 1, &number), 0);
	assert_string_equal(number.name, "[anonymous]");
	assert_int_equal(wm_names_function(names, 0, &number), WM_E_RANGE);
	assert_int_equal(wm_names_function(names, 2, &number), WM_E_RANGE);
	assert_int_equal(wm_names_frames(names, 0, LOOP, loop, frames, 2, &n, &err), 0);
	assert_int_equal(n, 1);
	assert_string_equal(frames[0].function, "[anonymous]");
	assert_null(frames[0].source);
	assert_false(frames[0].inlined);
	assert_int_equal(wm_names_frames(names, 0, LOOP, loop, NULL, 0, &n, &err), 0);
	assert_int_equal(n, 1);

	assert_int_equal(wm_names_place(names, 5, LOOP, loop, &place, &err), WM_E_RANGE);
	assert_string_equal(err.text, "there is no space 5");
	assert_int_equal(wm_names_frames(names, 5, LOOP, loop, frames, 2, &n, NULL),
			 WM_E_RANGE);
	assert_int_equal(n, 0);
	wm_names_free(names);
	wm_names_free(NULL);
}

/* Neither a stream nor a trace of a native program has any. */
static void test_bytecodes(void **state)
{
	struct wm_bytecodes *bytecodes = (void *)1;
	struct wm_error err = { .text = "" };

	(void)state;
	assert_int_equal(wm_bytecodes_new(&bytecodes, trace, &err), WM_E_RANGE);
	assert_null(bytecodes);
	assert_string_equal(
		err.text,
		"the trace has no bytecodes: record a managed program with --guide");
	assert_int_equal(wm_bytecodes_new(&bytecodes, trace, NULL), WM_E_RANGE);
	wm_bytecodes_free(NULL);
}

/* ---- events -------------------------------------------------------------- */

static void check_value(const struct wm_event *event, unsigned index, const char *text)
{
	char got[64];

	assert_int_equal(wm_event_value(trace, event, index, got, sizeof(got)),
			 strlen(text));
	assert_string_equal(got, text);
}

static void check_text(const struct wm_event *event, const char *text)
{
	char got[100], little[5];

	assert_int_equal(wm_event_text(trace, event, got, sizeof(got)), strlen(text));
	assert_string_equal(got, text);
	assert_int_equal(wm_event_text(trace, event, little, sizeof(little)),
			 strlen(text));
	assert_memory_equal(little, text, 4);
	assert_int_equal(little[4], 0);
	assert_int_equal(wm_event_text(trace, event, NULL, 0), strlen(text));
}

static void test_events(void **state)
{
	struct wm_event event = { .kind = WM_EVENT_SYSCALL, .n_fields = 7 };
	enum wm_field_type type;
	const char *name;

	(void)state;
	assert_string_equal(wm_event_name(WM_EVENT_SYSCALL), "syscall");
	assert_null(wm_event_name(999));
	assert_int_equal(wm_event_field(WM_EVENT_SYSCALL, 0, &name, &type), 0);
	assert_string_equal(name, "number");
	assert_int_equal(type, WM_FIELD_SYSCALL);
	assert_int_equal(wm_event_field(WM_EVENT_SYSCALL, 7, &name, &type), 0);
	assert_string_equal(name, "string");
	assert_int_equal(type, WM_FIELD_TEXT);
	assert_int_equal(wm_event_field(WM_EVENT_SYSCALL, 8, &name, &type), WM_END);
	assert_int_equal(wm_event_field(999, 0, &name, &type), WM_END);
	assert_string_equal(wm_trace_syscall_name(trace, 93), "exit");
	assert_null(wm_trace_syscall_name(trace, 99999));

	event.fields[0] = 93;
	event.fields[1] = 3;
	check_value(&event, 0, "exit");
	check_value(&event, 1, "0x3");
	check_value(&event, 8, "");
	check_text(&event, "exit(3)");
	event = (struct wm_event){ .kind = WM_EVENT_SYSCALL_RET, .n_fields = 2 };
	event.fields[0] = 57;
	event.fields[1] = (uint64_t)-9;
	check_text(&event, "close = -1 EBADF (Bad file descriptor)");
	event = (struct wm_event){ .kind = WM_EVENT_MARKER, .n_fields = 2 };
	event.fields[0] = WM_MARKER_BEGIN;
	event.fields[1] = 7;
	check_value(&event, 0, "begin");
	check_text(&event, "begin 7");
	event = (struct wm_event){ .kind = 999 };
	check_value(&event, 0, "");
	check_text(&event, "event 999");
}

/* ---- questions ----------------------------------------------------------- */

struct answer {
	unsigned rows;
	uint64_t insns;
	int ret;
};

static int take_row(void *cookie, const struct wm_row *row)
{
	struct answer *answer = cookie;
	unsigned insns = wm_row_find(row, "insns"), name = wm_row_find(row, "function");

	assert_int_not_equal(insns, UINT32_MAX);
	assert_int_equal(wm_row_find(row, "no such column"), UINT32_MAX);
	assert_string_equal(wm_row_name(row, insns), "insns");
	assert_int_equal(wm_row_type(row, insns), WM_CELL_COUNT);
	assert_int_equal(wm_row_type(row, name), WM_CELL_TEXT);
	assert_true(wm_row_has(row, name));
	assert_string_equal(wm_row_text(row, name), "[anonymous]");
	assert_string_equal(wm_row_text(row, insns), "");
	assert_int_equal(wm_row_count(row, name), 0);
	assert_true(wm_row_real(row, insns) == (double)wm_row_count(row, insns));
	assert_int_equal(wm_row_change(row, insns), (int64_t)wm_row_count(row, insns));
	assert_null(wm_row_name(row, wm_row_columns(row)));
	assert_int_equal(wm_row_type(row, 9999), WM_CELL_EMPTY);
	assert_false(wm_row_has(row, 9999));
	assert_string_equal(wm_row_text(row, 9999), "");
	answer->rows++;
	answer->insns += wm_row_count(row, insns);
	return answer->ret;
}

static void test_questions(void **state)
{
	static const char *const by_function[] = { "by=function", NULL };
	static const char *const wrong[] = { "by=moon", NULL };
	struct answer answer = { .ret = 0 };
	struct wm_error err = { .text = "" };
	const char *what;

	(void)state;
	assert_int_equal(wm_trace_ask(trace, "hot", by_function, take_row, &answer, &err),
			 0);
	assert_int_equal(answer.rows, 1);
	assert_int_equal(answer.insns, 16);
	answer = (struct answer){ .ret = WM_END };
	assert_int_equal(wm_trace_ask(trace, "hot", NULL, take_row, &answer, NULL), 0);
	answer = (struct answer){ .ret = WM_E_IO };
	assert_int_equal(wm_trace_ask(trace, "hot", NULL, take_row, &answer, &err),
			 WM_E_IO);
	assert_int_equal(wm_trace_ask(trace, "cold", NULL, take_row, &answer, &err),
			 WM_E_RANGE);
	assert_int_equal(wm_trace_ask(trace, "hot", wrong, take_row, &answer, &err),
			 WM_E_RANGE);
	assert_true(*err.text);

	for (unsigned i = 0; wm_question_name(i); i++) {
		assert_true(*wm_question_what(i));
		for (unsigned j = 0; wm_question_option(i, j, &what); j++)
			assert_true(*what);
	}
	assert_null(wm_question_name(999));
	assert_null(wm_question_what(999));
	assert_null(wm_question_option(999, 0, &what));
	assert_null(wm_question_option(0, 999, &what));
}

/* What a listener heard. */
struct heard {
	unsigned warnings, steps, columns;
};

static void hear_warning(void *cookie, const char *sentence)
{
	assert_true(strstr(sentence, "is missing") ||
		    strstr(sentence, "no source line is known"));
	((struct heard *)cookie)->warnings++;
}

static void hear_progress(void *cookie, uint64_t done_insns, uint64_t of_insns)
{
	assert_true(done_insns <= of_insns);
	((struct heard *)cookie)->steps++;
}

static void hear_columns(void *cookie, const struct wm_row *names)
{
	unsigned insns = wm_row_find(names, "insns");

	assert_string_equal(wm_row_name(names, insns), "insns");
	assert_int_equal(wm_row_type(names, insns), WM_CELL_COUNT);
	assert_false(wm_row_has(names, insns));
	assert_int_equal(wm_row_count(names, insns), 0);
	assert_true(wm_row_real(names, insns) == 0);
	assert_string_equal(wm_row_text(names, 0), "");
	((struct heard *)cookie)->columns++;
}

static int skip_row(void *cookie, const struct wm_row *row)
{
	(void)cookie;
	assert_true(wm_row_columns(row) > 0);
	return 0;
}

/* The program of a golden file is not there, so lines of it are not known. */
static void test_listener(void **state)
{
	static const char *const by_line[] = { "by=line", NULL };
	struct heard heard = { 0 };
	struct wm_listener listener = { &heard, hear_warning, hear_progress, NULL };
	struct wm_trace *golden;
	char file[4096];

	(void)state;
	snprintf(file, sizeof(file), "%s/tests/golden/v1.wmk",
		 getenv("SRC") ? getenv("SRC") : ".");
	assert_int_equal(wm_trace_open(&golden, file, NULL), 0);
	assert_int_equal(wm_trace_ask_with_listener(golden, "hot", by_line, skip_row,
						    NULL, &listener, NULL),
			 0);
	assert_int_equal(heard.warnings, 2);
	assert_int_equal(wm_trace_ask_with_listener(golden, "calls", NULL, skip_row, NULL,
						    &listener, NULL),
			 0);
	assert_true(heard.steps > 0);
	/* An older caller knows warn() only, and without a listener nobody is told. */
	heard = (struct heard){ 0 };
	assert_int_equal(wm_trace_ask_with_listener_sized(
				 golden, "calls", NULL, skip_row, NULL, &listener,
				 offsetof(struct wm_listener, progress), NULL),
			 0);
	assert_int_equal(wm_trace_ask_with_listener(golden, "hot", by_line, skip_row,
						    NULL, NULL, NULL),
			 0);
	assert_int_equal(heard.steps, 0);
	wm_trace_close(golden);
}

/* Columns are told once for an answer, also for one without rows. */
static void test_columns(void **state)
{
	static const char *const none[] = { "from=0", "to=0", NULL };
	struct heard heard = { 0 };
	struct wm_listener listener = { .cookie = &heard, .columns = hear_columns };
	struct answer answer = { .ret = 0 };

	(void)state;
	assert_int_equal(wm_trace_ask_with_listener(trace, "hot", NULL, take_row, &answer,
						    &listener, NULL),
			 0);
	assert_int_equal(answer.rows, 1);
	assert_int_equal(heard.columns, 1);
	answer = (struct answer){ .ret = 0 };
	assert_int_equal(wm_trace_ask_with_listener(trace, "hot", none, take_row, &answer,
						    &listener, NULL),
			 0);
	assert_int_equal(answer.rows, 0);
	assert_int_equal(heard.columns, 2);
}

/* ---- callers of other sizes ---------------------------------------------- */

/* What a caller of our own size gets; bytes that differ in `again` are padding. */
static unsigned char mine[512], again[512];

/* As much as both know, then zeros up to `bytes`, and nothing behind that. */
static void check_filled(const unsigned char *other, size_t bytes, size_t known)
{
	for (size_t i = 0; i < sizeof(mine); i++) {
		unsigned char value = i >= bytes ? 0xaa : i < known ? mine[i] : 0;

		if (i >= known || i >= bytes || mine[i] == again[i])
			assert_int_equal(other[i], value);
	}
}

#define CHECK_SIZES(type, call)                                    \
	do {                                                       \
		unsigned char other[sizeof(mine)];                 \
		size_t known = sizeof(struct type), bytes = known; \
		void *out = memset(mine, 0, sizeof(mine));         \
                                                                   \
		assert_int_equal(call, 0);                         \
		out = memset(again, 0xff, sizeof(again));          \
		assert_int_equal(call, 0);                         \
		for (bytes = 0; bytes <= known + 16; bytes += 8) { \
			out = memset(other, 0xaa, sizeof(other));  \
			assert_int_equal(call, 0);                 \
			check_filled(other, bytes, known);         \
		}                                                  \
	} while (0)

static void test_sizes(void **state)
{
	struct wm_names *names;

	(void)state;
	assert_int_equal(wm_names_new(&names, trace, NULL), 0);
	CHECK_SIZES(wm_summary, (wm_trace_summary_sized(trace, out, bytes), 0));
	CHECK_SIZES(wm_space, wm_trace_space_sized(trace, 0, out, bytes));
	CHECK_SIZES(wm_process, wm_trace_process_sized(trace, 0, out, bytes));
	CHECK_SIZES(wm_stream, wm_trace_stream_sized(trace, 0, out, bytes));
	CHECK_SIZES(wm_chunk, wm_trace_chunk_sized(trace, 1, out, bytes));
	CHECK_SIZES(wm_block, wm_trace_block_sized(trace, loop, out, bytes));
	CHECK_SIZES(wm_insn, wm_trace_insn_sized(trace, loop, 1, out, bytes));
	CHECK_SIZES(wm_place,
		    wm_names_place_sized(names, 0, LOOP, loop, out, bytes, NULL));
	CHECK_SIZES(wm_function, wm_names_function_sized(names, 1, out, bytes));
	wm_names_free(names);
}

static void test_version(void **state)
{
	char text[32];

	(void)state;
	assert_int_equal(wm_version(), WM_VERSION);
	snprintf(text, sizeof(text), "%u.%u.%u", WM_VERSION / 10000,
		 WM_VERSION / 100 % 100, WM_VERSION % 100);
	assert_string_equal(wm_version_text(), text);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_insn),	  cmocka_unit_test(test_classes),
	cmocka_unit_test(test_branches),  cmocka_unit_test(test_names),
	cmocka_unit_test(test_events),	  cmocka_unit_test(test_questions),
	cmocka_unit_test(test_listener),  cmocka_unit_test(test_columns),
	cmocka_unit_test(test_sizes),	  cmocka_unit_test(test_version),
	cmocka_unit_test(test_bytecodes),
};

int main(void)
{
	return cmocka_run_group_tests_name("explain", tests, set_up, tear_down);
}
