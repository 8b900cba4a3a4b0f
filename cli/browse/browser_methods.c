// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A managed program is walked by what its programmer wrote: a position is then a bytecode, steps
 * go to bytecodes and to lines of theirs, and the stack is that of the methods. The position
 * stays an instruction of the thread, so v shows the native code of the same moment.
 *
 * Before the first bytecode, and where none is found near the position, native code is shown, and
 * steps still go to bytecodes.
 */
#include "cli/browse/browser_methods.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "out/number.h"

_Static_assert((int)WALK_STOPPED == (int)BYTEWALK_STOPPED, "results mean the same");

/* Rows before and behind the position: as many as a high terminal shows. */
enum { AROUND = 120 };

/* A runtime is up by then, and this many instructions are read in a moment. */
enum { BEGIN_INSNS = 1 << 26 };

int browser_methods_init(struct browser *browser, struct wm_error *err)
{
	struct browser_methods *methods = &browser->methods;
	const struct wm_trace *trace = browser->query->source.trace;
	int ret = units_read(&methods->units, trace, err);

	if (!ret)
		ret = bytecode_names_read(&methods->names, &methods->units, err);
	/* The instructions can be walked without them. */
	if (ret == WM_E_DAMAGED) {
		snprintf(browser->message, BROWSER_TEXT,
			 "methods cannot be shown: %.200s", err->text);
		bytecode_names_fini(&methods->names);
		units_fini(&methods->units);
		ret = 0;
	}
	return ret ? ret : bytewalk_init(&methods->bytes, trace, &methods->units, err);
}

void browser_methods_fini(struct browser *browser)
{
	bytewalk_fini(&browser->methods.bytes);
	bytecode_names_fini(&browser->methods.names);
	units_fini(&browser->methods.units);
}

/* The walk among bytecodes; a key may interrupt it as it may the other walk, or not. */
static const struct bytewalk *ready(struct browser *browser, bool interruptible)
{
	struct bytewalk *bytes = &browser->methods.bytes;

	bytes->go_on = interruptible ? browser->walk.go_on : NULL;
	bytes->cookie = browser->walk.cookie;
	return bytes;
}

/* The bytewalk's alive(). */
static int is_alive(void *native, uint64_t insn, const uint64_t *insns, size_t n,
		    bool first, bool *alive, struct wm_error *err)
{
	struct browser *browser = native;
	int ret = walk_seek(&browser->walk, insn, err);

	return ret ? ret : walk_alive(&browser->walk, insns, n, first, alive, err);
}

/* ---- which code is shown ------------------------------------------------- */

/* A predicate of walk_find(): instructions that fetch bytecodes. */
static bool is_site(void *cookie, const struct walk *walk, uint32_t id, uint32_t space,
		    uint32_t index)
{
	return units_is_site(cookie, space, walk_address_at(walk, id, index));
}

/*
 * Where the code that fetches bytecodes is known, histograms tell whether it ran. Else the begin of
 * the thread is read.
 */
static int has_bytecodes(struct browser *browser, bool *any, struct wm_error *err)
{
	struct browser_methods *methods = &browser->methods;
	struct walk *walk = &browser->walk;
	int ret;

	*any = false;
	if (!methods->units.n)
		return 0;
	if (!methods->units.n_sites)
		return bytewalk_begins(&methods->bytes, BEGIN_INSNS, any, err);
	ret = walk_find(walk, false, is_site, &methods->units, err);
	*any = !ret;
	if (ret)
		return ret < 0 ? ret : 0;
	return walk_seek(walk, tape_first(walk->tape), err);
}

int browser_methods_enter(struct browser *browser, struct wm_error *err)
{
	struct browser_methods *methods = &browser->methods;
	int ret;

	methods->bytes.stream = browser->stream;
	methods->bytes.native = browser;
	/* Compiled code does not keep to calls and returns. */
	methods->bytes.alive = methods->units.n_sites ? NULL : is_alive;
	ret = has_bytecodes(browser, &methods->any, err);
	methods->shown = methods->any;
	return ret;
}

