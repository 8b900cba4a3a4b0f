// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What the library explains, on traces made by hand and on golden files: instructions,
 * branches, names, events, walks, callers of other struct sizes, wrong arguments. Programs
 * and guests are in tests/cli/library.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "sample.h"
#include "waymark.h"

static const char *const path = "explain.wmk";
static struct sample sample;
static struct wm_trace *trace;

/* ---- a trace of a few branches ------------------------------------------------------------ */

enum { LOOP = 0x1000, AFTER = 0x1008, FUNCTION = 0x2000, HANDLER = 0x3000 };

static uint32_t loop, after, function, handler, gap;

static uint32_t code(uint64_t address, const uint32_t *words, uint32_t n)
{
	return sample_code(&sample, address, (const uint8_t *)words, 4 * n);
}

/* "bne a0,a1,-4"; "jal ra" to FUNCTION; "ret"; "mret" stands for what goes on. */
static void put_code(void)
{
	loop = code(LOOP, (uint32_t[]){ 0x00150513, 0xfeb51ee3 }, 2);
	after = code(AFTER, (uint32_t[]){ 0x7f9000ef }, 1);
	function = code(FUNCTION, (uint32_t[]){ 0x02a5f553, 0x00008067 }, 2);
	handler = code(HANDLER, (uint32_t[]){ 0x00000013, 0x00000073 }, 2);
	gap = sample_gap(&sample);
}

static void put_signal(uint64_t position, uint64_t pc)
{
	struct buf data = BUF_INIT;
	struct chunk_event event = { .position = position, .kind = WM_EVENT_SIGNAL };

	buf_put_varint(&data, 1);
	buf_put_varint(&data, 10);
	buf_put_varint(&data, 0);
	buf_put_varint(&data, pc);
	buf_put_varint(&data, 0);
	buf_put_varint(&data, HANDLER);
	event.data = data.data;
	event.bytes = data.len;
	event_put(&sample.events, &event, &sample.last_event);
	buf_fini(&data);
}

static int set_up(void **state)
{
	(void)state;
	sample_open(&sample, path);
	put_code();
	sample_stream(&sample);
	/* Taken; a chunk ends; taken; left early: no outcome. */
	sample_chunk(&sample, 0, (uint32_t[]){ loop, loop }, 2);
	sample_partial(&sample, 1, loop, 1, 0);
	sample_chunk(&sample, 0, (uint32_t[]){ loop, loop, loop }, 3);
	/* Not taken, but a signal's handler runs first; then a call and its return. */
	put_signal(0, AFTER);
	sample_chunk(&sample, 0, (uint32_t[]){ handler, after, function, gap, loop }, 5);
	sample_close(&sample, false);
	trace = sample_trace(path);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	wm_trace_close(trace);
	return 0;
}

/* ---- instructions ------------------------------------------------------------------------- */

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

/* ---- branches ----------------------------------------------------------------------------- */

struct outcome {
	uint64_t block, insn, address, target;
	uint32_t id, index, flow;
	bool taken;
};

static const uint64_t call = AFTER;
static struct outcome wanted[5];

static void want(void)
{
	const struct outcome all[] = {
		{ 0, 1, LOOP + 4, LOOP, loop, 1, WM_FLOW_BRANCH, true },
		{ 1, 3, LOOP + 4, LOOP, loop, 1, WM_FLOW_BRANCH, true },
		{ 2, 5, LOOP + 4, LOOP, loop, 1, WM_FLOW_BRANCH, true },
		{ 4, 8, LOOP + 4, AFTER, loop, 1, WM_FLOW_BRANCH, false },
		{ 6, 11, call, FUNCTION, after, 0, WM_FLOW_CALL, true },
	};

	memcpy(wanted, all, sizeof(all));
}

static void check_branch(const struct wm_branch *branch, size_t i)
{
	assert_true(i < 5);
	assert_int_equal(branch->block_ordinal, wanted[i].block);
	assert_int_equal(branch->insn_ordinal, wanted[i].insn);
	assert_int_equal(branch->address, wanted[i].address);
	assert_int_equal(branch->target, wanted[i].target);
	assert_int_equal(branch->id, wanted[i].id);
	assert_int_equal(branch->index, wanted[i].index);
	assert_int_equal(branch->flow, wanted[i].flow);
	assert_int_equal(branch->taken, wanted[i].taken);
	assert_int_equal(branch->space, 0);
}

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

/* ---- a walk ------------------------------------------------------------------------------- */

struct walked {
	struct wm_branch branches[8];
	size_t n;
	uint64_t insns, gaps, events, begun;
	bool failed;
};

static int begin(void *data, void *setup, const struct wm_part *part,
		 struct wm_error *err)
{
	struct walked *state = data;

	(void)setup;
	(void)err;
	assert_int_equal(part->stream, 0);
	assert_int_equal(part->space, 0);
	state->begun = 1;
	return 0;
}

static int run(void *data, const struct wm_run *run, struct wm_error *err)
{
	struct walked *state = data;

	(void)err;
	for (size_t i = 0; i < run->n; i++)
		state->insns += run->n == 1 ? run->end - run->begin :
					      sample.insns_of[run->ids[i]];
	return 0;
}

