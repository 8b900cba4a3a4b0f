// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Keys and what they do. A small letter goes forwards in time, its capital backwards: n
 * is the next line, N the one before.
 *
 * Invariant: a step that finds nothing leaves the position unchanged and puts the reason
 * into browser->message. Only an error of the trace itself is returned, and ends the
 * program.
 *
 * The stack of the position is read backwards from it after each key. STACK_BLOCKS bounds
 * this, so that no key takes long even when the caller is a billion blocks ago; R reads
 * all of it.
 */
#include "cli/browse/browser_methods.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "managed/methods.h"
#include "out/number.h"
#include "program/suggest.h"

enum { STACK_BLOCKS = 2000000, STACK_INSNS = 1 << 22 };

/* ---- texts ----------------------------------------------------------------- */

/*
 * The precision in the formats keeps room for the offset in text[BROWSER_TEXT]: names of
 * C++ templates can have thousands of bytes.
 */
const char *browser_place(const struct browser *browser, uint32_t id, uint32_t space,
			  uint64_t address, char *text)
{
	struct functions *functions = browser->query->functions;
	uint64_t offset;
	uint32_t function = functions_at(functions, space, address, id, &offset);
	const char *name = function ? functions_get(functions, function)->name : "?";

	if (offset)
		snprintf(text, BROWSER_TEXT, "%.200s+0x%" PRIx64, name, offset);
	else
		snprintf(text, BROWSER_TEXT, "%.200s", name);
	return text;
}

const char *browser_frame_place(const struct browser *browser, const struct frame *frame,
				char *text)
{
	if (frame->unit)
		return browser_methods_place(frame->unit, frame->offset, text);
	if (!frame->function)
		return browser_place(browser, frame->at.id, frame->at.space,
				     frame->at.address, text);
	snprintf(text, BROWSER_TEXT, "%.200s",
		 functions_get(browser->query->functions, frame->function)->name);
	return text;
}

const char *browser_frame_path(const struct browser *browser, const struct frame *frame)
{
	if (!frame->line.number)
		return NULL;
	return frame->unit ? frame->unit->file :
			     srclines_path(browser->query->lines, frame->line.source);
}

/* "  sort.c:17", or "" when the line is not known. */
static void put_line(const struct browser *browser, const struct frame *frame,
		     char text[BROWSER_TEXT])
{
	const char *path = browser_frame_path(browser, frame);
	const char *slash = path ? strrchr(path, '/') : NULL;

	*text = '\0';
	if (path)
		snprintf(text, BROWSER_TEXT, "  %.200s:%" PRIu32,
			 slash ? slash + 1 : path, frame->line.number);
}

/* This is what --keys prints and what tests compare, so its form is stable. */
const char *browser_position(const struct browser *browser, char *text)
{
	const struct walk *walk = &browser->walk;
	char insn[NUMBER_TEXT], all[NUMBER_TEXT], place[BROWSER_TEXT],
		where[BROWSER_TEXT];
	uint64_t address = walk_address(walk);
	struct frame here = { .at = { .address = address,
				      .id = walk->block.id,
				      .space = walk->block.space } };

	if (browser_methods_shown(browser))
		here = browser->frames.all[0];
	else
		walk_line(walk, &here.line);
	put_line(browser, &here, where);
	snprintf(text, 2 * BROWSER_TEXT, "%s of %s  0x%" PRIx64 "  %s%s",
		 number_grouped(insn, walk_insn(walk)),
		 number_grouped(all, tape_end(walk->tape)), address,
		 browser_frame_place(browser, &here, place), where);
	return text;
}

/* ---- threads --------------------------------------------------------------- */

/*
 * The new walk is complete before it replaces the old one: a failure leaves the old
 * position. At the first call the old walk is all zeros, which walk_fini() accepts.
 */
