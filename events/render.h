/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Events in words, by the format strings of events.def. */
#ifndef EVENTS_RENDER_H
#define EVENTS_RENDER_H

#include <stdio.h>

#include "format/events.h"
#include "kernel/kernel.h"

/*
 * Prints the fields of an event of a known kind, in one line without its end: numbers of
 * system calls by their names in `kernel`, bytes of text that are not printable as \x1b.
 */
void event_render(FILE *out, const struct event_info *info, const struct kernel *kernel,
		  const uint64_t *fields, const char *text, size_t text_bytes);

/* The same of any event, also of a kind that a newer Waymark recorded. */
void event_print(FILE *out, const struct kernel *kernel, const struct wm_event *event);

/* The word for a number of a field that has words; NULL when it has none for that. */
const char *event_word(const struct event_field *field, uint64_t value);

#endif