static int branch_taken(void *data, const struct wm_branch *branch, struct wm_error *err)
{
	struct walked *state = data;

	(void)err;
	state->branches[state->n++] = *branch;
	return 0;
}

static int pass_gap(void *data, uint32_t id, uint64_t insn, struct wm_error *err)
{
	(void)err;
	assert_int_equal(id, gap);
	assert_int_equal(insn, 14);
	((struct walked *)data)->gaps++;
	return 0;
}

static int meet_event(void *data, const struct wm_event *event, struct wm_error *err)
{
	(void)err;
	assert_int_equal(event->kind, WM_EVENT_SIGNAL);
	((struct walked *)data)->events++;
	return 0;
}

static int append(void *data, void *next, struct wm_error *err)
{
	struct walked *state = data;
	const struct walked *more = next;

	(void)err;
	for (size_t i = 0; i < more->n; i++)
		state->branches[state->n++] = more->branches[i];
	state->insns += more->insns;
	state->gaps += more->gaps;
	state->events += more->events;
	state->begun += more->begun;
	return 0;
}

static struct walked whole;

static int take_stream(void *data, void *setup, unsigned stream, struct wm_error *err)
{
	(void)setup;
	(void)err;
	assert_int_equal(stream, 0);
	whole = *(struct walked *)data;
	return 0;
}

static const struct wm_analysis all_of_it = {
	.state_bytes = sizeof(struct walked),
	.begin = begin,
	.run = run,
	.branch = branch_taken,
	.gap = pass_gap,
	.event = meet_event,
	.append = append,
	.stream = take_stream,
};

static void test_walk(void **state)
{
	(void)state;
	want();
	for (unsigned i = 0; i < 8; i++) {
		struct wm_selection selection = { .threads = i / 2,
						  .part_blocks = i % 2 };
		struct wm_error err = { .text = "" };

		memset(&whole, 0, sizeof(whole));
		assert_int_equal(wm_trace_walk(trace, &all_of_it, &selection, NULL, &err),
				 0);
		assert_int_equal(whole.n, 5);
		for (size_t j = 0; j < whole.n; j++)
			check_branch(&whole.branches[j], j);
		assert_int_equal(whole.insns, 16);
		assert_int_equal(whole.gaps, 1);
		assert_int_equal(whole.events, 1);
		assert_int_equal(whole.begun, i % 2 ? 3 : 1);
	}
}

/* ---- any trace, cut anywhere ----------------------------------------------------------------- */

enum { RANDOM_CHUNKS = 40, RANDOM_BRANCHES = 4096 };

struct listed {
	struct wm_branch branches[RANDOM_BRANCHES];
	size_t n;
};

static struct listed walked_all;

static int keep_branch(void *data, const struct wm_branch *branch, struct wm_error *err)
{
	struct listed *state = data;

	assert_true(state->n < RANDOM_BRANCHES);
	state->branches[state->n++] = *branch;
	(void)err;
	return 0;
}

static int append_listed(void *data, void *next, struct wm_error *err)
{
	const struct listed *more = next;

	for (size_t i = 0; i < more->n; i++)
		keep_branch(data, &more->branches[i], err);
	return 0;
}

static int keep_listed(void *data, void *setup, unsigned stream, struct wm_error *err)
{
	(void)setup;
	(void)stream;
	(void)err;
	walked_all = *(struct listed *)data;
	return 0;
}

/* Chunks of 1 to 12 blocks, with signals, gaps and blocks that were left early. */
static void put_random(uint64_t *seed)
{
	uint32_t ids[12], n = 1 + sample_random(seed) % 12;
	const uint32_t known[] = { loop, loop, loop, after, function, handler, gap };

	if (sample_random(seed) % 4 == 0)
		put_signal(0, sample_random(seed) % 2 ? AFTER : LOOP);
	for (uint32_t i = 0; i < n; i++) {
		ids[i] = known[sample_random(seed) % 7];
		sample_perhaps_partial(&sample, i, ids[i], seed);
	}
	if (sample_random(seed) % 4 == 0)
		put_signal(n, sample_random(seed) % 2 ? AFTER : LOOP);
	sample_chunk(&sample, 0, ids, n);
}

static void list_all(struct wm_trace *random, struct listed *all)
{
	struct wm_branches *branches;
	struct wm_cursor *cursor;

	all->n = 0;
	assert_int_equal(wm_cursor_new(&cursor, random, 0, NULL), 0);
	assert_int_equal(wm_branches_new(&branches, cursor, NULL), 0);
	while (wm_branches_next(branches, &all->branches[all->n], NULL) == 0)
		all->n++;
	wm_branches_free(branches);
	wm_cursor_free(cursor);
}

