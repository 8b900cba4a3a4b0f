// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The accounts of a part of a thread's calls, kept so that parts can be appended.
 *
 * A part whose stack is open is a list of *stays*. In a stay the bottom of the stack, the
 * root, is one frame that is not known. Each stay begins with a step that only the stack
 * before can do, mostly a return out of the root. Everything in a stay is known but three
 * things:
 *
 *     which entity the root is: a name of its own stands for it
 *     the contexts above the root's context
 *     which functions are on the stack below the root: they must not count twice
 *
 * So totals are kept for each stay separately. The same goes for calls between two
 * functions inside a call of the second one by the root, because the root may be the
 * first one.
 *
 * Appending does these steps on the stack before, one after the other, and gives each
 * stay to the frame that is then on top. Frames that a part still has when a step is
 * unknown go to the stack before with the step, which may return to one of them.
 *
 * Example: main calls f; the cut lies inside f; f runs 10 more instructions, calls g for
 * 5, and returns to main, which runs 20.
 *
 *     first part   stack: main, f
 *     second part  stay 0: root unknown, 10 instructions of its own; root -> g, 5
 *                  stay 1: begins with "a return to main", 20 instructions of its root
 *     appended     stay 0's root is f, so the arc is f -> g; the return pops f;
 *                  stay 1's root is main
 *
 * Functions may be hidden, as native ones where only methods of a managed program are wanted. The
 * frame of one stands for the frame below it, as that of a stub does: its instructions are of that
 * one, and so are the calls that it makes.
 *
 * Invariant: all but the last stay have ended; total[] and the arcs' totals are of the
 * last.
 */
#include "analysis/calls/callpart-data.h"
#include "analysis/calls/interpreted.h"

#include <stdlib.h>

#include "base/append.h"
#include "base/error.h"

/* ---- accounts ------------------------------------------------------------ */

/*
 * An open part lists the entities that have a total in this stay, so that ending the stay
 * need not visit all of them.
 */
void callpart_add_total(struct callpart *part, uint32_t entity, uint64_t insns)
{
	if (part->stack.open && !part->total[entity] && insns &&
	    !APPEND(part->touched, part->n_touched, entity))
		part->error = WM_E_NOMEM;
	part->total[entity] += insns;
}

/* Only the lowest frame that has accounts can be that call. */
bool callpart_is_inside_unknown(const struct callpart *part, uint32_t index)
{
	const struct arc *arc = &part->arcs.all[index];
	const struct callstack *stack = &part->stack;
	uint32_t i = 0;

	if (!stack->open || arc->caller & CALLPART_ROOT)
		return false;
	while (i < stack->depth && callpart_stands_in(&stack->frames[i]))
		i++;
	return i < stack->depth && stack->frames[i].entity == arc->callee &&
	       part->arcs.all[stack->frames[i].edge].caller & CALLPART_ROOT;
}

void callpart_note_caller(struct callpart *part, uint32_t caller)
{
	if (caller & CALLPART_ROOT)
		part->stays[part->n_stays - 1].caller = caller;
}

/*
 * `inner` calls are those inside another call of the same arc, if the root is the arc's
 * caller. Example: the root is unknown and calls f, f calls h, h calls f. Should the root
 * be h, both calls are h -> f, and only the outer one adds to the arc's total.
 */
void callpart_add_arc_total(struct callpart *part, uint32_t index, uint64_t insns,
			    bool inner)
{
	struct arc *arc = &part->arcs.all[index];

	if (part->stack.open && !arc->total && !arc->inner && insns &&
	    !APPEND(part->touched_arcs, part->n_touched_arcs, index))
		part->error = WM_E_NOMEM;
	/*
	 * Whether this counts is decided when the root is known: see
	 * merge_arc_subtotal().
	 */
	if (inner)
		arc->inner += insns;
	else
		arc->total += insns;
}

/* Where functions are hidden, stubs are, too: also those behind the code of a method. */
static bool is_of_stub(const struct callpart *part, const struct callstack_frame *frame)
{
	return frame->stub && frame->whole && !part->hidden;
}

void callpart_add_self(struct callpart *part, const struct callstack_frame *frame,
		       uint64_t insns)
{
	/* Code of a stub counts for the stub's own function, which has no frame. */
	if (is_of_stub(part, frame)) {
		part->self[frame->whole] += insns;
		if (!part->active[frame->whole])
			callpart_add_total(part, frame->whole, insns);
	} else if (frame->entity & CALLPART_ROOT) {
		part->stays[frame->entity - CALLPART_ROOT].self_insns += insns;
	} else {
		part->self[frame->entity] += insns;
	}
}

