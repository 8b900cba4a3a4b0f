// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Markers bound a part as they bound the windows of `record` (plugin/core/windows.c): it opens at
 * the N-th begin or point of an id, and closes behind that at an end or point, the N-th or a
 * later one. So --from marker:7@3 --to marker:7 is the third region of 7.
 */
#include "cli/scope.h"

#include <inttypes.h>
#include <string.h>

#include "base/error.h"
#include "cli/amount.h"
#include "cli/file.h"
#include "query/where.h"

enum {
	OPTION_THREAD = 256,
	OPTION_PROCESS,
	OPTION_FROM,
	OPTION_TO,
};

static const struct argp_option options[] = {
	{ "thread", OPTION_THREAD, "T", 0,
	  "Only thread T: its number, as `info` has it, or its name", 0 },
	{ "process", OPTION_PROCESS, "P", 0, "Only process P: its number, or its pid",
	  0 },
	{ "from", OPTION_FROM, "N", 0,
	  "Start at number N (0), or at a marker: marker:ID or marker:ID@NTH", 0 },
	{ "to", OPTION_TO, "N", 0, "Stop before number N (the end), or at a marker", 0 },
	{ 0 },
};

static void take_bound(uint64_t *ordinal, struct scope_mark *mark, const char *option,
		       const char *arg, struct argp_state *state)
{
	struct where where;
	struct wm_error err;

	mark->times = 0;
	if (strncmp(arg, "marker:", strlen("marker:")) != 0) {
		*ordinal = amount_or_end(arg, option, 0, UINT64_MAX, state);
		return;
	}
	if (where_parse(&where, arg, &err))
		argp_error(state, "%s", err.text);
	*mark = (struct scope_mark){ where.value, where.times };
	where_fini(&where);
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct scope *scope = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		*scope = (struct scope){ .to = UINT64_MAX };
		state->child_inputs[0] = &scope->file;
		return 0;
	case OPTION_THREAD:
		scope->thread = arg;
		return 0;
	case OPTION_PROCESS:
		scope->process = arg;
		return 0;
	case OPTION_FROM:
		take_bound(&scope->from, &scope->from_mark, "--from", arg, state);
		return 0;
	case OPTION_TO:
		take_bound(&scope->to, &scope->to_mark, "--to", arg, state);
		return 0;
	case ARGP_KEY_END:
		if (!scope->from_mark.times && !scope->to_mark.times &&
		    scope->to < scope->from)
			argp_error(state, "--to is before --from");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_child children[] = { { &file_argp, 0, NULL, 0 }, { 0 } };

const struct argp scope_argp = { options, parse, NULL, NULL, children, NULL, NULL };

/* ---- markers ------------------------------------------------------------------------- */

struct search {
	struct scope *scope;
	bool opened, closed;
	uint32_t from_hits, to_hits; /* of the markers that bound it */
};

static void meet(struct search *search, uint64_t what, uint64_t id, uint64_t at)
{
	struct scope *scope = search->scope;
	const struct scope_mark *from = &scope->from_mark, *to = &scope->to_mark;

	if (!search->closed && id == to->id && what != WM_MARKER_BEGIN) {
		search->closed = ++search->to_hits >= to->times && search->opened &&
				 at > scope->from;
		if (search->closed)
			scope->to = at;
	}
	if (!search->opened && id == from->id && what != WM_MARKER_END) {
		search->opened = ++search->from_hits >= from->times;
		if (search->opened)
			scope->from = at;
	}
}

static int look(struct search *search, struct wm_cursor *cursor, bool by_insn,
		struct wm_error *err)
{
	struct wm_event event;
	int ret = 0;

	while (!ret && (!search->opened || !search->closed)) {
		ret = wm_cursor_next_event(cursor, &event, err);
		if (!ret && event.kind == WM_EVENT_MARKER)
			meet(search, event.fields[0], event.fields[1],
			     by_insn ? event.insn_ordinal : event.block_ordinal);
	}
	return ret == WM_END ? 0 : ret;
}

static int not_reached(const struct search *search, struct wm_error *err)
{
	const struct scope_mark *from = &search->scope->from_mark;
	const struct scope_mark *to = &search->scope->to_mark;

	if (!search->opened)
		return wm_fail(err, WM_E_RANGE, 0,
			       "--from marker:%" PRIu64 "@%" PRIu32
			       ": the thread has %" PRIu32
			       " begins and points of that id",
			       from->id, from->times, search->from_hits);
	if (!search->closed)
		return wm_fail(err, WM_E_RANGE, 0,
			       "--to marker:%" PRIu64 "@%" PRIu32
			       ": the thread has no such end or point behind --from",
			       to->id, to->times);
	if (search->scope->to < search->scope->from)
		return wm_fail(err, WM_E_RANGE, 0, "--to is before --from");
	return 0;
}

int scope_find(struct scope *scope, const struct wm_trace *trace, const unsigned *streams,
	       unsigned n, bool by_insn, struct wm_error *err)
{
	struct search search = {
		.scope = scope,
		.opened = !scope->from_mark.times,
		.closed = !scope->to_mark.times,
	};
	struct wm_cursor *cursor;
	int ret;

	if (search.opened && search.closed)
		return 0;
	if (n != 1)
		return wm_fail(err, WM_E_RANGE, 0,
			       "a marker is a place in one thread, and here are %u: say "
			       "which with --thread",
			       n);
	ret = wm_cursor_new(&cursor, trace, streams[0], err);
	if (ret)
		return ret;
	ret = look(&search, cursor, by_insn, err);
	wm_cursor_free(cursor);
	return ret ? ret : not_reached(&search, err);
}

bool scope_is_bounded(const struct scope *scope)
{
	return scope->from || scope->from_mark.times || scope->to != UINT64_MAX ||
	       scope->to_mark.times;
}
