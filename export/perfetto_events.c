// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What happened in threads beside calls, as instants on their tracks: system calls by their
 * names, signals, markers.
 *
 *	TrackEvent	9 type (3: an instant), 11 track_uuid, 23 name
 *
 * A trace of a server has millions of system calls, which no viewer can show, so there are as
 * many instants as calls of functions at most: the first of each thread.
 *
 * Example: instruction 5120 of thread 0 calls write: an instant "write" at 5120 on track 1.
 */
#include <inttypes.h>

#include "base/error.h"
#include "export/event_format.h"
#include "export/perfetto_format.h"
#include "kernel/kernel.h"
#include "trace/cursor.h"

enum { EVENTS_MAX = 500000, TEXT = KERNEL_NAME + 32 };

struct writing {
	struct perfetto *perfetto;
	const struct kernel *kernel;
	uint64_t left;
	uint64_t thread;
};

/* False: such an event is not shown. */
static bool name_of(const struct writing *writing, const struct wm_event *event,
		    char text[TEXT])
{
	const uint64_t *fields = event->fields;
	char name[KERNEL_NAME];
	const char *signal;

	switch (event->kind) {
	case WM_EVENT_SYSCALL:
		snprintf(text, TEXT, "%s",
			 kernel_call_name(writing->kernel, fields[0], name));
		return true;
	case WM_EVENT_SIGNAL:
		signal = kernel_signal_name(fields[0], name);
		snprintf(text, TEXT, "%s", signal ? signal : "a signal");
		return true;
	case WM_EVENT_MARKER:
		snprintf(text, TEXT, "marker %s %" PRIu64, event_marker_name(fields[0]),
			 fields[1]);
		return true;
	default:
		return false;
	}
}

static void put(const struct writing *writing, const char *name, uint64_t insn)
{
	struct perfetto *perfetto = writing->perfetto;

	protobuf_uint(&perfetto->packet, 8, insn);
	protobuf_uint(&perfetto->message, 9, PERFETTO_INSTANT);
	protobuf_uint(&perfetto->message, 11, writing->thread);
	protobuf_string(&perfetto->message, 23, name);
	perfetto_inside(&perfetto->packet, 11, &perfetto->message);
	perfetto_put(perfetto);
}

static int put_stream(struct writing *writing, const struct calls_subject *subject,
		      unsigned stream, struct wm_error *err)
{
	const struct selection *selection = subject->selection;
	struct wm_cursor *cursor;
	struct wm_stream of;
	struct wm_event event;
	char name[TEXT];
	int ret = wm_trace_stream(subject->trace, stream, &of);

	if (ret || of.insns <= selection->from)
		return 0;
	ret = wm_cursor_new(&cursor, subject->trace, stream, err);
	if (ret)
		return ret;
	cursor_select(cursor, selection_excerpts(selection, stream));
	ret = wm_cursor_seek_insn(cursor, selection->from, err);
	while (!ret && writing->left) {
		ret = wm_cursor_next_event(cursor, &event, err);
		if (ret || event.insn_ordinal > selection->to)
			break;
		if (event.insn_ordinal >= selection->from &&
		    name_of(writing, &event, name)) {
			put(writing, name, event.insn_ordinal);
			writing->left--;
		}
	}
	wm_cursor_free(cursor);
	return ret < 0 ? ret : 0;
}

int perfetto_events(struct perfetto *perfetto, const struct calls_subject *subject,
		    uint64_t most, struct wm_error *err)
{
	const struct selection *selection = subject->selection;
	struct writing writing = {
		.perfetto = perfetto,
		.kernel = kernel_find(wm_trace_meta(subject->trace, "guest-isa")),
	};
	int ret = 0;

	for (unsigned i = 0; !ret && i < selection->n; i++) {
		writing.thread = perfetto_thread(selection->streams[i]);
		writing.left = most < EVENTS_MAX ? most : EVENTS_MAX;
		ret = put_stream(&writing, subject, selection->streams[i], err);
	}
	return ret;
}