static int enter_thread(struct browser *browser, unsigned thread, struct wm_error *err)
{
	const struct query *query = browser->query;
	const struct walk_names names = { query->source.symbols, query->functions,
					  query->lines };
	struct walk walk;
	int ret = walk_init(&walk, query->source.trace, &names,
			    query->selection.streams[thread], err);

	if (ret) {
		walk_fini(&walk);
		return ret;
	}
	walk.go_on = browser->walk.go_on;
	walk.cookie = browser->walk.cookie;
	walk_fini(&browser->walk);
	browser->walk = walk;
	browser->thread = thread;
	browser->stream = query->selection.streams[thread];
	return browser_methods_enter(browser, err);
}

/*
 * A thread without blocks in the trace cannot be entered; that is no error of the
 * program.
 */
static void next_thread(struct browser *browser, bool back)
{
	unsigned n = browser->query->selection.n;
	struct wm_error err;

	if (n == 1)
		snprintf(browser->message, BROWSER_TEXT, "there is one thread only");
	else if (enter_thread(browser, (browser->thread + (back ? n - 1 : 1)) % n, &err))
		snprintf(browser->message, BROWSER_TEXT,
			 "the next thread ran nothing that is in the trace");
}

/* The longest thread that is shorter than another one; `than` n: of all. Returns n if none is. */
static unsigned longest(const struct query *query, unsigned than)
{
	unsigned n = query->selection.n, at = n;
	uint64_t below = UINT64_MAX, most = 0;
	struct wm_stream stream;

	if (than < n && !wm_trace_stream(query->source.trace,
					 query->selection.streams[than], &stream))
		below = stream.insns;
	for (unsigned i = 0; i < n; i++)
		if (!wm_trace_stream(query->source.trace, query->selection.streams[i],
				     &stream) &&
		    stream.insns > most && stream.insns < below) {
			most = stream.insns;
			at = i;
		}
	return at;
}

/*
 * The longest thread is the most likely one to look at; of equal ones the first. Of a managed
 * program the longest that executed bytecodes, and not one of a compiler.
 */
static int enter_likely(struct browser *browser, struct wm_error *err)
{
	unsigned n = browser->query->selection.n, first = longest(browser->query, n);
	int ret = enter_thread(browser, first < n ? first : 0, err);

	if (ret || !browser->methods.units.n)
		return ret;
	for (unsigned i = first; i < n && !ret && !browser->methods.any;) {
		i = longest(browser->query, i);
		if (i < n)
			ret = enter_thread(browser, i, err);
		/* Of a thread with lost chunks there may be counts and no blocks. */
		if (ret == WM_END)
			ret = 0;
	}
	if (!ret && !browser->methods.any)
		ret = enter_thread(browser, first < n ? first : 0, err);
	return ret;
}

/* ---- keys ------------------------------------------------------------------ */

/* The prompt for a line or a letter belongs to the caller, which has the keyboard. */
enum browser_wants browser_wants(int key)
{
	switch (key) {
	case 'g':
	case 'G':
	case '/':
	case '?':
		return WANTS_LINE;
	case 'm':
	case '\'':
		return WANTS_LETTER;
	default:
		return WANTS_NOTHING;
	}
}

/*
 * Repeats the last target. It survives a change of thread, so that "t" and ">" find the
 * same place in another thread.
 */
static int go_to(struct browser *browser, bool back, struct wm_error *err)
{
	if (browser->has_target && browser_methods_have(browser, &browser->target))
		return browser_methods_go(browser, back, err);
	if (browser->has_target)
		return target_go(&browser->target, &browser->walk, browser->stream, back,
				 err);
	snprintf(browser->message, BROWSER_TEXT,
		 "g goes to a place; > and < repeat that");
	return 0;
}

/*
 * A search text is a target that begins with a slash. Words that cannot be read keep the
 * previous target, and the reason is shown.
 */
static int go_to_words(struct browser *browser, int key, const char *text,
		       struct wm_error *err)
{
	char words[BROWSER_TEXT];
	struct target target;
	bool back = key == 'G' || key == '?';

	snprintf(words, sizeof(words), "%s%.250s", key == '/' || key == '?' ? "/" : "",
		 text);
	if (target_parse(&target, words, browser->query->source.kernel, err)) {
		snprintf(browser->message, BROWSER_TEXT, "%.250s", err->text);
		return 0;
	}
	browser->target = target;
	browser->has_target = true;
	return go_to(browser, back, err);
}