void callpart_add_context(struct callpart *part, const struct callstack_frame *frame,
			  uint64_t insns)
{
	struct contexts *contexts = &part->contexts;
	uint32_t context = frame->context;

	if (!contexts->most || !insns)
		return;
	if (is_of_stub(part, frame))
		context = contexts_enter(contexts, context, frame->level, frame->whole);
	if (!context) {
		part->error = WM_E_NOMEM;
		return;
	}
	contexts->all[context].self_insns += insns;
}

static void spent(void *cookie, struct callstack_frame *frame, uint64_t insns)
{
	struct callpart *part = cookie;

	if (part->contexts.most)
		callpart_add_context(part, frame, insns);
	/*
	 * Nearly every frame is neither: its instructions are added here without a call.
	 */
	if (frame->stub || frame->entity & CALLPART_ROOT)
		callpart_add_self(part, frame, insns);
	else
		part->self[frame->entity] += insns;
}

void callpart_fold(struct callpart *part, uint32_t limit)
{
	uint32_t *moved = contexts_fold(&part->contexts, limit);
	struct callstack *stack = &part->stack;

	if (!moved) {
		part->error = WM_E_NOMEM;
		return;
	}
	stack->root.context = moved[stack->root.context];
	for (uint32_t i = 0; i < stack->depth; i++)
		stack->frames[i].context = moved[stack->frames[i].context];
	for (uint32_t i = 0; i < part->n_frames; i++)
		part->frames[i].context = moved[part->frames[i].context];
	/* Only a walk that is being settled has places. */
	for (uint32_t i = 0; part->walking && i < part->tree.n; i++)
		part->tree.places[i].context = moved[part->tree.places[i].context];
	for (uint32_t i = 0; i < part->n_stays; i++)
		part->stays[i].context = moved[part->stays[i].context];
	free(moved);
}

static void find_context(struct callpart *part, struct callstack_frame *frame,
			 const struct callstack_frame *below)
{
	struct contexts *contexts = &part->contexts;

	frame->level = below->level + 1;
	frame->context =
		contexts_enter(contexts, below->context, below->level, frame->entity);
	if (!frame->context)
		part->error = WM_E_NOMEM;
}

static void enter_context(struct callpart *part, struct callstack_frame *frame,
			  const struct callstack_frame *below)
{
	struct contexts *contexts = &part->contexts;

	find_context(part, frame, below);
	if (frame->context && frame->level <= contexts->limit)
		contexts->all[frame->context].calls += frame->entered;
	/* Folding moves all contexts, so it waits until many are too many. */
	if (contexts->n > contexts->crowded)
		callpart_fold(part, UINT32_MAX);
}

static uint32_t arc_of(struct callpart *part, const struct callstack_frame *frame,
		       uint32_t caller)
{
	uint64_t place;

	if (!part->by_place)
		return arcs_at(&part->arcs, caller, frame->entity);
	place = arcs_place(part->space, callstack_place(&part->stack, frame));
	return arcs_at_place(&part->arcs, caller, frame->entity, place);
}

static void enter(void *cookie, struct callstack_frame *frame,
		  const struct callstack_frame *below, uint32_t caller)
{
	struct callpart *part = cookie;
	struct arc *arc;

	frame->hidden = part->hidden && part->hidden[frame->entity];
	if (frame->hidden) {
		callstack_stand_for(frame, below);
		return;
	}
	frame->edge = arc_of(part, frame, caller);
	if (!frame->edge) {
		part->error = WM_E_NOMEM;
		return;
	}
	arc = &part->arcs.all[frame->edge];
	arc->calls += frame->entered;
	callpart_base(part, frame->edge)->active++;
	part->active[frame->entity]++;
	callpart_note_caller(part, caller);
	if (part->contexts.most)
		enter_context(part, frame, below);
}

static void leave(void *cookie, struct callstack_frame *frame, uint64_t insn)
{
	struct callpart *part = cookie;
	uint64_t insns = insn - frame->insn;
	struct arc *arc = &part->arcs.all[frame->edge];

	if (frame->hidden)
		return;
	/* At the end of the thread, open calls are counted apart: they have no length. */
	if (frame->entered && part->stack.over)
		arc->open++;
	else if (frame->entered)
		arc_add(arc, insns);
	/*
	 * Of recursive calls only the outermost adds to the total: f -> f -> f within 100
	 * instructions has a total of 100.
	 */
	if (--callpart_base(part, frame->edge)->active == 0)
		callpart_add_arc_total(part, frame->edge, insns,
				       callpart_is_inside_unknown(part, frame->edge));
	if (--part->active[frame->entity] == 0)
		callpart_add_total(part, frame->entity, insns);
}

