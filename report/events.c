// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * "syscalls": [name, calls, failures, first, last, thread of the first, of the last] of each
 * system call, where first and last are ordinals of the calling instructions, by the clock.
 * "marks": the first markers of the guest, in the order of threads.
 *
 * Of all that ran they come from the walk that sections share; of a part a cursor looks for
 * them, because an event right behind the part belongs to it. A return event has the number of
 * its call, so failures are counted without pairing returns with calls; a call that did not
 * return counts as one that did not fail.
 *
 * Example: 3 times write, of which one returned -EPIPE: ["write", 3, 1, 10512, 98004, 0,
 * 0].
 */
#include <stdlib.h>

#include "analysis/analysis.h"
#include "base/error.h"
#include "kernel/kernel.h"
#include "report/section.h"
#include "trace/cursor.h"

enum { CALLS_MAX = 1024, MARKS_MAX = 500 };

struct moment {
	uint64_t insn, ns;
	uint32_t thread;
};

/* What is known of one system call. `first` and `last` are valid when `calls` is not 0. */
struct tally {
	uint64_t calls, failed;
	struct moment first, last;
};

struct mark {
	uint64_t insn, ns;
	uint32_t thread, kind;
	uint64_t id;
};

struct report_seen {
	const struct kernel *kernel;
	struct tally calls[CALLS_MAX];
	struct mark marks[MARKS_MAX];
	uint64_t n_marks;
};

/*
 * Numbers come from the file and have no bound: the modulus keeps the index in the array.
 * Linux has fewer than CALLS_MAX system calls, so real numbers do not collide.
 */
static void see_call(struct report_seen *seen, unsigned thread,
		     const struct wm_event *event)
{
	struct tally *tally = &seen->calls[event->fields[0] % CALLS_MAX];
	const struct moment now = { event->insn_ordinal, event->ns, thread };

	/* Threads are read one after the other; of two at one time the first read counts. */
	if (!tally->calls || now.ns < tally->first.ns)
		tally->first = now;
	if (!tally->calls || now.ns > tally->last.ns ||
	    (now.ns == tally->last.ns && now.thread == tally->last.thread))
		tally->last = now;
	tally->calls++;
}

/* Markers beyond MARKS_MAX are counted but not kept, so "in_all" is right. */
static void see(struct report_seen *seen, unsigned thread, const struct wm_event *event)
{
	switch (event->kind) {
	case WM_EVENT_SYSCALL:
		see_call(seen, thread, event);
		break;
	case WM_EVENT_SYSCALL_RET:
		if (event->n_fields > 1 && kernel_error(seen->kernel, event->fields[1]))
			seen->calls[event->fields[0] % CALLS_MAX].failed++;
		break;
	case WM_EVENT_MARKER:
		if (seen->n_marks < MARKS_MAX)
			seen->marks[seen->n_marks] =
				(struct mark){ event->insn_ordinal, event->ns, thread,
					       (uint32_t)event->fields[0],
					       event->fields[1] };
		seen->n_marks++;
		break;
	default:
		break;
	}
}

/*
 * An event at ordinal `to` still belongs to the selection: it happened after its last
 * instruction.
 */
static int see_stream(struct report *report, struct report_seen *seen, unsigned stream,
		      struct wm_error *err)
{
	const struct selection *selection = report->ask->selection;
	struct wm_cursor *cursor;
	struct wm_event event;
	struct wm_stream of;
	uint64_t from, to;
	int ret = wm_cursor_new(&cursor, report->ask->trace, stream, err);

	if (ret)
		return ret;
	wm_trace_stream(report->ask->trace, stream, &of);
	report_range(report, &of, &from, &to);
	cursor_select(cursor, selection_excerpts(selection, stream));
	if (selection->from)
		ret = wm_cursor_seek_insn(cursor, from, err);
	while (!ret) {
		ret = wm_cursor_next_event(cursor, &event, err);
		if (!ret && event.insn_ordinal > to)
			break;
		if (!ret && event.insn_ordinal >= from)
			see(seen, stream, &event);
	}
	wm_cursor_free(cursor);
	return ret < 0 ? ret : 0;
}

/* ---- from the walk ------------------------------------------------------- */

/* Seen later in the same thread, or in a thread that is read later. */
static void add_calls(struct tally *to, const struct tally *from)
{
	to->failed += from->failed;
	if (!from->calls)
		return;
	if (!to->calls || from->first.ns < to->first.ns)
		to->first = from->first;
	if (!to->calls || from->last.ns > to->last.ns ||
	    (from->last.ns == to->last.ns && from->last.thread == to->last.thread))
		to->last = from->last;
	to->calls += from->calls;
}

