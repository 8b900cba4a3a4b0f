// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Reads the bytes that callput.c writes; they may come from anywhere.
 *
 * Every number that selects memory is checked: arcs, contexts, entities, stays, rows.
 * Levels bound the folding of contexts, so they are computed and not read. A context is
 * one level above its parent, and a frame at level 3 must have a context of level 3, or a
 * folded one's ancestor.
 *
 * Invariant: arcs and contexts are made by the same functions as in a walk, and must get
 * the next number each time. So none comes twice, and the hash tables are sound.
 */
#include <stdlib.h>

#include "analysis/calls/callbytes.h"
#include "analysis/calls/callpart-data.h"
#include "analysis/statebytes.h"
#include "base/append.h"
#include "base/error.h"

struct getting {
	struct callpart *part;
	struct callbytes of;
	struct span *in;
	bool no_memory;
};

/*
 * Indexes that the bytes skip keep the 0 that callpart_init() gave them. `at` is the
 * index after the last sum, at most n + 1.
 */
static void get_sums(struct span *in, uint64_t *sums, uint32_t n)
{
	uint64_t at = 0;

	for (uint64_t left = state_count(in); left && !in->failed; left--) {
		uint64_t step = span_varint(in);

		/* A step of 0 is a key twice; a large one is beyond the array. */
		if (!step || step > (uint64_t)n + 1 - at) {
			in->failed = true;
			return;
		}
		at += step;
		sums[at - 1] = span_varint(in);
	}
}

/* An entity, or the root of one of the stays. */
static uint32_t get_caller(const struct getting *getting)
{
	uint32_t caller = callbytes_get_u32(getting->in);
	uint32_t most = caller & CALLPART_ROOT ? getting->part->n_stays - 1 :
						 getting->part->n_entities;

	/* Only an open part has roots. */
	if ((caller & ~CALLPART_ROOT) > most ||
	    (caller & CALLPART_ROOT && !getting->part->stack.open))
		getting->in->failed = true;
	return caller;
}

/*
 * `expected` is the number that a new arc gets; an older number means that the pair came
 * before, and a later one that it did not, though it has a place.
 */
static void get_arc(struct getting *getting, uint32_t expected)
{
	struct callpart *part = getting->part;
	struct span *in = getting->in;
	uint32_t caller = get_caller(getting);
	uint32_t callee = (uint32_t)state_below(in, part->n_entities);
	uint64_t place = part->by_place ? span_varint(in) : 0;
	uint32_t index;
	struct arc *arc;

	in->failed |= !callee;
	if (in->failed)
		return;
	index = place ? arcs_at_place(&part->arcs, caller, callee, place) :
			arcs_at(&part->arcs, caller, callee);
	getting->no_memory |= !index;
	in->failed |= index != expected; /* the same twice */
	if (in->failed)
		return;
	arc = &part->arcs.all[index];
	/* Counts select no memory, so they need no check. */
	arc->calls = span_varint(in);
	arc->open = span_varint(in);
	arc->insns = span_varint(in);
	arc->least = span_varint(in) - 1;
	arc->most = span_varint(in);
	arc->total = span_varint(in);
	arc->inner = span_varint(in);
}

static void get_context(struct getting *getting, uint32_t root, uint32_t limit)
{
	struct contexts *contexts = &getting->part->contexts;
	struct span *in = getting->in;
	uint32_t expected = contexts->n, index, level;
	/*
	 * A parent comes before its children and after the root, so the nodes are a tree.
	 */
	uint32_t parent = root + (uint32_t)state_below(in, expected - root - 1);
	uint32_t entity = (uint32_t)state_below(in, getting->part->n_entities);

	level = contexts->all[parent].level;
	/* A walk would have folded it. */
	in->failed |= level >= limit;
	if (in->failed)
		return;
	index = contexts_enter(contexts, parent, level, entity);
	getting->no_memory |= !index;
	in->failed |= index != expected;
	if (in->failed)
		return;
	contexts->all[index].calls = span_varint(in);
	contexts->all[index].self_insns = span_varint(in);
}

static void get_tree(struct getting *getting, struct stay *stay)
{
	struct contexts *contexts = &getting->part->contexts;
	struct span *in = getting->in;
	uint32_t root = contexts_root(contexts), limit;
	uint64_t n = state_count(in);

	if (!root) {
		getting->no_memory = in->failed = true;
		return;
	}
	stay->context = root;
	limit = callbytes_get_or_none(in);
	contexts->all[root].self_insns = span_varint(in);
	for (; n && !in->failed; n--)
		get_context(getting, root, limit);
	contexts->all[root].limit = contexts->limit = limit;
}

/*
 * The context of a frame at `level` in a tree [root, end): its own, or an ancestor's when
 * that level is folded.
 */
