// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The tables that format/events.def defines, made by including it several times with
 * different macros. So a kind is described in one place, and the tables cannot disagree.
 *
 * kinds[] has the order of the file, which is the order of lists. by_number[] makes
 * finding a kind one array access, because every event that is read asks for its kind.
 * Example: MARKER is number 4; by_number[4] points to kinds[AT_MARKER], whatever its line
 * in the file.
 */
#include "format/events.h"

enum { KINDS_MAX = 64 }; /* bits of a mask of kinds */

#define FIELD(TYPE, name) { #name, FIELD_##TYPE, NULL, 0 },
#define WORDS(name, ...)                                            \
	{ #name, FIELD_WORDS, (const char *const[]){ __VA_ARGS__ }, \
	  sizeof((const char *const[]){ __VA_ARGS__ }) / sizeof(char *) },
#define EVENT(number, NAME, name, OF, STATE, format, fields) \
	static const struct event_field fields_of_##NAME[] = { fields{ NULL } };
#include EVENTS_DEF
#undef EVENT
#undef FIELD
#undef WORDS

#define FIELD(TYPE, name) +(FIELD_##TYPE != FIELD_TEXT)
#define WORDS(name, ...) +1
#define EVENT(number, NAME, name, OF, STATE, format, fields)      \
	{ number, #name,    EVENT_OF_##OF,   EVENT_STATE_##STATE, \
	  format, 0 fields, fields_of_##NAME },
static const struct event_info kinds[] = {
#include EVENTS_DEF
};
#undef EVENT

enum { KINDS = sizeof(kinds) / sizeof(*kinds) };

#define EVENT(number, NAME, name, OF, STATE, format, fields)                         \
	_Static_assert(number > 0 && number < KINDS_MAX, "a mask has a bit for it"); \
	_Static_assert((0 fields) <= WM_EVENT_FIELDS, "an event has no more numbers");
#include EVENTS_DEF
#undef EVENT
#undef FIELD
#undef WORDS

/* Index in kinds[] of each number. */
enum {
#define EVENT(number, NAME, name, OF, STATE, format, fields) AT_##NAME,
#include EVENTS_DEF
#undef EVENT
};

static const struct event_info *const by_number[KINDS_MAX] = {
#define EVENT(number, NAME, name, OF, STATE, format, fields) [number] = &kinds[AT_##NAME],
#include EVENTS_DEF
#undef EVENT
};

const struct event_info *event_info(uint32_t kind)
{
	return kind < KINDS_MAX ? by_number[kind] : NULL;
}

const struct event_info *event_info_at(unsigned index)
{
	return index < KINDS ? &kinds[index] : NULL;
}

unsigned event_fields(uint32_t kind)
{
	const struct event_info *info = event_info(kind);

	return info ? info->n_numbers : 0;
}

const struct event_field *event_text_field(const struct event_info *info)
{
	/*
	 * The text follows the numbers; without a text the entry without name is there.
	 */
	const struct event_field *last = &info->fields[info->n_numbers];

	return last->name ? last : NULL;
}
