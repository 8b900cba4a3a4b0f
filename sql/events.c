// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The relation "events": system calls, signals, markers and so on. The events of threads
 * come first, thread after thread, each in its own order. Then come the events without a
 * place in a thread (a process began), by time.
 *
 * An event lies between instructions: "insn" is the first one after it. A system call is
 * two events at the same place, the call and its return, so a join on thread and insn
 * finds the pair.
 *
 * Chunks without events are not decoded; the others are, up to their last event, because
 * its ordinal in instructions is counted. A bound on block is left to SQLite.
 */
#include "sql/relations.h"

enum {
	THREAD,
	INSN,
	BLOCK,
	PROCESS,
	NS,
	EVENT,
	NAME,
	TEXT,
	ARG0, /* up to ARG0 + WM_EVENT_FIELDS - 1 */
};

enum { NUMBER_BITS = 20 }; /* of a row's number: more events than are at one place */

struct events {
	struct rows rows;
	unsigned thread;
	struct subject_before before; /* the thread, for numbers of rows */
	struct wm_cursor *cursor;     /* NULL: before the thread's first event */
	struct wm_timeline *timeline; /* NULL until the last thread is finished */
	struct wm_event event;
};

/* A guess for the planner: the number is not known without reading all events. */
static uint64_t count(const struct subject *subject)
{
	return 1000 + subject->summary.chunks * 100;
}

static int open_events(struct rows *rows, struct wm_error *err)
{
	struct events *events = (struct events *)rows;
	uint64_t first = rows->range.of[RANGE_THREAD].least;

	(void)err;
	/* The bound may exceed an unsigned int: compare before the cast. */
	events->thread = rows->subject->summary.streams;
	if (first < events->thread)
		events->thread = (unsigned)first;
	return 0;
}

/* Places a cursor where the range begins. WM_END: the thread has none in the range. */
static int begin_thread(struct events *events, struct wm_error *err)
{
	const struct wm_trace *trace = events->rows.subject->trace;
	uint64_t insn = events->rows.range.of[RANGE_INSN].least;
	struct wm_stream stream;
	int ret = wm_trace_stream(trace, events->thread, &stream);

	/* Equality is allowed: events may follow the last instruction. */
	if (!ret && insn > stream.insns)
		return WM_END;
	if (!ret)
		ret = subject_add_before(events->rows.subject, events->thread,
					 &events->before);
	if (!ret)
		ret = wm_cursor_new(&events->cursor, trace, events->thread, err);
	/*
	 * One instruction earlier, so that no event right before instruction `insn` is
	 * skipped. SQLite drops those that are too early.
	 */
	if (!ret && insn)
		ret = wm_cursor_seek_insn(events->cursor, insn - 1, err);
	return ret;
}

/*
 * By its place, and by its number among the events there, which cursor_next() has counted. A
 * thread has a place more than it has instructions: its end.
 */
static void number_row(struct events *events)
{
	uint64_t place =
		events->before.insns + events->thread + events->event.insn_ordinal;

	if (events->rows.number >> NUMBER_BITS != place)
		events->rows.number = place << NUMBER_BITS;
}

/* WM_END: the last thread of the range has no more events. */
static int next_of_threads(struct events *events, struct wm_error *err)
{
	const struct range *range = &events->rows.range;
	unsigned threads = events->rows.subject->summary.streams;

	for (; events->thread < threads; events->thread++) {
		int ret = 0;

		if (events->thread > range->of[RANGE_THREAD].most)
			return WM_END;
		if (!events->cursor)
			ret = begin_thread(events, err);
		if (!ret)
			ret = wm_cursor_next_event(events->cursor, &events->event, err);
		if (ret < 0)
			return ret;
		if (!ret && events->event.insn_ordinal <= range->of[RANGE_INSN].most) {
			number_row(events);
			return 0;
		}
		/* The thread's end, or past the upper bound: events come in order. */
		wm_cursor_free(events->cursor);
		events->cursor = NULL;
	}
	return WM_END;
}

/*
 * Events without a thread have NULL in these columns. No condition on NULL holds, so any
 * restriction of the thread or the position excludes all of them.
 */