/* ---- frames that are set aside ------------------------------------------------ */

/*
 * What the frame has had counts now, as if it were left, but its length does not. Of a frame that
 * is set aside, `insn` is that length.
 */
static void put_away(void *cookie, struct callstack_frame *frame, uint64_t insn)
{
	struct callpart *part = cookie;
	uint64_t insns = insn - frame->insn;

	frame->insn = insns;
	if (frame->hidden)
		return;
	if (--callpart_base(part, frame->edge)->active == 0)
		callpart_add_arc_total(part, frame->edge, insns, false);
	if (--part->active[frame->entity] == 0)
		callpart_add_total(part, frame->entity, insns);
}

/* The frame will be left with all of its length; what counted before is taken away (it wraps). */
static void take_back(void *cookie, struct callstack_frame *frame,
		      const struct callstack_frame *below, uint64_t insn)
{
	struct callpart *part = cookie;
	uint64_t insns = frame->insn;

	frame->insn = insn - insns;
	if (frame->hidden) {
		callstack_stand_for(frame, below);
		return;
	}
	if (callpart_base(part, frame->edge)->active++ == 0)
		callpart_add_arc_total(part, frame->edge, -insns, false);
	if (part->active[frame->entity]++ == 0)
		callpart_add_total(part, frame->entity, -insns);
	if (part->contexts.most)
		find_context(part, frame, below);
}

void callpart_swap(void *cookie, struct callstack_swap *swap)
{
	struct callpart *part = cookie;

	callstack_swap_frames(&part->stack, swap, put_away, take_back);
}

/* Calls that do not come back have been left when they were set aside. */
void callpart_forget(void *cookie, const struct callstack_aside *aside)
{
	struct callpart *part = cookie;

	for (uint32_t i = 0; i < aside->n; i++) {
		const struct callstack_frame *frame = &aside->frames[i];

		if (!callpart_stands_in(frame) && frame->entered)
			arc_add(&part->arcs.all[frame->edge], frame->insn);
	}
}

/* ---- stays --------------------------------------------------------------- */

static void begin_stay(struct callpart *part, const struct callstack_step *step)
{
	struct callstack_frame *root = &part->stack.root;
	struct stay stay = { .step = *step };

	stay.context = root->context = contexts_root(&part->contexts);
	if (part->stack.open)
		root->entity = CALLPART_ROOT | part->n_stays;
	/* Numbers of roots and of entities must not meet. */
	if ((part->contexts.most && !stay.context) ||
	    part->n_stays == CALLPART_ROOT - 1 ||
	    !APPEND(part->stays, part->n_stays, stay))
		part->error = WM_E_NOMEM;
}

/* The totals of the stay that ends go to lists, and the next stay begins with zeros. */
static void put_subtotals(struct callpart *part)
{
	for (uint32_t i = 0; i < part->n_touched; i++) {
		uint32_t entity = part->touched[i];
		struct subtotal subtotal = { .index = entity,
					     .total = part->total[entity] };

		if (!APPEND(part->subtotals, part->n_subtotals, subtotal))
			part->error = WM_E_NOMEM;
		part->total[entity] = 0;
	}
	for (uint32_t i = 0; i < part->n_touched_arcs; i++) {
		uint32_t index = part->touched_arcs[i];
		struct arc *arc = &part->arcs.all[index];
		struct subtotal subtotal = { index, arc->total, arc->inner };

		if (!APPEND(part->arc_subtotals, part->n_arc_subtotals, subtotal))
			part->error = WM_E_NOMEM;
		arc->total = arc->inner = 0;
	}
	part->n_touched = part->n_touched_arcs = 0;
}

/* The frames leave this part's accounts, but their calls do not end. */
static void give_away(struct callpart *part, const struct callstack_frame *frames,
		      uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		if (!callpart_stands_in(&frames[i])) {
			callpart_base(part, frames[i].edge)->active--;
			part->active[frames[i].entity]--;
		}
		if (!APPEND(part->frames, part->n_frames, frames[i]))
			part->error = WM_E_NOMEM;
	}
}

