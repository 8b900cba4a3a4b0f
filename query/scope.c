// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The selected part of a thread. Markers bound it as they bound the windows of `record`
 * (plugin/core/windows.c): it opens at the N-th begin or point of an id, and closes after
 * that at an end or point of its id, the N-th or a later one.
 *
 *	markers of id 7:     B  E  B  E  B  E
 *	marker:7@3 to marker:7			the third region of id 7
 *	marker:7 to marker:7@2			from the first begin to the second end
 *
 * Ordinals need no search. Markers are found by reading the events of the thread, without
 * its blocks.
 */
#include "query/scope.h"

#include <inttypes.h>
#include <string.h>

#include "base/error.h"
#include "query/position.h"

static const char marker[] = "marker:";

bool scope_is_mark(const char *text)
{
	return !strncmp(text, marker, strlen(marker));
}

int scope_parse_mark(struct scope_mark *mark, const char *text, struct wm_error *err)
{
	struct position position;
	int ret = position_parse(&position, text, err);

	if (ret)
		return ret;
	*mark = (struct scope_mark){ position.value, position.times };
	position_fini(&position);
	return 0;
}

int scope_add_table(struct scope *scope, const char *table, struct wm_error *err)
{
	if (scope->n_tables == SCOPE_TABLES_MAX)
		return wm_fail(err, WM_E_RANGE, 0, "more than %d tables of names",
			       SCOPE_TABLES_MAX);
	scope->tables[scope->n_tables++] = table;
	return 0;
}

/* Bounds that are markers have no ordinals yet. */
int scope_check(const struct scope *scope, struct wm_error *err)
{
	if (!scope->from_mark.times && !scope->to_mark.times && scope->to < scope->from)
		return wm_fail(err, WM_E_RANGE, 0, "`to` is before `from`");
	return 0;
}

/* ---- finding markers ----------------------------------------------------- */

struct search {
	struct scope *scope;
	bool opened, closed;
	uint32_t from_hits, to_hits; /* of the markers that bound it */
};

/*
 * Called for each marker of the thread. The close is tested first, so that one marker
 * cannot both open and close the part; `at > from` holds for the same reason.
 */
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

/* Ends at the second bound: the rest of the thread is not read. */
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

/* The number of hits shows whether the id or only the count is wrong. */
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
			       ": the thread has no such end or point after --from",
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
		/* A bound that is an ordinal is known. */
		.opened = !scope->from_mark.times,
		.closed = !scope->to_mark.times,
	};
	struct wm_cursor *cursor;
	int ret;

	if (search.opened && search.closed)
		return 0;
	if (n != 1)
		return wm_fail(err, WM_E_RANGE, 0,
			       "a marker is a place in one thread, and %u are selected: "
			       "choose one with --thread",
			       n);
	ret = wm_cursor_new(&cursor, trace, streams[0], err);
	if (ret)
		return ret;
	ret = look(&search, cursor, by_insn, err);
	wm_cursor_free(cursor);
	return ret ? ret : not_reached(&search, err);
}

/* The question is whether something is left out, not how the bounds were given. */
bool scope_is_bounded(const struct scope *scope)
{
	return scope->from || scope->from_mark.times || scope->to != UINT64_MAX ||
	       scope->to_mark.times;
}
