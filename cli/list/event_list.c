// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The list of events for `waymark events list`, `record --events help` and `ctl events`:
 * one line for each, with its name, whether it is recorded, whether it belongs to a
 * thread or only has a time, its fields, and its text. Everything is taken from the table
 * of events (format/events.h), so a new event needs no change here.
 */
#include "cli/list/event_list.h"

#include "format/events.h"

/* "disabled" events are compiled out: no pattern turns them on. */
static const char *state_of(const struct event_info *info, uint64_t wanted)
{
	if (info->state == EVENT_STATE_DISABLE)
		return "disabled";
	return wanted >> info->number & 1 ? "on" : "off";
}

void event_list_print(FILE *out, uint64_t wanted)
{
	static const char *const types[] = {
		[FIELD_UNSIGNED] = "unsigned", [FIELD_SIGNED] = "signed",
		[FIELD_HEX] = "hex",	       [FIELD_CALL] = "call",
		[FIELD_SIGNAL] = "signal",     [FIELD_WORDS] = "word",
		[FIELD_TEXT] = "text",
	};
	const struct event_info *info;

	fputs("name           state     of      fields; format\n", out);
	for (unsigned i = 0; (info = event_info_at(i)); i++) {
		fprintf(out, "%-14s %-9s %-7s", info->name, state_of(info, wanted),
			info->of == EVENT_OF_THREAD ? "thread" : "clock");
		for (const struct event_field *field = info->fields; field->name; field++)
			fprintf(out, " %s:%s", field->name, types[field->type]);
		fprintf(out, "; %s\n", info->format);
	}
}
