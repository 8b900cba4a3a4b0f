// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Compares two sequences of instructions from beginning to end.
 *
 * Most of two runs is equal, so the equal part is the fast one. While both sides are at
 * the beginning of units, two units with the same places are recognised by their ids
 * (`twins`). Where that fails, places are spread out in a window on each side and
 * compared one by one. When both windows are empty, both sides are at the beginning of
 * units again. Units may differ although the code is the same: another QEMU may cut
 * blocks elsewhere.
 *
 * After a divergence the windows grow until diff_meet() finds a run in both. When the
 * window of one side has all of its rest, the other window may move along its side to the
 * end.
 *
 * Example: A is 1 2 3 4 5 6, B is 1 2 7 4 5 6. Places 1 and 2 are common; the sides part
 * at 3 and 7. The hunk has 1 instruction of each; from 4 on they are together.
 *
 * Invariant: between divergences, common + a_only + a_prefix + a_left instructions of A
 * are done; the same for B.
 */
#include "analysis/diff/diff.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/diff/meet.h"
#include "analysis/diff/side.h"
#include "base/error.h"

/*
 * Most divergences are short: the first window is small, and each later one 8 times as
 * large.
 */
enum { WINDOW_FIRST = 64, WINDOW_FACTOR = 8 };

/* The most instructions of the run that may come before the beginning of a log. */
enum { PREFIX_MAX = 64 };

/* Instructions between two reports of progress. */
enum { PROGRESS_INSNS = 1 << 20 };

/* Common instructions that are handed out at once, at most about. */
enum { COMMON_INSNS = 1 << 20 };

/* What a step has come to. Errors are negative. */
enum { SAME = 0, PARTED = 1, DONE = 2 };

struct engine {
	struct side a, b;
	uint32_t *twins; /* [units of B]: the unit of A that has the same places; 0: none */
	struct diff_meet meet;
	const struct diff_options *options;
	struct diff_result *result;
	uint64_t shown;	       /* instructions of A, as progress */
	uint64_t since;	       /* common instructions since the last divergence */
	uint64_t given;	       /* of all common ones, those that common() was given */
	struct diff_hunk hunk; /* the current one */
	uint32_t b_next[DIFF_NEXT];
	struct wm_error *err;
};

/* ---- what is common ------------------------------------------------------ */

static void show_progress(struct engine *engine)
{
	const struct diff_options *options = engine->options;
	uint64_t done = engine->a.insn - engine->a.source->from;

	if (!options->progress || done - engine->shown < PROGRESS_INSNS)
		return;
	engine->shown = done;
	options->progress(options->cookie, done);
}

static void add_common(struct engine *engine, uint64_t insns)
{
	engine->result->common += insns;
	engine->since += insns;
}

/*
 * Hands out the common instructions that were not yet, when there are `least` of them. They
 * end where both sides are.
 */
static int give_common(struct engine *engine, uint64_t least)
{
	const struct diff_options *options = engine->options;
	uint64_t insns = engine->result->common - engine->given;

	if (!options->common || insns < least)
		return 0;
	engine->given += insns;
	return options->common(options->cookie, engine->a.insn - insns,
			       engine->b.insn - insns, insns, engine->err);
}

/* Passes units that are known to be equal; returns how many. */
static size_t pass_twins(struct engine *engine)
{
	struct side *a = &engine->a, *b = &engine->b;
	const uint32_t *x = a->run.units + a->at, *y = b->run.units + b->at;
	size_t n = a->run.n - a->at, i = 0;
	uint64_t insns = 0;

	if (b->run.n - b->at < n)
		n = b->run.n - b->at;
	for (; i < n && engine->twins[y[i]] == x[i]; i++)
		insns += a->n[x[i]];
	a->at += i;
	b->at += i;
	a->insn += insns;
	b->insn += insns;
	add_common(engine, insns);
	return i;
}

/* Compares the places of the next units; equal units become twins. */
static int find_twins(struct engine *engine, bool *found)
{
	struct side *a = &engine->a, *b = &engine->b;
	uint32_t x = a->run.units[a->at], y = b->run.units[b->at];
	int ret = side_define(a, x);

	if (!ret)
		ret = side_define(b, y);
	if (ret)
		return ret;
	/* Places that are equal have equal numbers, so comparing memory compares code. */
	*found = a->n[x] == b->n[y] &&
		 !memcmp(a->list.places + a->first[x], b->list.places + b->first[y],
			 a->n[x] * sizeof(*a->list.places));
	if (*found)
		engine->twins[y] = x;
	return 0;
}

