// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A cursor of its own skims the events, and is one change of mode ahead: the first one tells
 * the mode before it, too.
 *
 * Example: a thread of blocks 0 to 99 with an ecall from user mode before block 40. The first
 * modes_at() reads that event: the mode is MODE_USER, and from block 40 on MODE_KERNEL.
 */
#include "query/modes.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "trace/cursor.h"

/* Fields of WM_EVENT_TRAP and WM_EVENT_TRAP_RETURN: see format/events.def. */
enum { TRAP_BEFORE = 5, TRAP_AFTER = 6, RETURN_BEFORE = 1, RETURN_AFTER = 2 };

struct modes {
	struct wm_cursor *cursor;
	uint64_t mode;
	uint64_t next, next_from; /* the change ahead, and its block; UINT64_MAX: none */
	bool begun;
};

bool modes_change(const struct wm_event *event, uint64_t *before, uint64_t *after)
{
	if (event->kind == WM_EVENT_TRAP) {
		*before = event->fields[TRAP_BEFORE];
		*after = event->fields[TRAP_AFTER];
	} else if (event->kind == WM_EVENT_TRAP_RETURN) {
		*before = event->fields[RETURN_BEFORE];
		*after = event->fields[RETURN_AFTER];
	} else if (event->kind == WM_EVENT_MODE) {
		*after = event->fields[0];
	} else {
		return false;
	}
	return true;
}

uint64_t modes_default(const struct wm_stream *stream)
{
	return stream->generation ? MODE_KERNEL : MODE_FIRMWARE;
}

/* Whether a name is among `names`, which are separated by blanks. */
static bool is_among(const char *names, const char *name)
{
	size_t length = strlen(name);

	for (const char *at = names; (at = strstr(at, name)); at += length)
		if ((at == names || at[-1] == ' ') && (!at[length] || at[length] == ' '))
			return true;
	return false;
}

int modes_check(const struct wm_trace *trace, const char *needing, bool calls,
		struct wm_error *err)
{
	const char *events = wm_trace_meta(trace, "events");
	static const char *const needs[] = { "trap", "trap_return", "syscall" };

	for (unsigned i = 0; events && i < 2u + calls; i++)
		if (!is_among(events, needs[i]))
			return wm_fail(err, WM_E_RANGE, 0,
				       "%s events that the trace was recorded without: "
				       "%s",
				       needing, needs[i]);
	return 0;
}

int modes_new(struct modes **out, const struct wm_trace *trace, unsigned thread,
	      struct wm_error *err)
{
	struct modes *modes = calloc(1, sizeof(*modes));
	struct wm_stream stream;
	int ret;

	*out = NULL;
	if (!modes)
		return wm_fail_nomem(err, "modes of a thread");
	ret = wm_cursor_new(&modes->cursor, trace, thread, err);
	if (ret) {
		free(modes);
		return ret;
	}
	wm_trace_stream(trace, thread, &stream);
	modes->mode = modes_default(&stream);
	*out = modes;
	return 0;
}

void modes_free(struct modes *modes)
{
	if (!modes)
		return;
	wm_cursor_free(modes->cursor);
	free(modes);
}

/* Reads on to the next change. */
static int look_ahead(struct modes *modes, struct wm_error *err)
{
	uint64_t before = modes->mode;
	struct wm_event event;
	int ret;

	do
		ret = cursor_skim_event(modes->cursor, &event, err);
	while (!ret && !modes_change(&event, &before, &modes->next));
	modes->next_from = ret ? UINT64_MAX : event.block_ordinal;
	if (!ret && !modes->begun)
		modes->mode = before;
	modes->begun = true;
	return ret == WM_END ? 0 : ret;
}

int modes_at(struct modes *modes, uint64_t block, uint64_t *mode, struct wm_error *err)
{
	int ret = modes->begun ? 0 : look_ahead(modes, err);

	while (!ret && modes->next_from <= block) {
		modes->mode = modes->next;
		ret = look_ahead(modes, err);
	}
	*mode = modes->mode;
	return ret;
}