static void add_seen(struct report_seen *to, const struct report_seen *from)
{
	for (unsigned i = 0; i < CALLS_MAX; i++)
		add_calls(&to->calls[i], &from->calls[i]);
	for (uint64_t i = 0; i < from->n_marks && i < MARKS_MAX; i++)
		if (to->n_marks + i < MARKS_MAX)
			to->marks[to->n_marks + i] = from->marks[i];
	to->n_marks += from->n_marks;
}

struct state {
	unsigned stream;
	struct report_seen *seen;
};

static int begin(void *cookie, void *setup, const struct segment *segment,
		 struct wm_error *err)
{
	const struct report_seen *whole = setup;
	struct state *state = cookie;

	state->stream = segment->stream;
	state->seen = calloc(1, sizeof(*state->seen));
	if (!state->seen)
		return wm_fail_nomem(err, "events");
	state->seen->kernel = whole->kernel;
	return 0;
}

/* A walk needs one; what is wanted are events alone. */
static int blocks(void *cookie, const struct stretch *stretch, struct wm_error *err)
{
	(void)cookie;
	(void)stretch;
	(void)err;
	return 0;
}

static int event(void *cookie, const struct wm_event *event, struct wm_error *err)
{
	struct state *state = cookie;

	(void)err;
	see(state->seen, state->stream, event);
	return 0;
}

static int append(void *cookie, void *next, struct wm_error *err)
{
	struct state *state = cookie, *behind = next;

	(void)err;
	add_seen(state->seen, behind->seen);
	return 0;
}

static int stream(void *cookie, void *setup, unsigned number, struct wm_error *err)
{
	struct state *state = cookie;

	(void)number;
	(void)err;
	add_seen(setup, state->seen);
	return 0;
}

static void end(void *cookie)
{
	struct state *state = cookie;

	free(state->seen);
}

/* It has no bytes: see is_walked(). */
static const struct analysis events_analysis = {
	.name = "events",
	.state_bytes = sizeof(struct state),
	.across = true,
	.begin = begin,
	.blocks = blocks,
	.event = event,
	.append = append,
	.stream = stream,
	.end = end,
};

static bool is_walked(const struct selection *selection)
{
	return !selection->from && selection->to == UINT64_MAX && !selection->excerpts &&
	       !selection->runner;
}

int report_events_begin(struct report *report, struct wm_error *err)
{
	const struct selection *selection = report->ask->selection;

	report->seen = calloc(1, sizeof(*report->seen));
	if (!report->seen)
		return wm_fail_nomem(err, "events");
	report->seen->kernel =
		kernel_find(wm_trace_meta(report->ask->trace, "guest-isa"));
	if (is_walked(selection))
		joint_add(&report->walk, &events_analysis, report->seen,
			  selection->streams, selection->n);
	return 0;
}

void report_events_end(struct report *report)
{
	free(report->seen);
	report->seen = NULL;
}

/* ---- the page's data ----------------------------------------------------- */

static void put_calls(struct json *json, const struct report_seen *seen)
{
	char name[KERNEL_NAME];

	json_array(json, "syscalls");
	for (unsigned i = 0; i < CALLS_MAX; i++) {
		const struct tally *tally = &seen->calls[i];

		if (!tally->calls)
			continue;
		json_array(json, NULL);
		json_string(json, NULL, kernel_call_name(seen->kernel, i, name));
		json_uint(json, NULL, tally->calls);
		json_uint(json, NULL, tally->failed);
		json_uint(json, NULL, tally->first.insn);
		json_uint(json, NULL, tally->last.insn);
		json_uint(json, NULL, tally->first.thread);
		json_uint(json, NULL, tally->last.thread);
		json_close(json);
	}
	json_close(json);
}

/* "list": thread, kind (enum wm_marker), id, instruction. */
static void put_marks(struct json *json, const struct report_seen *seen)
{
	json_object(json, "marks");
	json_uint(json, "in_all", seen->n_marks);
	json_array(json, "list");
	for (unsigned i = 0; i < seen->n_marks && i < MARKS_MAX; i++) {
		json_array(json, NULL);
		json_uint(json, NULL, seen->marks[i].thread);
		json_uint(json, NULL, seen->marks[i].kind);
		json_uint(json, NULL, seen->marks[i].id);
		json_uint(json, NULL, seen->marks[i].insn);
		json_close(json);
	}
	json_close(json);
	json_close(json);
}

int report_events(struct report *report, struct wm_error *err)
{
	const struct selection *selection = report->ask->selection;
	struct report_seen *seen = report->seen;
	int ret = 0;

	for (unsigned i = 0; !ret && !is_walked(selection) && i < selection->n; i++)
		ret = see_stream(report, seen, selection->streams[i], err);
	if (!ret) {
		put_calls(&report->json, seen);
		put_marks(&report->json, seen);
	}
	return ret;
}