static uint32_t get_frame_context(struct getting *getting, uint32_t root, uint32_t end,
				  uint32_t level)
{
	const struct contexts *contexts = &getting->part->contexts;
	struct span *in = getting->in;
	uint32_t index = callbytes_get_u32(in);

	if (!contexts->most) {
		in->failed |= index != 0;
		return 0;
	}
	in->failed |= index < root || index >= end;
	if (!in->failed && contexts->all[index].level != level)
		in->failed |= level <= contexts->all[root].limit;
	return index;
}

/* Reads a frame that stands on `below`, which says all of one without accounts: see callput.c. */
static void get_bare_frame(struct getting *getting, const struct callstack_frame *below,
			   struct callstack_frame *frame)
{
	struct span *in = getting->in;

	callbytes_get_frame(&getting->of, in, frame);
	callstack_stand_for(frame, below);
	if (callpart_stands_in(frame) || in->failed)
		return;
	frame->edge = (uint32_t)state_below(in, getting->part->arcs.n - 1);
	/* Arc 0 is no arc. Only a frame without accounts has none of its own. */
	in->failed |= !frame->edge;
	frame->level = below->level + 1;
	if (!in->failed)
		frame->entity = getting->part->arcs.all[frame->edge].callee;
}

/* The same with its context, in the tree [root, end). */
static void get_frame(struct getting *getting, const struct callstack_frame *below,
		      uint32_t root, uint32_t end, struct callstack_frame *frame)
{
	get_bare_frame(getting, below, frame);
	if (!callpart_stands_in(frame) && !getting->in->failed)
		frame->context = get_frame_context(getting, root, end, frame->level);
}

/*
 * Each index must be in from <= index <= most: index 0 is code without an entity, but no
 * arc.
 */
static void get_subtotals(struct getting *getting, struct subtotal **all, uint32_t *n,
			  uint32_t from, uint32_t most, bool of_arcs)
{
	struct span *in = getting->in;

	for (uint64_t left = state_count(in); left && !in->failed; left--) {
		struct subtotal one = { .index = (uint32_t)state_below(in, most) };

		one.total = span_varint(in);
		if (of_arcs)
			one.inner = span_varint(in);
		in->failed |= one.index < from;
		if (!in->failed && !APPEND(*all, *n, one))
			getting->no_memory = in->failed = true;
	}
}

/*
 * The lowest of these frames stands on the stay's root, whose entity is not known.
 * push_merged() gives a frame without accounts its entity later.
 */
static void get_given_frames(struct getting *getting, uint32_t root, uint32_t end)
{
	struct callpart *part = getting->part;
	struct callstack_frame below = { .context = root }, frame;

	for (uint64_t n = state_count(getting->in); n && !getting->in->failed; n--) {
		get_frame(getting, &below, root, end, &frame);
		if (!getting->in->failed && !APPEND(part->frames, part->n_frames, frame))
			getting->no_memory = getting->in->failed = true;
		below = frame;
	}
}

/* What a stay that has ended leaves; its contexts are [stay->context, end). */
static void get_rest(struct getting *getting, struct stay *stay, uint32_t end)
{
	struct callpart *part = getting->part;
	struct span *in = getting->in;

	stay->end = span_varint(in);
	stay->deepest = (uint32_t)state_below(in, CALLSTACK_DEPTH);
	stay->where = callbytes_get_or_none(in);
	stay->called = state_bool(in);
	get_subtotals(getting, &part->subtotals, &part->n_subtotals, 0, part->n_entities,
		      false);
	get_subtotals(getting, &part->arc_subtotals, &part->n_arc_subtotals, 1,
		      part->arcs.n - 1, true);
	get_given_frames(getting, stay->context, end);
	stay->subtotals_end = part->n_subtotals;
	stay->arc_subtotals_end = part->n_arc_subtotals;
	stay->frames_end = part->n_frames;
}

/*
 * The contexts of a stay end where those of the next one begin. The last stay has not
 * ended: its sums and its frames are the part's own.
 */
static void get_stays(struct getting *getting)
{
	struct callpart *part = getting->part;

	for (uint32_t i = 0; i < part->n_stays && !getting->in->failed; i++) {
		struct stay *stay = &part->stays[i];

		callbytes_get_step(&getting->of, getting->in, &stay->step);
		stay->self_insns = span_varint(getting->in);
		stay->caller = get_caller(getting);
		if (i + 1 < part->n_stays)
			get_rest(getting, stay, stay[1].context);
	}
}

/* Counts the frames of the stack as active calls. */
static void count_active(struct callpart *part)
{
	for (uint32_t i = 0; i < part->stack.depth; i++) {
		const struct callstack_frame *frame = &part->stack.frames[i];

		if (callpart_stands_in(frame))
			continue;
		part->active[frame->entity]++;
		callpart_base(part, frame->edge)->active++;
	}
}

