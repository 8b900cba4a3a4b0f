// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Positions in a thread by what is there. Code is found by asking each distinct block once
 * (walk_find()); events by the cursor, which passes over blocks. There is no cursor that
 * lists events backwards: going back, those of a part that doubles in length until it has one
 * are listed, and the last counts.
 *
 * Example: the previous system call from instruction 1,000,000. Events from 990,000 on are
 * listed, then from 980,000 to there, from 960,000, and so on.
 */
#include "browse/target.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "out/number.h"

enum { PART_INSNS = 1000000, TEXT_MAX = 200 };

/* ---- words ----------------------------------------------------------------- */

static bool parse_event(struct target *target, const char *words,
			const struct kernel *kernel, struct wm_error *err, int *ret)
{
	static const struct {
		const char *name;
		uint32_t kind;
	} kinds[] = { { "marker", WM_EVENT_MARKER },
		      { "syscall", WM_EVENT_SYSCALL },
		      { "signal", WM_EVENT_SIGNAL } };
	size_t length = strcspn(words, ":");
	const char *rest = words[length] ? words + length + 1 : NULL;
	int32_t call;

	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		if (strlen(kinds[i].name) != length ||
		    strncmp(words, kinds[i].name, length) != 0)
			continue;
		target->kind = TARGET_EVENT;
		target->event = kinds[i].kind;
		target->any = !rest;
		*ret = 0;
		if (!rest || number_parse(rest, &target->number))
			return true;
		call = kernel_number(kernel, rest);
		target->number = (uint64_t)call;
		if (call < 0 || kinds[i].kind != WM_EVENT_SYSCALL)
			*ret = wm_fail(err, WM_E_RANGE, 0, "there is no %s \"%s\"",
				       kinds[i].name, rest);
		return true;
	}
	return false;
}

/* "parse.c:120"; a function of C++ has two colons, and no number after them. */
static bool parse_line(struct target *target)
{
	char *colon = strrchr(target->word, ':');

	if (!colon || !number_parse(colon + 1, &target->number))
		return false;
	*colon = '\0';
	target->kind = TARGET_LINE;
	return true;
}

int target_parse(struct target *target, const char *words, const struct kernel *kernel,
		 struct wm_error *err)
{
	int ret = 0;

	*target = (struct target){ .kind = TARGET_FUNCTION };
	if (*words == '/')
		target->kind = TARGET_TEXT;
	else if (parse_event(target, words, kernel, err, &ret))
		return ret;
	if (strlen(words) >= sizeof(target->word))
		return wm_fail(err, WM_E_RANGE, 0, "that is too long");
	strcpy(target->word, words + (*words == '/'));
	if (!*target->word)
		return wm_fail(err, WM_E_RANGE, 0,
			       "a place such as main, sort.c:17, "
			       "0x10566, marker:7, syscall:write");
	if (target->kind == TARGET_TEXT || parse_line(target))
		return 0;
	if (number_parse_bytes(target->word, &target->number))
		target->kind = strncmp(target->word, "0x", 2) ? TARGET_INSN :
								TARGET_ADDRESS;
	return 0;
}

/* ---- code ------------------------------------------------------------------ */

static bool is_address(void *cookie, const struct walk *walk, uint32_t id, uint32_t space,
		       uint32_t index)
{
	const struct target *target = cookie;

	(void)space;
	return walk_address_at(walk, id, index) == target->number;
}

static bool is_function(void *cookie, const struct walk *walk, uint32_t id,
			uint32_t space, uint32_t index)
{
	const struct target *target = cookie;
	uint64_t offset;
	uint32_t function = functions_at(walk->names.functions, space,
					 walk_address_at(walk, id, index), id, &offset);

	return function && !offset &&
	       functions_match(walk->names.functions, function, target->word);
}