/*
 * For a character below 'a' the subtraction wraps, so one comparison checks both bounds.
 */
static void set_mark(struct browser *browser, const char *text)
{
	unsigned at = (unsigned)(*text - 'a');

	if (at >= BROWSER_MARKS) {
		snprintf(browser->message, BROWSER_TEXT, "marks are a to z");
		return;
	}
	browser->marks[at].set = true;
	browser->marks[at].thread = browser->thread;
	browser->marks[at].insn = walk_insn(&browser->walk);
}

/* A mark belongs to a thread. Going to it changes the thread when necessary. */
static int go_to_mark(struct browser *browser, const char *text, struct wm_error *err)
{
	unsigned at = (unsigned)(*text - 'a');
	int ret = 0;

	if (at >= BROWSER_MARKS || !browser->marks[at].set) {
		snprintf(browser->message, BROWSER_TEXT, "no mark of that letter is set");
		return 0;
	}
	if (browser->marks[at].thread != browser->thread)
		ret = enter_thread(browser, browser->marks[at].thread, err);
	return ret ? ret : walk_seek(&browser->walk, browser->marks[at].insn, err);
}

/* Of methods where bytecodes are shown and one is found near the position. */
static int read_stack(struct browser *browser, uint64_t blocks, struct wm_error *err)
{
	uint64_t insns = blocks == UINT64_MAX ? blocks : STACK_INSNS;
	int ret = 0;

	browser->selected = 0;
	browser->methods.view.n_frames = 0;
	if (browser->methods.shown)
		ret = browser_methods_look(browser, insns, err);
	if (ret < 0 || browser_methods_shown(browser))
		return ret < 0 ? ret : 0;
	return frames_read(&browser->frames, &browser->walk, blocks, err);
}

/* "#1 area+0x4  area.c:9", in the form of a position: --keys prints it, too. */
static void say_frame(struct browser *browser)
{
	const struct frame *frame = &browser->frames.all[browser->selected];
	char place[BROWSER_TEXT], where[BROWSER_TEXT];

	put_line(browser, frame, where);
	snprintf(browser->message, BROWSER_TEXT, "#%zu %.120s%.100s%s", browser->selected,
		 browser_frame_place(browser, frame, place), where,
		 frame->inlined ? "  inlined" : "");
}

static void select_frame(struct browser *browser, bool up)
{
	if (up ? browser->selected + 1 >= browser->frames.n : !browser->selected) {
		snprintf(browser->message, BROWSER_TEXT, "no frame is known there");
		return;
	}
	browser->selected += up ? 1 : -1;
	say_frame(browser);
}

/*
 * Whether a key is a step; bit 0x20 turns a capital into its small letter. The order of
 * both arrays is the same.
 */
static bool is_step(int key, enum walk_step *step)
{
	static const char keys[] = "iosnf";
	static const enum walk_step steps[] = { WALK_INSN, WALK_OVER, WALK_LINE,
						WALK_NEXT, WALK_OUT };
	const char *at = key > 0 && key < 128 ? strchr(keys, key | 0x20) : NULL;

	if (at && *at)
		*step = steps[at - keys];
	return at && *at;
}

static int obey(struct browser *browser, int key, const char *text, struct wm_error *err)
{
	struct walk *walk = &browser->walk;
	enum walk_step step;

	if (is_step(key, &step))
		return browser->methods.shown ?
			       browser_methods_step(browser, step, key < 'a', err) :
			       walk_step(walk, step, key < 'a', err);
	switch (key) {
	case 'g':
	case 'G':
	case '/':
	case '?':
		return go_to_words(browser, key, text, err);
	case '>':
	case '<':
		return go_to(browser, key == '<', err);
	case 'm':
		set_mark(browser, text);
		return 0;
	case '\'':
		return go_to_mark(browser, text, err);
	case '^':
		return walk_seek(walk, tape_first(walk->tape), err);
	case '$':
		return walk_seek(walk, tape_end(walk->tape) - 1, err);
	case 't':
	case 'T':
		next_thread(browser, key == 'T');
		return 0;
	case 'v':
		browser_methods_toggle(browser);
		return 0;
	case '\r':
		return walk_seek(walk, browser->frames.all[browser->selected].at.insn,
				 err);
	default:
		snprintf(browser->message, BROWSER_TEXT, "h lists the keys");
		return 0;
	}
}

