// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The selected part of a thread. Positions bound it as they bound the windows of `record`
 * (plugin/core/windows.c): it opens where the first one is reached for the N-th time, and
 * closes after that where the second one is reached, for the N-th or a later time.
 *
 *	markers of id 7:     B  E  B  E  B  E
 *	marker:7@3 to marker:7			the third region of id 7
 *	marker:7 to marker:7@2			from the first begin to the second end
 *
 * Numbers need no search. Where a thread reaches a position is found by query/reached.h.
 */
#include "query/scope.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/nearest.h"
#include "out/number.h"
#include "query/reached.h"
#include "trace/modes.h"

/*
 * What begins with 0x is an address, as in the windows of `record`. A position is parsed to
 * refuse a wrong one at once, and again when the trace is open.
 */
int scope_set_bound(struct scope *scope, bool is_to, const char *text,
		    struct wm_error *err)
{
	uint64_t *ordinal = is_to ? &scope->to : &scope->from;
	const char **position_text = is_to ? &scope->to_text : &scope->from_text;
	struct position position;
	int ret;

	/* The other form may have been given before; the last one counts. */
	*position_text = NULL;
	if (strncmp(text, "0x", 2) != 0 && number_parse_bytes(text, ordinal))
		return 0;
	ret = position_parse(&position, text, err);
	if (ret)
		return ret;
	position_fini(&position);
	*ordinal = is_to ? UINT64_MAX : 0;
	*position_text = text;
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

int scope_set_modes(struct scope *scope, const char *words, struct wm_error *err)
{
	const char *names[MODES];
	char near[NEAREST_HINT];

	scope->modes = 0;
	for (uint32_t i = 0; i < MODES; i++)
		names[i] = wm_modes_name(i);
	for (const char *at = words; *at; at += strspn(at, ",")) {
		size_t length = strcspn(at, ",");
		unsigned i = 0;

		while (i < MODES &&
		       (strlen(names[i]) != length || strncmp(names[i], at, length) != 0))
			i++;
		if (i == MODES)
			break;
		scope->modes |= 1u << i;
		at += length;
		if (!*at)
			return 0;
	}
	return wm_fail(
		err, WM_E_RANGE, 0,
		"a mode is user, kernel, hypervisor or firmware, or several of these "
		"separated by commas, not \"%s\"%s",
		words, nearest_hint(near, words, names, MODES));
}

int scope_set_hart(struct scope *scope, const char *number, struct wm_error *err)
{
	uint64_t hart;

	if (!number_parse(number, &hart) || hart > UINT32_MAX)
		return wm_fail(err, WM_E_RANGE, 0, "a hart is a number, not \"%s\"",
			       number);
	scope->hart = (uint32_t)hart;
	scope->has_hart = true;
	return 0;
}

/* Bounds that are positions have no ordinals yet. */
int scope_check(const struct scope *scope, struct wm_error *err)
{
	if (!scope->from_text && !scope->to_text && scope->to < scope->from)
		return wm_fail(err, WM_E_RANGE, 0, "`to` is before `from`");
	return 0;
}

/* ---- finding positions --------------------------------------------------- */

static bool is_anywhere(const struct position *position)
{
	return position->kind == POSITION_INSN || position->kind == POSITION_TIME;
}

/*
 * Finds the first of these threads that reaches it, or of all n without `streams`. WM_END:
 * none does, or any may be the right one, as for a number or a time; otherwise the errors
 * of reaching_find().
 */
static int find_thread(struct reaching *reaching, const unsigned *streams, unsigned n,
		       struct wm_error *err)
{
	int ret = WM_END;