/* Passes whole units while they are equal. */
static int pass_units(struct engine *engine)
{
	struct side *a = &engine->a, *b = &engine->b;
	bool found = true;
	int ret = 0;

	while (!ret && found) {
		ret = side_ready(a);
		if (!ret)
			ret = side_ready(b);
		if (ret || a->ended || b->ended || !side_is_whole(a) || !side_is_whole(b))
			break;
		show_progress(engine);
		ret = give_common(engine, COMMON_INSNS);
		if (!ret && !pass_twins(engine))
			ret = find_twins(engine, &found);
	}
	return ret;
}

/* Passes equal places of both windows. */
static int pass_places(struct engine *engine)
{
	struct side *a = &engine->a, *b = &engine->b;
	const uint32_t *x = side_window(a), *y = side_window(b);
	size_t n = side_held(a) < side_held(b) ? side_held(a) : side_held(b), i = 0;

	while (i < n && x[i] == y[i])
		i++;
	side_pass(a, i);
	side_pass(b, i);
	add_common(engine, i);
	return i < n ? PARTED : SAME;
}

/* Passes everything that is equal: to where the sides part, or both end. */
static int go_along(struct engine *engine)
{
	struct side *a = &engine->a, *b = &engine->b;
	int ret = SAME;

	while (ret == SAME) {
		if (!side_held(a) && !side_held(b))
			ret = pass_units(engine);
		/*
		 * Each window takes as many places as the other one holds, and at least
		 * one.
		 */
		if (!ret)
			ret = side_fill(a, side_held(b) ? side_held(b) : 1);
		if (!ret)
			ret = side_fill(b, side_held(a));
		if (!ret)
			ret = side_fill(b, 1);
		if (ret)
			return ret;
		if (!side_held(a) || !side_held(b))
			return side_held(a) || side_held(b) ? PARTED : DONE;
		ret = pass_places(engine);
	}
	return ret;
}

/* ---- what is not --------------------------------------------------------- */

/* Notes where the sides part, because the windows move before the hunk is reported. */
static int begin_hunk(struct engine *engine)
{
	struct side *b = &engine->b;
	int ret = side_fill(b, DIFF_NEXT);

	if (ret)
		return ret;
	engine->hunk = (struct diff_hunk){
		.a = engine->a.insn,
		.b = b->insn,
		.common = engine->since,
		.b_next = engine->b_next,
		.b_known = side_held(b) < DIFF_NEXT ? side_held(b) : DIFF_NEXT,
	};
	for (size_t i = 0; i < engine->hunk.b_known; i++)
		engine->b_next[i] = side_window(b)[i];
	return 0;
}

/* Numbers the hunk and hands it out; common instructions count from here on. */
static int tell(struct engine *engine)
{
	engine->since = 0;
	engine->hunk.number = ++engine->result->hunks;
	return engine->options->hunk(engine->options->cookie, &engine->hunk, engine->err);
}

/*
 * Ends the comparison: the rests have nothing in common, or (`open`) no common run was
 * found.
 */
static int tell_end(struct engine *engine, bool open)
{
	const struct diff_source *a = engine->a.source, *b = engine->b.source;
	struct diff_hunk *hunk = &engine->hunk;
	int ret;

	/* Everything that is left of both sides, without reading it. */
	hunk->a_insns = a->from + a->insns - hunk->a;
	hunk->b_insns = b->from + b->insns - hunk->b;
	hunk->end = !open;
	hunk->open = open;
	ret = tell(engine);
	*(open ? &engine->result->a_left : &engine->result->a_only) += hunk->a_insns;
	*(open ? &engine->result->b_left : &engine->result->b_only) += hunk->b_insns;
	return ret ? ret : DONE;
}

/* Places to pass on each side before the sides meet. */
struct skip {
	size_t a, b;
};

static int look(struct engine *engine, size_t size, bool last, struct skip *skip)
{
	const struct side *a = &engine->a, *b = &engine->b;
	struct diff_range range = {
		.window = size,
		.last = last,
		.gap = a->insn - engine->hunk.a + b->insn - engine->hunk.b,
	};
	int ret = diff_meet(&engine->meet,
			    &(struct diff_view){ side_window(a), side_held(a), a->ended },
			    &(struct diff_view){ side_window(b), side_held(b), b->ended },
			    &range, &skip->a, &skip->b);

	return ret < 0 ? wm_fail_nomem(engine->err, "a comparison") : ret;
}

/* Whether the window has the whole rest of its side. */
static bool sees_all(const struct engine *engine, const struct side *side)
{
	return side->ended && side_held(side) <= engine->options->window;
}

