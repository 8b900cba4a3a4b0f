/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An event on its way from whoever noticed it to the file and the other back ends. */
#ifndef EVENTS_RECORD_H
#define EVENTS_RECORD_H

#include "base/buf.h"
#include "format/events.h"

#define EVENT_NONE UINT32_MAX /* no process, no thread */

struct event_record {
	uint32_t kind;
	uint64_t ns;	  /* CLOCK_MONOTONIC */
	uint32_t process; /* index in the file, or EVENT_NONE */
	uint32_t pid;	  /* of that; 0: of none */
	uint32_t thread; /* index of its stream; EVENT_NONE: it has no position, only a time */
	uint32_t tid; /* of that; 0: not known */
	unsigned n;   /* numbers it has, by its kind */
	uint64_t fields[WM_EVENT_FIELDS];
	const char *text; /* [text_bytes] any bytes; the caller's */
	size_t text_bytes;
};

/*
 * Fills in the fields of record->kind from numbers of 8 bytes and text; false: too few.
 */
bool event_record_take(struct event_record *record, struct span data);
/* Appends the fields as a file has them: varints, and the text. */
void event_record_put(struct buf *data, const struct event_record *record);

#endif