void callpart_end_stay(struct callpart *part, const struct callstack_frame *frames,
		       uint32_t n, uint64_t insn)
{
	struct stay *stay = &part->stays[part->n_stays - 1];

	put_subtotals(part);
	give_away(part, frames, n);
	stay->end = insn;
	stay->deepest = part->stack.deepest;
	stay->where = part->stack.root.where;
	stay->called = part->stack.root.entered;
	stay->subtotals_end = part->n_subtotals;
	stay->arc_subtotals_end = part->n_arc_subtotals;
	stay->frames_end = part->n_frames;
}

void callpart_unknown(struct callpart *part, const struct callstack_step *step,
		      const struct callstack_frame *frames, uint32_t n)
{
	if (part->error)
		return;
	callpart_end_stay(part, frames, n, step->insn);
	begin_stay(part, step);
}

static void unknown(void *cookie, const struct callstack_step *step,
		    const struct callstack_frame *frames, uint32_t n)
{
	callpart_unknown(cookie, step, frames, n);
}

/* ---- a part -------------------------------------------------------------- */

const struct callstack_sink callpart_sink = {
	.spent = spent,
	.enter = enter,
	.leave = leave,
	.unknown = unknown,
	.swap = callpart_swap,
	.forget = callpart_forget,
};

int callpart_check(const struct callpart *part, struct wm_error *err)
{
	int code = part->error ? part->error : part->stack.error;

	return code ? callstack_fail(code, err) : 0;
}

int callpart_init(struct callpart *part, uint32_t n_entities, uint32_t most_contexts,
		  bool first, struct wm_error *err)
{
	size_t n = (size_t)n_entities + 1;

	*part = (struct callpart){
		.n_entities = n_entities,
		.self = calloc(n, sizeof(*part->self)),
		.total = calloc(n, sizeof(*part->total)),
		.active = calloc(n, sizeof(*part->active)),
	};
	arcs_init(&part->arcs);
	contexts_init(&part->contexts, most_contexts);
	calltree_init(&part->tree);
	callstack_init(&part->stack, &callpart_sink, part, !first, 0);
	if (!part->self || !part->total || !part->active)
		return wm_fail_nomem(err, "calls");
	begin_stay(part, &(struct callstack_step){ .how = CALLSTACK_BEGIN });
	return callpart_check(part, err);
}

void callpart_fini(struct callpart *part)
{
	callstack_fini(&part->stack);
	arcs_fini(&part->arcs);
	contexts_fini(&part->contexts);
	calltree_fini(&part->tree);
	free(part->self);
	free(part->total);
	free(part->active);
	free(part->stays);
	free(part->subtotals);
	free(part->arc_subtotals);
	free(part->frames);
	free(part->touched);
	free(part->touched_arcs);
}

/* Instructions between what was taken and `insn` are not selected: nobody has spent them. */
void callpart_begin(struct callpart *part, uint64_t insn)
{
	if (!part->begun) {
		part->stack.since = part->first_insn = insn;
	} else if (part->insn < insn) {
		callstack_spend(&part->stack, part->insn);
		part->stack.since = insn;
	}
	part->begun = true;
	part->insn = insn;
}

int callpart_piece(struct callpart *part, const struct site *rows, uint32_t id,
		   uint32_t skip, uint32_t end, uint64_t insn, struct wm_error *err)
{
	if (callpart_walk(part)) {
		callpart_begin(part, insn);
		callstack_part(&part->stack, rows, id, skip, end, insn);
		part->insn = insn + (end - skip);
	}
	return callpart_check(part, err);
}

int callpart_signal(struct callpart *part, const struct site *to, uint64_t insn,
		    struct wm_error *err)
{
	if (callpart_walk(part)) {
		callpart_begin(part, insn);
		callstack_signal(&part->stack, to, insn);
	}
	return callpart_check(part, err);
}

int callpart_change(struct callpart *part, struct method_changes *changes,
		    struct wm_error *err)
{
	if (callpart_walk(part))
		method_changes_do(changes, &part->stack);
	return callpart_check(part, err);
}

void callpart_gap(struct callpart *part, uint64_t insn)
{
	callpart_begin(part, insn);
	callstack_gap(&part->stack);
}

void callpart_return_from_signal(struct callpart *part, uint64_t insn)
{
	callpart_begin(part, insn);
	callstack_return_from_signal(&part->stack);
}

int callpart_end(struct callpart *part, struct wm_error *err)
{
	callpart_settle(part);
	callstack_end(&part->stack, part->insn);
	return callpart_check(part, err);
}