static bool is_line(void *cookie, const struct walk *walk, uint32_t id, uint32_t space,
		    uint32_t index)
{
	const struct target *target = cookie;
	const char *path, *slash;
	struct origin origin;
	struct srcline line;

	if (!symbols_origin(walk->names.symbols, space, walk_address_at(walk, id, index),
			    id, &origin) ||
	    !srclines_at(walk->names.lines, &origin, &line) ||
	    line.number != target->number)
		return false;
	path = srclines_path(walk->names.lines, line.source);
	slash = strrchr(path, '/');
	if (slash && !strchr(target->word, '/'))
		path = slash + 1;
	return fnmatch(target->word, path, 0) == 0;
}

static bool has_text(void *cookie, const struct walk *walk, uint32_t id, uint32_t space,
		     uint32_t index)
{
	const struct target *target = cookie;
	char text[TEXT_MAX];
	uint32_t function;

	wm_trace_disas(walk->trace, id, index, text, sizeof(text));
	if (strstr(text, target->word))
		return true;
	function = functions_at(walk->names.functions, space,
				walk_address_at(walk, id, index), id, NULL);
	return function &&
	       strstr(functions_get(walk->names.functions, function)->name, target->word);
}

/* ---- events ---------------------------------------------------------------- */

static bool is_event(const struct target *target, const struct wm_event *event)
{
	/* A marker's fields are its kind and its id. */
	unsigned field = target->event == WM_EVENT_MARKER;

	return event->kind == target->event &&
	       (target->any ||
		(event->n_fields > field && event->fields[field] == target->number));
}

/* The first such event with from <= instruction < to, or the last. WM_END: none. */
static int event_between(const struct target *target, struct walk *walk,
			 struct wm_cursor *cursor, uint64_t from, uint64_t to, bool last,
			 uint64_t *insn, struct wm_error *err)
{
	int found = WM_END, ret = wm_cursor_seek_insn(cursor, from, err);
	struct wm_event event;

	while (!ret && (last || found == WM_END)) {
		ret = wm_cursor_next_event(cursor, &event, err);
		if (!ret && walk->go_on && !walk->go_on(walk->cookie))
			return WALK_STOPPED;
		if (ret || event.insn_ordinal >= to)
			break;
		if (event.insn_ordinal >= from && is_event(target, &event)) {
			*insn = event.insn_ordinal;
			found = 0;
		}
	}
	return ret < 0 ? ret : found;
}

static int go_back(const struct target *target, struct walk *walk,
		   struct wm_cursor *cursor, uint64_t *insn, struct wm_error *err)
{
	uint64_t to = walk_insn(walk), first = tape_first(walk->tape);
	int ret = WM_END;

	for (uint64_t part = PART_INSNS; ret == WM_END && to > first; part *= 2) {
		uint64_t from = to - first > part ? to - part : first;

		ret = event_between(target, walk, cursor, from, to, true, insn, err);
		to = from;
	}
	return ret;
}

static int go_event(const struct target *target, struct walk *walk, unsigned stream,
		    bool back, struct wm_error *err)
{
	struct wm_cursor *cursor;
	uint64_t insn;
	int ret = wm_cursor_new(&cursor, walk->trace, stream, err);

	if (ret)
		return ret;
	ret = back ? go_back(target, walk, cursor, &insn, err) :
		     event_between(target, walk, cursor, walk_insn(walk) + 1, UINT64_MAX,
				   false, &insn, err);
	wm_cursor_free(cursor);
	/* The last event may be behind the last instruction. */
	if (!ret && insn == tape_end(walk->tape))
		insn--;
	return ret ? ret : walk_seek(walk, insn, err);
}

int target_go(const struct target *target, struct walk *walk, unsigned stream, bool back,
	      struct wm_error *err)
{
	static walk_wanted *const wanted[] = {
		[TARGET_ADDRESS] = is_address,
		[TARGET_LINE] = is_line,
		[TARGET_FUNCTION] = is_function,
		[TARGET_TEXT] = has_text,
	};

	if (target->kind == TARGET_INSN)
		return walk_seek(walk, target->number, err);
	if (target->kind == TARGET_EVENT)
		return go_event(target, walk, stream, back, err);
	return walk_find(walk, back, wanted[target->kind], (void *)target, err);
}
