// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Writes events, and joins each system call with its return into one line where the
 * format does so. The begin of the line is printed when the call comes and its end when
 * the next thing to be printed is known, so nothing is kept but the call's number:
 *
 *	read(3, 0x4000, 100) = 5		the return follows at once
 *	read(3, 0x4000, 100) <unfinished ...>	something else is printed first
 *
 * Invariant: is_open means that the last bytes written have no newline. Every other
 * output must call event_writer_break() before it writes.
 */
#include "cli/list/event_writer.h"

#include "base/error.h"
#include "trace/period.h"

#include <stdlib.h>

/* One stream in memory is reused for all events. */
int event_writer_init(struct event_writer *writer, struct wm_error *err)
{
	writer->out = open_memstream(&writer->text, &writer->bytes);
	if (!writer->out)
		return wm_fail_nomem(err, "events");
	writer->begin_ns = period_of(writer->source->trace).begin_ns;
	return WM_OK;
}

void event_writer_fini(struct event_writer *writer)
{
	if (writer->out)
		fclose(writer->out);
	free(writer->text);
}

/* ---- one event ----------------------------------------------------------- */

/* rewind() and fflush() make `text` and `bytes` those of this event alone. */
static void print(struct event_writer *writer, const struct event *event)
{
	rewind(writer->out);
	writer->format->print(writer->out, event);
	fflush(writer->out);
	output_put(writer->output, writer->text, writer->bytes);
}

/* An event can carry a time before the recorded begin; it counts as 0. */
static uint64_t since_begin(const struct event_writer *writer, const struct wm_event *raw)
{
	return raw->ns > writer->begin_ns ? raw->ns - writer->begin_ns : 0;
}

/*
 * Names for the two addresses of a signal: field 2 is where the thread was interrupted,
 * field 4 is the handler.
 */
static void find_places(const struct event_writer *writer, struct event *event)
{
	const uint64_t *fields = event->raw->fields;
	struct code_name place;

	source_name(writer->source, event->raw->space, fields[2], 0, &place);
	event->symbol = place.symbol;
	event->module = place.module;
	event->offset = place.offset;
	source_name(writer->source, event->raw->space, fields[4], 0, &place);
	event->handler = place.symbol;
	event->handler_offset = place.offset;
}

/*
 * Whether the line of an event waits for a return. 'N' marks calls that never return,
 * such as exit_group(). An unknown call is assumed to return.
 */
static bool opens(const struct event *event)
{
	const struct call *call;

	if (event->raw->kind != WM_EVENT_SYSCALL)
		return false;
	call = kernel_call(event->kernel, event->raw->fields[0]);
	return !call || call->returns != 'N';
}

/*
 * A return belongs to the open line if it is of the same thread and the same call: in a
 * merged list another thread may return first.
 */
bool event_writer_joins(const struct event_writer *writer, unsigned thread,
			const struct wm_event *event)
{
	return writer->is_open && event->kind == WM_EVENT_SYSCALL_RET &&
	       thread == writer->thread && event->fields[0] == writer->number;
}

void event_writer_break(struct event_writer *writer)
{
	if (writer->is_open)
		print(writer, &(struct event){ .part = EVENT_BROKEN });
	writer->is_open = false;
}

void event_writer_put_clock(struct event_writer *writer, uint32_t process,
			    const struct wm_event *raw)
{
	struct event event = {
		.raw = raw,
		.thread = EVENT_NO_THREAD,
		.process = process,
		.ns = since_begin(writer, raw),
		.kernel = writer->source->kernel,
		.info = event_info(raw->kind),
	};

	event_writer_break(writer);
	writer->lines++;
	print(writer, &event);
}

/* A line is counted when it begins, so the return that closes it does not count again. */
void event_writer_put(struct event_writer *writer, unsigned thread,
		      const struct wm_event *raw)
{
	struct event event = {
		.raw = raw,
		.thread = thread,
		.mixed = writer->mixed,
		.ns = since_begin(writer, raw),
		.kernel = writer->source->kernel,
		.info = event_info(raw->kind),
	};

	if (raw->kind == WM_EVENT_SIGNAL)
		find_places(writer, &event);
	if (event_writer_joins(writer, thread, raw))
		event.part = EVENT_CLOSED;
	else
		event_writer_break(writer);
	writer->lines += event.part != EVENT_CLOSED;
	writer->is_open = writer->format->joins && opens(&event);
	if (writer->is_open)
		event.part = EVENT_OPENED;
	writer->thread = thread;
	writer->number = raw->fields[0];
	print(writer, &event);
}
