/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The line that log, syslog and ftrace have for an event. */
#ifndef EVENTS_LINE_H
#define EVENTS_LINE_H

#include <stdio.h>

#include "events/record.h"
#include "kernel/kernel.h"

struct event_line {
	FILE *out; /* into text */
	char *text;
	size_t bytes;
};

/* WM_E_NOMEM. To be finished in any case. */
int event_line_init(struct event_line *line, struct wm_error *err);
void event_line_fini(struct event_line *line);
/*
 * "[pid/tid] name: words", without a line end; unknown parts are left out. The text
 * belongs to the line, until the next call.
 */
const char *event_line_make(struct event_line *line, const struct event_info *info,
			    const struct event_record *record,
			    const struct kernel *kernel);

#endif