static void get_aside(struct getting *getting)
{
	struct callstack *stack = &getting->part->stack;
	struct callstack_aside one = { 0 };
	struct callstack_frame below = { 0 }, frame;
	uint64_t left = state_count(getting->in);

	/* Of a stack that is open, only the one before has any. */
	getting->in->failed |= !left || stack->open;
	for (; left && !getting->in->failed; left--) {
		get_bare_frame(getting, &below, &frame);
		if (!getting->in->failed && !APPEND(one.frames, one.n, frame))
			getting->no_memory = getting->in->failed = true;
		below = frame;
	}
	if (getting->in->failed)
		free(one.frames);
	else
		callstack_add_aside(stack, &one);
}

static void get_stack(struct getting *getting)
{
	struct callpart *part = getting->part;
	struct callstack *stack = &part->stack;
	struct span *in = getting->in;
	uint32_t deepest, depth;

	stack->root.context = part->contexts.root;
	if (stack->open)
		stack->root.entity = CALLPART_ROOT | (part->n_stays - 1);
	callbytes_get_stack(&getting->of, in, stack);
	stack->since = part->insn;
	deepest = stack->deepest;
	depth = (uint32_t)state_below(in, CALLSTACK_DEPTH);
	for (; depth && !in->failed && !stack->error; depth--) {
		struct callstack_frame frame;

		get_frame(getting, callstack_top(stack), part->contexts.root,
			  part->contexts.n, &frame);
		if (!in->failed)
			callstack_push(stack, &frame);
	}
	/* callstack_push() has raised it to the depth at most. */
	stack->deepest = deepest;
	for (uint64_t n = state_count(in); n && !in->failed && !stack->error; n--)
		get_aside(getting);
	getting->no_memory |= stack->error == WM_E_NOMEM;
	in->failed |= stack->error || deepest < stack->depth;
}

/* An open part lists the entities and arcs that have a total in its last stay. */
static void list_touched(struct getting *getting)
{
	struct callpart *part = getting->part;
	bool good = true;

	for (uint32_t i = 0; part->stack.open && i <= part->n_entities; i++)
		if (part->total[i])
			good = good && APPEND(part->touched, part->n_touched, i);
	for (uint32_t i = 1; part->stack.open && i < part->arcs.n; i++)
		if (part->arcs.all[i].total || part->arcs.all[i].inner)
			good = good &&
			       APPEND(part->touched_arcs, part->n_touched_arcs, i);
	getting->no_memory |= !good;
}

/*
 * Makes the part empty and gives it the number of stays that the bytes have. Contexts are
 * made anew, because callpart_init() has made the root of stay 0.
 */
static void clear(struct getting *getting)
{
	struct callpart *part = getting->part;
	uint32_t most = part->contexts.most;
	uint64_t stays = state_count(getting->in);

	contexts_fini(&part->contexts);
	contexts_init(&part->contexts, most);
	part->n_stays = 0;
	/* A stack that is not open never reports an unknown step. */
	getting->in->failed |= !stays || (!part->stack.open && stays > 1);
	for (; stays && !getting->in->failed; stays--)
		if (!APPEND(part->stays, part->n_stays, (struct stay){ 0 }))
			getting->no_memory = getting->in->failed = true;
}

static void get_all(struct getting *getting)
{
	struct callpart *part = getting->part;
	struct span *in = getting->in;
	uint32_t expected = 1;

	part->begun = state_bool(in);
	part->first_insn = span_varint(in);
	part->insn = span_varint(in);
	clear(getting);
	get_sums(in, part->self, part->n_entities);
	get_sums(in, part->total, part->n_entities);
	for (uint64_t n = state_count(in); n && !in->failed; n--)
		get_arc(getting, expected++);
	/*
	 * The roots of stays are made in their order, so each stay gets the tree that was
	 * its own.
	 */
	for (uint32_t i = 0; part->contexts.most && i < part->n_stays && !in->failed; i++)
		get_tree(getting, &part->stays[i]);
	if (!in->failed)
		get_stays(getting);
	if (!in->failed)
		get_stack(getting);
}

int callpart_get(struct callpart *part, const struct site *rows, uint32_t n_rows,
		 struct span *in, struct wm_error *err)
{
	struct getting getting = {
		part, { rows, n_rows, part->n_entities, part->stack.strands }, in
	};

	get_all(&getting);
	if (!in->failed) {
		/*
		 * Both follow from what was read, and must see only numbers that were
		 * checked.
		 */
		count_active(part);
		list_touched(&getting);
	}
	return getting.no_memory ? wm_fail_nomem(err, "calls") : 0;
}