static int next_of_timeline(struct events *events, struct wm_error *err)
{
	const struct range *range = &events->rows.range;
	int ret = 0;

	if (!range_is_open(range, RANGE_THREAD) || !range_is_open(range, RANGE_INSN) ||
	    !range_is_open(range, RANGE_BLOCK))
		return WM_END;
	if (!events->timeline) {
		/* Behind all threads. */
		events->rows.number = UINT64_C(1) << 63;
		ret = wm_timeline_new(&events->timeline, events->rows.subject->trace,
				      err);
	}
	if (!ret)
		ret = wm_timeline_next(events->timeline, &(uint32_t){ 0 },
				       &events->event);
	return ret;
}

static int next_event(struct rows *rows, struct wm_error *err)
{
	struct events *events = (struct events *)rows;
	int ret = next_of_threads(events, err);

	if (ret == WM_END)
		ret = next_of_timeline(events, err);
	rows->ended = ret == WM_END;
	return ret;
}

/* Leaves NULL for events of the timeline, which have no thread. */
static void put_position(const struct events *events, sqlite3_context *context,
			 int column)
{
	if (events->timeline)
		return;
	if (column == THREAD)
		put_number(context, events->thread);
	else if (column == INSN)
		put_number(context, events->event.insn_ordinal);
	else
		put_number(context, events->event.block_ordinal);
}

/* Whether a kind begins with a name: that of a call, a signal, a program; not a number. */
static bool is_named(uint32_t kind)
{
	enum wm_field_type type;
	const char *name;

	return !wm_event_field(kind, 0, &name, &type) && type >= WM_FIELD_SYSCALL;
}

/*
 * The kind, the name of the call or signal, and the whole event in words. A text longer
 * than the buffer is cut, because the length of a guest's paths is not bounded.
 */
static void put_texts(const struct events *events, sqlite3_context *context, int column)
{
	const struct wm_trace *trace = events->rows.subject->trace;
	char text[1024];

	if (column == EVENT)
		put_text(context, wm_event_name(events->event.kind));
	else if (column == NAME && is_named(events->event.kind) &&
		 wm_event_value(trace, &events->event, 0, text, sizeof(text)))
		put_text(context, text);
	else if (column == TEXT &&
		 wm_event_text(trace, &events->event, text, sizeof(text)))
		put_text(context, text);
}

static int put_event(struct rows *rows, sqlite3_context *context, int column,
		     struct wm_error *err)
{
	const struct events *events = (struct events *)rows;
	const struct wm_event *event = &events->event;

	(void)err;
	switch (column) {
	case THREAD:
	case INSN:
	case BLOCK:
		put_position(events, context, column);
		break;
	case PROCESS:
		if (event->space != UINT32_MAX)
			put_number(context, event->space);
		break;
	case NS:
		put_time(context, rows->subject, event->ns);
		break;
	case EVENT:
	case NAME:
	case TEXT:
		put_texts(events, context, column);
		break;
	default:
		/* Fields that this kind of event lacks are NULL. */
		if ((uint32_t)(column - ARG0) < event->n_fields)
			put_number(context, event->fields[column - ARG0]);
	}
	return 0;
}

static void close_events(struct rows *rows)
{
	struct events *events = (struct events *)rows;

	wm_cursor_free(events->cursor);
	wm_timeline_free(events->timeline);
}

const struct relation relation_events = {
	.name = "events",
	.columns = "thread INTEGER, insn INTEGER, block INTEGER, process INTEGER, "
		   "ns INTEGER, event TEXT, name TEXT, text TEXT, field0 INTEGER, "
		   "field1 INTEGER, field2 INTEGER, field3 INTEGER, field4 INTEGER, "
		   "field5 INTEGER, field6 INTEGER, field7 INTEGER",
	.keys = { [RANGE_THREAD] = THREAD + 1,
		  [RANGE_BLOCK] = BLOCK + 1,
		  [RANGE_INSN] = INSN + 1 },
	.rows_bytes = sizeof(struct events),
	.count = count,
	.open = open_events,
	.next = next_event,
	.column = put_event,
	.close = close_events,
};