/* Looks for a common run in growing windows: 0, or DIFF_APART. */
static int seek(struct engine *engine, struct skip *skip)
{
	size_t most = engine->options->window, size = WINDOW_FIRST;
	int ret = DIFF_APART;

	/* Sizes are 64, 512, 4096 and so on, up to the window. */
	for (bool last = false; ret == DIFF_APART && !last; size *= WINDOW_FACTOR) {
		if (size > most)
			size = most;
		ret = side_fill(&engine->a, size + DIFF_RUN_MAX);
		if (!ret)
			ret = side_fill(&engine->b, size + DIFF_RUN_MAX);
		if (ret)
			break;
		last = size == most ||
		       (engine->a.ended && engine->b.ended &&
			side_held(&engine->a) <= size && side_held(&engine->b) <= size);
		ret = look(engine, size, last, skip);
	}
	return ret;
}

/*
 * The rest of one side is in its window: moves the other window along its side to the
 * end.
 */
static int seek_along(struct engine *engine, struct side *side, struct skip *skip)
{
	size_t most = engine->options->window;
	int ret = DIFF_APART;

	while (ret == DIFF_APART && !sees_all(engine, side)) {
		/*
		 * DIFF_RUN_MAX places stay in the window, so a run across its border is
		 * found.
		 */
		side_pass(side, side_held(side) < most ? side_held(side) : most);
		ret = side_fill(side, most + DIFF_RUN_MAX);
		if (!ret)
			ret = look(engine, most, true, skip);
	}
	return ret;
}

/* Whether the divergence is only that a log has what runs before the program. */
static bool is_prefix(const struct engine *engine)
{
	const struct diff_hunk *hunk = &engine->hunk;

	return engine->options->prefix && hunk->a == engine->a.source->from &&
	       hunk->b == engine->b.source->from && hunk->a_insns <= PREFIX_MAX;
}

static int pass_gap(struct engine *engine, const struct skip *skip)
{
	struct diff_result *result = engine->result;
	struct diff_hunk *hunk = &engine->hunk;
	int ret = 0;

	side_pass(&engine->a, skip->a);
	side_pass(&engine->b, skip->b);
	hunk->a_insns = engine->a.insn - hunk->a;
	hunk->b_insns = engine->b.insn - hunk->b;
	if (is_prefix(engine)) {
		result->a_prefix = hunk->a_insns;
		result->b_prefix = hunk->b_insns;
	} else {
		ret = tell(engine);
		result->a_only += hunk->a_insns;
		result->b_only += hunk->b_insns;
	}
	return ret;
}

static int go_apart(struct engine *engine)
{
	struct side *a = &engine->a, *b = &engine->b;
	struct skip skip = { 0, 0 };
	int ret = begin_hunk(engine);

	if (ret)
		return ret;
	if (!side_held(a) || !side_held(b))
		return tell_end(engine, false);
	ret = seek(engine, &skip);
	if (ret == DIFF_APART && sees_all(engine, a))
		ret = seek_along(engine, b, &skip);
	else if (ret == DIFF_APART && sees_all(engine, b))
		ret = seek_along(engine, a, &skip);
	if (ret == DIFF_APART)
		return tell_end(engine, !sees_all(engine, a) || !sees_all(engine, b));
	return ret ? ret : pass_gap(engine, &skip);
}

/* ---- all of it ----------------------------------------------------------- */

static int run(struct engine *engine)
{
	int ret = 0;

	while (ret == 0) {
		int failed;

		ret = go_along(engine);
		failed = ret < 0 ? 0 : give_common(engine, 1);
		if (failed)
			ret = failed;
		else if (ret == PARTED)
			ret = go_apart(engine);
	}
	return ret == DONE ? 0 : ret;
}

int diff_run(struct diff_source *a, struct diff_source *b, struct diff_places *places,
	     const struct diff_options *options, struct diff_result *result,
	     struct wm_error *err)
{
	struct engine engine = {
		.options = options,
		.result = result,
		.err = err,
		.twins = calloc(b->units, sizeof(*engine.twins)),
	};
	int ret;

	*result = (struct diff_result){ .a_insns = a->insns, .b_insns = b->insns };
	ret = engine.twins ? 0 : wm_fail_nomem(err, "a comparison");
	if (!ret)
		ret = side_init(&engine.a, a, places, err);
	if (!ret)
		ret = side_init(&engine.b, b, places, err);
	if (!ret)
		ret = run(&engine);
	result->b_failed = engine.b.failed;
	side_fini(&engine.a);
	side_fini(&engine.b);
	free(engine.twins);
	diff_meet_fini(&engine.meet);
	return ret;
}
