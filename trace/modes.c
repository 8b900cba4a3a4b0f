// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A cursor of its own skims the events, and is one change of mode ahead: the first one tells
 * the mode before it, too.
 *
 * Example: a thread of blocks 0 to 99 with an ecall from user mode before block 40. To tell the
 * mode of block 0, that event is read: it is WM_MODE_USER, and from block 40 on WM_MODE_KERNEL.
 */
#include "trace/modes.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "trace/cursor.h"
#include "trace/facts.h"

/* Fields of WM_EVENT_TRAP and WM_EVENT_TRAP_RETURN: see format/events.def. */
enum { TRAP_BEFORE = 5, TRAP_AFTER = 6, RETURN_BEFORE = 1, RETURN_AFTER = 2 };

struct wm_modes {
	struct wm_cursor *cursor;
	struct wm_mode_change now, ahead;
	bool begun;  /* `ahead` was looked for */
	bool ended;  /* nothing is ahead */
	bool passed; /* `now` was the last one, and is over */
};

bool trace_is_of_machine(const struct wm_trace *trace)
{
	struct wm_space space;
	bool found = false;

	for (unsigned i = 0; !found && !wm_trace_space(trace, i, &space); i++)
		found = space.kind == WM_SPACE_MACHINE;
	return found;
}

bool trace_has_programs(const struct wm_trace *trace)
{
	struct wm_space space;

	if (!trace_is_of_machine(trace))
		return false;
	/* Without a Linux they are page tables (plugin/system/tasks.c). */
	for (unsigned i = 0; !wm_trace_space(trace, i, &space); i++)
		if (space.kind == WM_SPACE_PROCESS)
			return strncmp(space.name, "table ", strlen("table ")) != 0;
	return false;
}

const char *wm_modes_name(uint32_t mode)
{
	/* The words of format/events.def. */
	static const char *const names[MODES] = { "user", "kernel", "hypervisor",
						  "firmware" };

	return mode < MODES ? names[mode] : NULL;
}

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
	return stream->generation ? WM_MODE_KERNEL : WM_MODE_FIRMWARE;
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

static int check(const struct wm_trace *trace, struct wm_error *err)
{
	if (!trace_is_of_machine(trace))
		return wm_fail(err, WM_E_RANGE, 0,
			       "modes are of a whole machine; this is a trace of a "
			       "program");
	return modes_check(trace, "modes need", false, err);
}

int wm_modes_new(struct wm_modes **out, const struct wm_trace *trace, unsigned stream,
		 struct wm_error *err)
{
	struct wm_modes *modes;
	struct wm_stream about;
	int ret = check(trace, err);

	*out = NULL;
	if (ret)
		return ret;
	modes = calloc(1, sizeof(*modes));
	if (!modes)
		return wm_fail_nomem(err, "modes of a thread");
	ret = wm_cursor_new(&modes->cursor, trace, stream, err);
	if (ret) {
		free(modes);
		return ret;
	}
	wm_trace_stream(trace, stream, &about);
	modes->now.mode = (uint32_t)modes_default(&about);
	*out = modes;
	return 0;
}

void wm_modes_free(struct wm_modes *modes)
{
	if (!modes)
		return;
	wm_cursor_free(modes->cursor);
	free(modes);
}

/*
 * Reads on to the next event that tells a mode, which may be the one that it is already. Other
 * numbers than those of enum wm_mode are only in damaged files.
 */
static int look_ahead(struct wm_modes *modes, struct wm_error *err)
{
	uint64_t before = modes->now.mode, after = 0;
	struct wm_event event;
	int ret;

	do
		ret = cursor_skim_event(modes->cursor, &event, err);
	while (!ret && !modes_change(&event, &before, &after));
	if (!ret)
		modes->ahead = (struct wm_mode_change){ event.block_ordinal,
							(uint32_t)(after % MODES) };
	if (!ret && !modes->begun)
		modes->now.mode = (uint32_t)(before % MODES);
	modes->begun = true;
	modes->ended = ret == WM_END;
	return ret == WM_END ? 0 : ret;
}

int modes_at(struct wm_modes *modes, uint64_t block, uint64_t *mode, struct wm_error *err)
{
	int ret = modes->begun ? 0 : look_ahead(modes, err);

	while (!ret && !modes->ended && modes->ahead.block_ordinal <= block) {
		modes->now = modes->ahead;
		ret = look_ahead(modes, err);
	}
	*mode = modes->now.mode;
	return ret;
}

/* Passes to the mode ahead. Of events at one place the last one counts. */
static int pass(struct wm_modes *modes, struct wm_error *err)
{
	int ret = 0;

	modes->passed = modes->ended;
	while (!ret && !modes->ended) {
		modes->now = modes->ahead;
		ret = look_ahead(modes, err);
		if (modes->ahead.block_ordinal != modes->now.block_ordinal)
			break;
	}
	return ret;
}

/* The first one begins with block 0, but for events that stand before that block. */
int modes_next(struct wm_modes *modes, struct wm_mode_change *change,
	       struct wm_error *err)
{
	uint32_t before = modes->now.mode;
	int ret;

	if (!modes->begun) {
		ret = look_ahead(modes, err);
		if (!ret && !modes->ended && !modes->ahead.block_ordinal)
			ret = pass(modes, err);
	} else {
		do
			ret = pass(modes, err);
		while (!ret && !modes->passed && modes->now.mode == before);
	}
	if (!ret && modes->passed)
		return WM_END;
	*change = modes->now;
	return ret;
}