void browser_methods_toggle(struct browser *browser)
{
	struct browser_methods *methods = &browser->methods;

	if (methods->any)
		methods->shown = !methods->shown;
	else
		snprintf(browser->message, BROWSER_TEXT,
			 methods->units.n ? "this thread ran no bytecode" :
					    "the trace has no bytecodes; they need a "
					    "recording with --guide");
}

int browser_methods_look(struct browser *browser, uint64_t most, struct wm_error *err)
{
	struct browser_methods *methods = &browser->methods;
	uint64_t insn = walk_insn(&browser->walk);
	int ret = bytewalk_look(ready(browser, most == UINT64_MAX), insn, AROUND, most,
				&methods->view, err);

	if (!ret && methods->view.n_frames)
		frames_of_methods(&browser->frames, &methods->view, insn);
	return ret;
}

/* ---- going --------------------------------------------------------------- */

/* The walk's position follows that of the bytecodes. */
static int arrive(struct browser *browser, int ret, uint64_t to, struct wm_error *err)
{
	return ret ? ret : walk_seek(&browser->walk, to, err);
}

int browser_methods_step(struct browser *browser, enum walk_step step, bool back,
			 struct wm_error *err)
{
	static const enum bytewalk_step steps[] = {
		[WALK_INSN] = BYTEWALK_ONE,  [WALK_OVER] = BYTEWALK_OVER,
		[WALK_OUT] = BYTEWALK_OUT,   [WALK_LINE] = BYTEWALK_LINE,
		[WALK_NEXT] = BYTEWALK_NEXT,
	};
	uint64_t to = 0;
	int ret = bytewalk_step(ready(browser, true), walk_insn(&browser->walk),
				steps[step], back, &to, err);

	return arrive(browser, ret, to, err);
}

static bool have(const struct browser *browser, const struct bytewalk_place *place)
{
	struct wm_error err;
	bool has = false;

	return !bytewalk_has(&browser->methods.bytes, place, &has, &err) && has;
}

/*
 * "fib@4" is the bytecode at offset 4 of fib, as positions are shown. `name` has
 * BROWSER_TEXT bytes for what is before the offset.
 */
static void take_offset(struct bytewalk_place *place, char *name)
{
	const char *at = strrchr(place->name, '@');
	uint64_t offset;

	if (!at || !number_parse(at + 1, &offset))
		return;
	snprintf(name, BROWSER_TEXT, "%.*s", (int)(at - place->name), place->name);
	place->name = name;
	place->number = offset;
}

/* "MODULE:NAME" may also be the whole name of a method. `name` as take_offset() has it. */
static struct bytewalk_place place_of(const struct browser *browser,
				      const struct target *target, char *name)
{
	struct bytewalk_place place = { .is_line = target->kind == TARGET_LINE,
					.name = target->word,
					.number = target->number };

	if (*target->module && !have(browser, &place)) {
		place.module = target->module;
		place.name += target->name;
	}
	if (!place.is_line && !have(browser, &place))
		take_offset(&place, name);
	return place;
}

bool browser_methods_have(const struct browser *browser, const struct target *target)
{
	struct bytewalk_place place;
	char name[BROWSER_TEXT];

	if (!browser->methods.shown ||
	    (target->kind != TARGET_LINE &&
	     (target->kind != TARGET_FUNCTION || target->number)))
		return false;
	place = place_of(browser, target, name);
	return have(browser, &place);
}

int browser_methods_go(struct browser *browser, bool back, struct wm_error *err)
{
	char name[BROWSER_TEXT];
	struct bytewalk_place place = place_of(browser, &browser->target, name);
	uint64_t to = 0;
	int ret = bytewalk_find(ready(browser, true), walk_insn(&browser->walk), &place,
				back, &to, err);

	return arrive(browser, ret, to, err);
}

/* ---- texts --------------------------------------------------------------- */

const char *browser_methods_place(const struct unit *unit, uint32_t offset, char *text)
{
	/* Without the signature: the line tells methods of one name apart. */
	if (offset)
		snprintf(text, BROWSER_TEXT, "%.200s@%" PRIu32, unit->name, offset);
	else
		snprintf(text, BROWSER_TEXT, "%.200s", unit->name);
	return text;
}