	if (is_anywhere(reaching->position))
		return WM_END;
	for (unsigned i = 0; i < n && ret == WM_END; i++) {
		reaching->stream = streams ? streams[i] : i;
		ret = reaching_find(reaching, err);
	}
	return ret;
}

/* Of several threads it matters which one was asked, and which one to ask. */
static void describe_thread(char name[32], char hint[64], struct reaching *reaching)
{
	struct wm_summary summary;
	struct wm_error err;

	wm_trace_summary(reaching->source->trace, &summary);
	snprintf(name, 32, summary.streams > 1 ? "thread %u" : "the thread",
		 reaching->stream);
	*hint = '\0';
	if (summary.streams == 1)
		return;
	if (!find_thread(reaching, NULL, summary.streams, &err))
		snprintf(hint, 64, "; thread %u reaches it: choose that with --thread",
			 reaching->stream);
	else
		strcpy(hint, is_anywhere(reaching->position) ?
				     "; choose another one with --thread" :
				     "; no other thread reaches it either");
}

/* Only what can be reached several times has hits. */
static int not_reached(const char *text, struct reaching *reaching, struct wm_error *err)
{
	enum position_kind kind = reaching->position->kind;
	uint64_t hits = reaching->hits;
	char name[32], hint[64];

	if (reaching->is_to)
		return wm_fail(err, WM_E_RANGE, 0,
			       "--to %.100s is not reached after --from", text);
	describe_thread(name, hint, reaching);
	if (kind == POSITION_INSN || kind == POSITION_TIME)
		return wm_fail(err, WM_E_RANGE, 0,
			       "--from %.100s is not reached: %s ends before it%s", text,
			       name, hint);
	return wm_fail(err, WM_E_RANGE, 0,
		       "--from %.100s is not reached: %s comes there %" PRIu64
		       " time%s%s",
		       text, name, hits, hits == 1 ? "" : "s", hint);
}

/* The end must come after the beginning, which is known when the end is looked for. */
static int find_bound(struct scope *scope, bool is_to, const struct source *source,
		      unsigned stream, bool by_insn, struct wm_error *err)
{
	const char *text = is_to ? scope->to_text : scope->from_text;
	struct position position;
	struct reaching reaching = {
		.source = source,
		.stream = stream,
		.position = &position,
		.is_to = is_to,
		.by_insn = by_insn,
		.least = is_to ? scope->from + 1 : 0,
	};
	int ret;

	if (!text)
		return 0;
	ret = position_parse(&position, text, err);
	if (ret)
		return ret;
	ret = reaching_find(&reaching, err);
	if (ret == WM_END)
		ret = not_reached(text, &reaching, err);
	reaching_fini(&reaching);
	position_fini(&position);
	*(is_to ? &scope->to : &scope->from) = reaching.at;
	return ret;
}

static int not_one(const char *text, const struct source *source, const unsigned *streams,
		   unsigned n, struct wm_error *err)
{
	struct position position;
	struct reaching reaching = { .source = source, .position = &position };
	int ret = position_parse(&position, text, err);

	if (ret)
		return ret;
	ret = find_thread(&reaching, streams, n, err);
	reaching_fini(&reaching);
	position_fini(&position);
	if (ret < 0)
		return ret;
	if (ret)
		return wm_fail(err, WM_E_RANGE, 0,
			       "%.100s is a place in one thread, and %u are selected: "
			       "choose one with --thread",
			       text, n);
	return wm_fail(err, WM_E_RANGE, 0,
		       "%.100s is a place in one thread, and %u are selected: choose one "
		       "with --thread; thread %u reaches it",
		       text, n, reaching.stream);
}

int scope_find(struct scope *scope, const struct source *source, const unsigned *streams,
	       unsigned n, bool by_insn, struct wm_error *err)
{
	int ret;

	if (!scope->from_text && !scope->to_text)
		return 0;
	if (n != 1)
		return not_one(scope->from_text ? scope->from_text : scope->to_text,
			       source, streams, n, err);
	ret = find_bound(scope, false, source, streams[0], by_insn, err);
	if (!ret)
		ret = find_bound(scope, true, source, streams[0], by_insn, err);
	if (!ret && scope->to < scope->from)
		return wm_fail(err, WM_E_RANGE, 0, "--to is before --from");
	return ret;
}

/* The question is whether something is left out, not how the bounds were given. */
bool scope_is_bounded(const struct scope *scope)
{
	return scope->from || scope->from_text || scope->to != UINT64_MAX ||
	       scope->to_text || scope->modes || scope->has_hart || scope->syscall;
}