static void test_random(void **state)
{
	static const struct wm_analysis analysis = {
		.state_bytes = sizeof(struct listed),
		.branch = keep_branch,
		.append = append_listed,
		.stream = keep_listed,
	};
	static struct listed all;
	uint64_t seed = 11;
	struct wm_trace *random;

	(void)state;
	sample_open(&sample, "random.wmk");
	put_code();
	sample_stream(&sample);
	for (unsigned i = 0; i < RANDOM_CHUNKS; i++)
		put_random(&seed);
	sample_close(&sample, false);
	random = sample_trace("random.wmk");
	list_all(random, &all);
	assert_true(all.n > RANDOM_CHUNKS);
	for (unsigned i = 0; i < 9; i++) {
		static const uint64_t parts[] = { 0, 1, 30 };
		struct wm_selection selection = { .threads = 1 + i / 3,
						  .part_blocks = parts[i % 3] };

		assert_int_equal(wm_trace_walk(random, &analysis, &selection, NULL, NULL),
				 0);
		assert_int_equal(walked_all.n, all.n);
		for (size_t j = 0; j < all.n; j++) {
			assert_int_equal(walked_all.branches[j].insn_ordinal,
					 all.branches[j].insn_ordinal);
			assert_int_equal(walked_all.branches[j].target,
					 all.branches[j].target);
			assert_int_equal(walked_all.branches[j].taken,
					 all.branches[j].taken);
		}
	}
	wm_trace_close(random);
}

static void test_walk_range(void **state)
{
	unsigned streams[] = { 0 };
	struct wm_selection selection = { .streams = streams, .n = 1, .from = 1, .to = 6 };

	(void)state;
	memset(&whole, 0, sizeof(whole));
	assert_int_equal(wm_trace_walk(trace, &all_of_it, &selection, NULL, NULL), 0);
	assert_int_equal(whole.insns, 5);
	assert_int_equal(whole.n, 2);
	selection.n = 0;
	assert_int_equal(wm_trace_walk(trace, &all_of_it, &selection, NULL, NULL), 0);
	assert_int_equal(wm_trace_walk(trace, &all_of_it, NULL, NULL, NULL), 0);
	assert_int_equal(whole.insns, 16);
}

static int refuse(void *data, const struct wm_run *run, struct wm_error *err)
{
	(void)data;
	return wm_error_set(err, WM_E_RANGE, "no %s at %u", "luck",
			    (unsigned)run->block_ordinal);
}

static void test_walk_wrong(void **state)
{
	static const struct wm_analysis nothing = { .state_bytes = 0 };
	static const struct wm_analysis refusing = { .run = refuse };
	unsigned twice[] = { 0, 0 }, far[] = { 7 };
	struct wm_selection selection = { .streams = twice, .n = 2 };
	struct wm_error err = { .text = "" };

	(void)state;
	assert_int_equal(wm_trace_walk(trace, &nothing, NULL, NULL, &err), 0);
	assert_int_equal(wm_trace_walk(trace, &refusing, NULL, NULL, &err), WM_E_RANGE);
	assert_string_equal(err.text, "no luck at 0");
	assert_int_equal(err.code, WM_E_RANGE);
	assert_int_equal(wm_trace_walk(trace, &refusing, NULL, NULL, NULL), WM_E_RANGE);
	assert_int_equal(wm_trace_walk(trace, &nothing, &selection, NULL, &err),
			 WM_E_RANGE);
	selection = (struct wm_selection){ .streams = far, .n = 1 };
	assert_int_equal(wm_trace_walk(trace, &nothing, &selection, NULL, &err),
			 WM_E_RANGE);
	assert_int_equal(wm_error_set(NULL, WM_E_IO, "nobody hears it"), WM_E_IO);
}

/* ---- names -------------------------------------------------------------------------------- */

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

/* ---- events ------------------------------------------------------------------------------- */

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

/* ---- questions ------------------------------------------------------------------------------ */

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

/* ---- callers of other sizes ---------------------------------------------------------------- */

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

/* An older caller's arrays have smaller elements, and its analysis fewer functions. */
static void test_small_arrays(void **state)
{
	struct old_partial {
		uint64_t block_ordinal;
	} * partials;
	struct wm_analysis older = all_of_it;
	size_t n;

	(void)state;
	assert_int_equal(wm_trace_partials_sized(trace, 1,
						 (struct wm_partial **)&partials,
						 sizeof(*partials), &n, NULL),
			 0);
	assert_int_equal(n, 1);
	assert_int_equal(partials[0].block_ordinal, 3);
	free(partials);
	memset(&whole, 0, sizeof(whole));
	assert_int_equal(wm_trace_walk_sized(trace, &older,
					     offsetof(struct wm_analysis, branch), NULL,
					     0, NULL, NULL),
			 0);
	assert_int_equal(whole.insns, 0); /* stream() is behind branch() */
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_insn),	   cmocka_unit_test(test_classes),
		cmocka_unit_test(test_branches),   cmocka_unit_test(test_walk),
		cmocka_unit_test(test_random),	   cmocka_unit_test(test_walk_range),
		cmocka_unit_test(test_walk_wrong), cmocka_unit_test(test_names),
		cmocka_unit_test(test_events),	   cmocka_unit_test(test_questions),
		cmocka_unit_test(test_sizes),	   cmocka_unit_test(test_small_arrays),
		cmocka_unit_test(test_version),
	};

	return cmocka_run_group_tests_name("explain", tests, set_up, tear_down);
}
