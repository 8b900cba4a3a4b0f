// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Positions in a thread, described by what is there: an address, a line, a function, an
 * event, a text. For code a predicate is evaluated once for each distinct block, not for
 * each execution (walk_find()). Events are read by a cursor, which skips the blocks
 * between them.
 *
 * No cursor lists events backwards. So a search back lists those of a part of the thread
 * that ends at the position, and the last match counts; when there is none, the part
 * before it is next, of twice the length. It reads at most three times the distance to
 * the event, or PART_INSNS, and its memory is constant.
 *
 * Example: the previous system call from instruction 50,000,000. The parts are 49 to 50
 * million, then 47 to 49, then 43 to 47 million, and so on until one has a system call.
 */
#include "browse/target.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/pattern.h"
#include "out/number.h"
#include "out/text.h"
#include "program/landmarks.h"

/* PART_INSNS is the length of the first part of a search back. */
enum { PART_INSNS = 1000000, TEXT_MAX = 200 };

/* ---- words ----------------------------------------------------------------- */

/*
 * Returns whether the words name an event; *ret then says whether the field after ":" is
 * valid. A field is a number, or for system calls also a name: "syscall:write". A
 * function that has the name of an event, such as "signal", is reached by its address or
 * as "signa[l]".
 */
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

/*
 * A line is a file, a colon and a number. "ns::f" has colons as well, but no number after
 * the last one, so it remains the name of a function.
 */
static bool parse_line(struct target *target)
{
	char *colon = strrchr(target->word, ':');

	if (!colon || !number_parse(colon + 1, &target->number))
		return false;
	*colon = '\0';
	target->kind = TARGET_LINE;
	return true;
}

/*
 * A function and a distance from it, as positions are shown: main+0x4. "operator+" has no
 * number after its plus, and remains a name.
 */
static void parse_offset(struct target *target)
{
	char *plus = strrchr(target->word, '+');

	if (plus && plus != target->word && number_parse(plus + 1, &target->number))
		*plus = '\0';
}

/* A colon may be part of a name as well: "JS:*fib". */
static void parse_module(struct target *target)
{
	const char *colon = pattern_colon(target->word);

	if (!colon || colon == target->word || !colon[1])
		return;
	target->name = (unsigned)(colon + 1 - target->word);
	memcpy(target->module, target->word, target->name - 1);
}

/*
 * From the most particular form to the least: whatever is no text, event, line or number
 * is the pattern of a function. A number in hexadecimal is an address, in decimal an
 * ordinal.
 */
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
	else
		parse_offset(target);
	if (target->kind == TARGET_FUNCTION)
		parse_module(target);
	return 0;
}

/* ---- code ------------------------------------------------------------------ */

/* The predicates of walk_find(), one for each kind of code. */
static bool is_address(void *cookie, const struct walk *walk, uint32_t id, uint32_t space,
		       uint32_t index)
{
	const struct target *target = cookie;

	(void)space;
	return walk_address_at(walk, id, index) == target->number;
}

static bool is_named(const struct target *target, const struct functions *functions,
		     uint32_t function)
{
	const char *path = functions_get(functions, function)->module;

	return functions_match(functions, function, target->word) ||
	       (*target->module && path && landmarks_fit_file(target->module, path) &&
		functions_match(functions, function, target->word + target->name));
}

/*
 * Only the first instruction of a function counts, or the one at the distance that was
 * named, so a search finds each of its executions from the start, and not each block of it.
 */
static bool is_function(void *cookie, const struct walk *walk, uint32_t id,
			uint32_t space, uint32_t index)
{
	const struct target *target = cookie;
	uint64_t offset;
	uint32_t function = functions_at(walk->names.functions, space,
					 walk_address_at(walk, id, index), id, &offset);

	return function && offset == target->number &&
	       is_named(target, walk->names.functions, function);
}

/*
 * Of several instructions in a row, within one execution of a block, that are of the same line
 * or function the first is a result.
 */
static bool begins(walk_wanted *of, void *cookie, const struct walk *walk, uint32_t id,
		   uint32_t space, uint32_t index)
{
	return of(cookie, walk, id, space, index) &&
	       (!index || !of(cookie, walk, id, space, index - 1));
}

/*
 * A file name without a directory matches in any directory: "parse.c" is src/parse.c and
 * lib/parse.c. With a slash, the whole path must match.
 */
static bool of_line(void *cookie, const struct walk *walk, uint32_t id, uint32_t space,
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
	return pattern_fits(target->word, path);
}

static bool is_line(void *cookie, const struct walk *walk, uint32_t id, uint32_t space,
		    uint32_t index)
{
	return begins(of_line, cookie, walk, id, space, index);
}

static bool of_named(void *cookie, const struct walk *walk, uint32_t id, uint32_t space,
		     uint32_t index)
{
	const struct target *target = cookie;
	uint32_t function = functions_at(walk->names.functions, space,
					 walk_address_at(walk, id, index), id, NULL);

	return function &&
	       strstr(functions_get(walk->names.functions, function)->name, target->word);
}

/* Texts that are longer than TEXT_MAX are searched up to there. */
static bool has_text(void *cookie, const struct walk *walk, uint32_t id, uint32_t space,
		     uint32_t index)
{
	const struct target *target = cookie;
	char wide[TEXT_MAX] = "", *text;
	bool found;

	wm_trace_disas(walk->trace, id, index, wide, sizeof(wide));
	/* One blank after the mnemonic, as somebody types it. */
	text = text_disas_new(wide, 0);
	found = text && strstr(text, target->word);
	free(text);
	return found || begins(of_named, cookie, walk, id, space, index);
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

/*
 * The first such event with from <= instruction < to, or with `last` the last. WM_END:
 * none. The cursor seeks to the block that holds `from`, so events before it must be left
 * out.
 */
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

/* The search ends where the trace of the thread begins, at the latest. */
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

/*
 * An event at the position itself is not the next one: the search begins one instruction
 * later. Otherwise a repeated ">" would never leave it.
 */
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
	/* The last event may be after the last instruction, where no position is. */
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
