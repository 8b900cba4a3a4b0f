/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What an event looks like, in a list of events or between the lines of a listing. How to
 * add a format: export/format.h.
 */
#ifndef EXPORT_EVENT_FORMAT_H
#define EXPORT_EVENT_FORMAT_H

#include "export/format.h"
#include "format/events.h"
#include "kernel/kernel.h"
#include "waymark.h"

/* Which part of a line an event is, for formats that join a call and its return. */
enum event_part {
	EVENT_WHOLE,  /* a line, with its newline */
	EVENT_OPENED, /* a call, whose line is still to be ended: */
	EVENT_CLOSED, /* by its return */
	EVENT_BROKEN, /* or without it, because something else is to be printed */
};

#define EVENT_NO_THREAD UINT32_MAX

struct event {
	const struct wm_event *raw;
	enum event_part part;
	unsigned thread;  /* or EVENT_NO_THREAD: it has a time, and no place */
	uint32_t process; /* then: an index, or UINT32_MAX */
	bool mixed;	  /* threads are, in the listing around it */
	uint64_t ns;	  /* since the recording began */
	const struct kernel *kernel;
	const struct event_info *info; /* NULL: of a newer Waymark */
	/* Where a signal came, and what handles it: as in export/insn_format.h. */
	const char *symbol, *module, *handler;
	uint64_t offset, handler_offset;
};

struct event_format {
	struct format format; /* first: formats[] knows it by this */
	const char *header;   /* the first line, or NULL */
	bool joins;	      /* calls and returns; else all are whole */
	void (*print)(FILE *out, const struct event *event);
};

/*
 * In words that formats share, as strace has them: a call up to its closing parenthesis,
 * what it returned, a signal and where it came; a marker, a window's bounds; and any
 * other kind by its own format.
 */
void event_print_call(FILE *out, const struct event *event);
void event_print_value(FILE *out, const struct event *event);
void event_print_signal(FILE *out, const struct event *event);
void event_print_marker(FILE *out, const struct event *event);
void event_print_window(FILE *out, const struct event *event);
/* Of enum wm_marker: "begin"; of enum wm_window_change: "opens". */
const char *event_marker_name(uint64_t what);
const char *event_window_change(uint64_t what);
void event_print_other(FILE *out, const struct event *event);

extern const struct event_format event_comment, event_csv, event_jsonl, event_text;

#endif
