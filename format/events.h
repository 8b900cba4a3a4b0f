/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The contents of format/events.def as tables and masks. A mask has bit n for events of
 * kind n.
 *
 * EVENTS_BUILT and EVENTS_DEFAULT are constants, so the compiler removes the code of
 * events that are not compiled in.
 */
#ifndef FORMAT_EVENTS_H
#define FORMAT_EVENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "waymark.h"

#ifndef EVENTS_DEF
#define EVENTS_DEF "format/events.def" /* tests define others */
#endif

enum event_field_type {
	FIELD_UNSIGNED,
	FIELD_SIGNED,
	FIELD_HEX,    /* an address, or flags */
	FIELD_CALL,   /* a number of a system call of the guest */
	FIELD_SIGNAL, /* a number of a signal of the guest */
	FIELD_WORDS,  /* one of a few values that have words */
	FIELD_TEXT,   /* no number: the text after the numbers */
};

struct event_field {
	const char *name;
	enum event_field_type type;
	const char *const *words; /* [n_words], for FIELD_WORDS */
	unsigned n_words;
};

enum event_of { EVENT_OF_THREAD, EVENT_OF_CLOCK };
enum event_state { EVENT_STATE_OFF, EVENT_STATE_ON, EVENT_STATE_DISABLE };

struct event_info {
	uint32_t number;
	const char *name;
	enum event_of of;
	enum event_state state; /* unless the user selects otherwise */
	const char *format;	/* see events.def */
	unsigned n_numbers;
	const struct event_field
		*fields; /* the numbers, the text if any, one without name */
};

/* NULL for an unknown kind, for example of a newer Waymark. */
const struct event_info *event_info(uint32_t kind);
/* Entry `index` of events.def, from 0; NULL after the last. */
const struct event_info *event_info_at(unsigned index);
/* Count of numbers in an event of `kind`; 0 for unknown kinds. */
unsigned event_fields(uint32_t kind);
/* The text field; NULL when the kind has none. */
const struct event_field *event_text_field(const struct event_info *info);

#define EVENT(number, NAME, name, OF, STATE, format, fields) \
	| (uint64_t)(EVENT_STATE_##STATE != EVENT_STATE_DISABLE) << number
static const uint64_t EVENTS_BUILT = 0
#include EVENTS_DEF
	;
#undef EVENT

#define EVENT(number, NAME, name, OF, STATE, format, fields) \
	| (uint64_t)(EVENT_STATE_##STATE == EVENT_STATE_ON) << number
static const uint64_t EVENTS_DEFAULT = 0
#include EVENTS_DEF
	;
#undef EVENT

#endif