/* Keys that leave the position, and so the stack, as it is. */
static bool is_still(struct browser *browser, int key, struct wm_error *err, int *ret)
{
	*ret = 0;
	if (key == 'u' || key == 'd')
		select_frame(browser, key == 'u');
	else if (key == 'R')
		*ret = read_stack(browser, UINT64_MAX, err);
	else if (key == 'h')
		browser->help++;
	else if (key == 'q' && browser->help)
		browser->help = 0;
	else if (key == 'q')
		browser->quit = true;
	else
		return false;
	return true;
}

/* Nothing was found: whether it may be on the other side, or has another name. */
static void say_end(struct browser *browser, int key)
{
	const struct target *target = &browser->target;
	bool back = (key >= 'A' && key <= 'Z') || key == '?' || key == '<';
	bool searched = key && strchr("gG/?<>", key);
	char near[SUGGEST_TEXT] = "", all[NUMBER_TEXT];

	if (searched && target->kind == TARGET_INSN) {
		snprintf(browser->message, BROWSER_TEXT,
			 "the thread has %s instructions; $ goes to the last one",
			 number_grouped(all, tape_end(browser->walk.tape)));
		return;
	}
	if (key && strchr("sSnN", key)) {
		snprintf(browser->message, BROWSER_TEXT,
			 "no line of source is known %s this one%s",
			 back ? "before" : "after",
			 key == 's' || key == 'S' ?
				 "; i and o step by instructions" :
				 " outside of its calls; s steps into them");
		return;
	}
	if (searched && target->kind == TARGET_FUNCTION && browser->methods.shown)
		methods_hint(near, &browser->methods.units, target->word);
	if (searched && target->kind == TARGET_FUNCTION && !*near)
		suggest_function(near, browser->query->source.symbols, target->word);
	snprintf(browser->message, BROWSER_TEXT,
		 "the thread has no such position %s this one%s",
		 back ? "before" : "after",
		 *near	  ? near :
		 searched ? back ? "; > looks after it" : "; < looks before it" :
			    "");
}

/*
 * The stack is read again after every other key, also after one that found nothing:
 * reading it is bounded, and knowing which keys moved the position would be one more case
 * to get wrong.
 */
int browser_key(struct browser *browser, int key, const char *text, struct wm_error *err)
{
	int ret;

	*browser->message = '\0';
	if (is_still(browser, key, err, &ret))
		return ret;
	browser->help = 0;
	ret = obey(browser, key, text, err);
	if (ret == WM_END)
		say_end(browser, key);
	else if (ret == WALK_STOPPED)
		snprintf(browser->message, BROWSER_TEXT,
			 "stopped; the position is as it was");
	return ret < 0 ? ret : read_stack(browser, STACK_BLOCKS, err);
}

/* ---- life ------------------------------------------------------------------ */

/* --from is the start of the selection, so browsing begins there. */
int browser_init(struct browser *browser, const struct query *query, struct wm_error *err)
{
	int ret;

	*browser = (struct browser){ .query = query };
	functions_unfold(query->functions, query->lines);
	ret = browser_methods_init(browser, err);
	if (ret)
		return ret;
	if (!query->selection.n)
		return wm_fail(err, WM_E_RANGE, 0, "there is no thread to browse");
	ret = enter_likely(browser, err);
	if (ret == WM_END)
		return wm_fail(err, WM_E_RANGE, 0, "nothing is recorded of that thread");
	if (!ret && query->scope.from)
		ret = walk_seek(&browser->walk, query->scope.from, err);
	if (ret == WM_END)
		return wm_fail(err, WM_E_RANGE, 0, "the thread ends before --from");
	return ret ? ret : read_stack(browser, STACK_BLOCKS, err);
}

void browser_fini(struct browser *browser)
{
	browser_methods_fini(browser);
	walk_fini(&browser->walk);
}
