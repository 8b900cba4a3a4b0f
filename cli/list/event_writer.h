/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Events to standard output, in a format; calls are joined with their returns. */
#ifndef CLI_LIST_EVENT_WRITER_H
#define CLI_LIST_EVENT_WRITER_H

#include "cli/output.h"
#include "export/event_format.h"
#include "query/source.h"

struct event_writer {
	/* The caller's to set. */
	const struct source *source;
	const struct event_format *format;
	struct output *output;
	bool mixed; /* several threads are listed by time */

	uint64_t begin_ns; /* when the recording began */
	FILE *out;	   /* into `text` */
	char *text;
	size_t bytes;
	/* A call whose line has no end yet. */
	bool is_open;
	unsigned thread;
	uint64_t number;
	uint64_t lines; /* written */
};

/* WM_E_NOMEM. */
int event_writer_init(struct event_writer *writer, struct wm_error *err);
/* Ends an open line as unfinished: something else is printed next, or nothing more. */
void event_writer_break(struct event_writer *writer);
/* Whether the event completes the open line. */
bool event_writer_joins(const struct event_writer *writer, unsigned thread,
			const struct wm_event *event);
void event_writer_put(struct event_writer *writer, unsigned thread,
		      const struct wm_event *event);
/* The same for an event that only has a time; `process` is an index, or UINT32_MAX. */
void event_writer_put_clock(struct event_writer *writer, uint32_t process,
			    const struct wm_event *event);
void event_writer_fini(struct event_writer *writer);

#endif
