// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Appends a part to the one before, and adds up threads.
 *
 * The steps that the next part could not do are done on this part's stack, one by one.
 * Each stay of the next part then belongs to the frame that is on top. The next part
 * numbers its arcs, contexts and roots by itself. They get this part's numbers when they
 * are first needed, because the caller of an arc is known only when the stay's root has
 * become a frame.
 *
 * Example: the next part has arc 1 from root 0 to g. When stay 0 is merged, f is on top:
 * roots[0] becomes f, and arcs[1] becomes this part's arc f -> g.
 *
 * Invariant: roots[i] is valid once stay i is merged, and stays are merged in order. So
 * merged_arc() never sees a root that is not known.
 */
#include "analysis/calls/callpart-data.h"

#include <stdlib.h>

#include "base/error.h"

/* The numbers of this part for those of the next. */
struct merge {
	struct callpart *part, *next;
	uint32_t *roots; /* [stays of next] entities */
	uint32_t *arcs;	 /* [arcs of next] indexes; 0: not yet */
	uint32_t *contexts;
};

static uint32_t merged_entity(const struct merge *merge, uint32_t entity)
{
	return entity & CALLPART_ROOT ? merge->roots[entity - CALLPART_ROOT] : entity;
}

static uint32_t arc_of(const struct merge *merge, const struct arc *arc)
{
	struct arcs *arcs = &merge->part->arcs;
	uint32_t caller = merged_entity(merge, arc->caller);

	return arc->place ? arcs_at_place(arcs, caller, arc->callee, arc->place) :
			    arcs_at(arcs, caller, arc->callee);
}

/* Asks only for arcs whose caller is known by now, because stays are merged in order. */
static uint32_t merged_arc(struct merge *merge, uint32_t index)
{
	const struct arc *arc = &merge->next->arcs.all[index];

	if (!merge->arcs[index])
		merge->arcs[index] = arc_of(merge, arc);
	if (!merge->arcs[index])
		merge->part->error = WM_E_NOMEM;
	return merge->arcs[index];
}

/*
 * Grafts the contexts [from, to) of the next part onto the frame that is on top. Parents
 * come first, so the context of each node's parent is already known here.
 */
static void merge_contexts(struct merge *merge, uint32_t from, uint32_t to)
{
	struct callpart *part = merge->part;
	const struct callstack_frame *top = callstack_top(&part->stack);
	const struct contexts *theirs = &merge->next->contexts;

	if (!part->contexts.most)
		return;
	for (uint32_t i = from; i < to && !part->error; i++) {
		const struct context *one = &theirs->all[i];
		uint32_t level = top->level + one->level;
		uint32_t node = top->context;

		if (one->parent)
			node = contexts_enter(&part->contexts,
					      merge->contexts[one->parent], level - 1,
					      one->entity);
		if (!node) {
			part->error = WM_E_NOMEM;
			return;
		}
		/*
		 * A root's context is that of the topmost frame; its instructions are
		 * that frame's.
		 */
		merge->contexts[i] = node;
		if (!one->parent) {
			callpart_add_context(part, top, one->self_insns);
			continue;
		}
		part->contexts.all[node].self_insns += one->self_insns;
		if (level <= part->contexts.limit)
			part->contexts.all[node].calls += one->calls;
	}
}

static void merge_arc_subtotal(struct merge *merge, const struct subtotal *subtotal,
			       const struct stay *stay)
{
	struct callpart *part = merge->part;
	uint32_t caller = merged_entity(merge, stay->caller);
	uint32_t index = merged_arc(merge, subtotal->index);

	/* An active arc includes this call already. */
	if (!index || callpart_base(part, index)->active)
		return;
	if (subtotal->total)
		callpart_add_arc_total(part, index, subtotal->total,
				       callpart_is_inside_unknown(part, index));
	/*
	 * The root is not the arc's caller, so these calls were not inside one of the
	 * same arc. If the caller here is again a root, that is still open.
	 */
	if (subtotal->inner && part->arcs.all[index].caller != caller)
		callpart_add_arc_total(part, index, subtotal->inner,
				       caller & CALLPART_ROOT ||
					       callpart_is_inside_unknown(part, index));
	callpart_note_caller(part, caller);
}

static void merge_subtotals(struct merge *merge, uint32_t from, const struct stay *stay,
			    uint32_t arcs_from)
{
	struct callpart *part = merge->part;
	const struct callpart *next = merge->next;

	for (; from < stay->subtotals_end; from++) {
		const struct subtotal *subtotal = &next->subtotals[from];

		if (!part->active[subtotal->index])
			callpart_add_total(part, subtotal->index, subtotal->total);
	}
	for (; arcs_from < stay->arc_subtotals_end && !part->error; arcs_from++)
		merge_arc_subtotal(merge, &next->arc_subtotals[arcs_from], stay);
}

/* A frame that has no accounts stands for the one below it. */
static void push_merged(struct merge *merge, const struct callstack_frame *frame)
{
	struct callpart *part = merge->part;
	const struct callstack_frame *top = callstack_top(&part->stack);
	struct callstack_frame one = *frame;

	if (callpart_stands_in(&one)) {
		callstack_stand_for(&one, top);
	} else {
		one.edge = merged_arc(merge, one.edge);
		one.context = part->contexts.most ? merge->contexts[one.context] : 0;
		one.level = top->level + 1;
		if (part->error)
			return;
		part->active[one.entity]++;
		callpart_base(part, one.edge)->active++;
		callpart_note_caller(part, part->arcs.all[one.edge].caller);
	}
	callstack_push(&part->stack, &one);
}

static void merge_stay(struct merge *merge, uint32_t index)
{
	struct callpart *part = merge->part, *next = merge->next;
	struct callstack *stack = &part->stack;
	const struct stay none = { .end = 0 }, *stay = &next->stays[index];
	const struct stay *before = index ? stay - 1 : &none;
	struct callstack_frame *top;
	uint32_t limit = stay->context ? next->contexts.all[stay->context].limit :
					 UINT32_MAX;

	/* What ran before the step belongs to this stack's topmost frame. */
	callstack_spend(stack, index ? stay->step.insn : next->first_insn);
	callstack_take(stack, &stay->step);
	if (part->error || stack->error)
		return;
	top = callstack_top(stack);
	merge->roots[index] = top->entity;
	callpart_add_self(part, top, stay->self_insns);
	/* The stay's own accounts have everything up to its end. */
	if (stay->end > stack->since)
		stack->since = stay->end;
	merge_contexts(merge, stay->context,
		       index + 1 < next->n_stays ? stay[1].context : next->contexts.n);
	merge_subtotals(merge, before->subtotals_end, stay, before->arc_subtotals_end);
	callstack_settle_root(stack, top, stay->deepest, stay->called, stay->where);
	if (limit < UINT32_MAX)
		/* Levels of the next part count from its root. */
		limit += top->level;
	for (uint32_t i = before->frames_end; i < stay->frames_end && !part->error; i++)
		push_merged(merge, &next->frames[i]);
	if (!part->error && limit < part->contexts.limit)
		callpart_fold(part, limit);
}

/*
 * What does not depend on the stack: counts and lengths of calls that returned, and own
 * instructions. Totals came with the stays.
 */
static void merge_sums(struct merge *merge)
{
	struct callpart *part = merge->part;
	const struct callpart *next = merge->next;

	for (uint32_t i = 1; i < next->arcs.n && !part->error; i++) {
		uint32_t index = merged_arc(merge, i);

		if (index)
			arc_join(&part->arcs.all[index], &next->arcs.all[i]);
	}
	for (uint32_t i = 0; i <= next->n_entities; i++)
		part->self[i] += next->self[i];
}

/*
 * `arcs` and `contexts` start as zeros: index 0 is neither an arc nor a context, so it
 * marks those that have no number here yet.
 */
static int merge_init(struct merge *merge, struct callpart *part, struct callpart *next,
		      struct wm_error *err)
{
	*merge = (struct merge){
		.part = part,
		.next = next,
		.roots = calloc((size_t)next->n_stays + 1, sizeof(*merge->roots)),
		.arcs = calloc((size_t)next->arcs.n + 1, sizeof(*merge->arcs)),
		.contexts =
			calloc((size_t)next->contexts.n + 1, sizeof(*merge->contexts)),
	};
	return merge->roots && merge->arcs && merge->contexts ?
		       0 :
		       wm_fail_nomem(err, "calls");
}

static void merge_fini(struct merge *merge)
{
	free(merge->roots);
	free(merge->arcs);
	free(merge->contexts);
}

int callpart_append(struct callpart *part, struct callpart *next, struct wm_error *err)
{
	struct merge merge;
	int ret;

	callpart_settle(part);
	callpart_settle(next);
	/* A part in which nothing ran. */
	if (!next->begun)
		return 0;
	callpart_begin(part, next->first_insn);
	callstack_spend(&next->stack, next->insn);
	/* The last stay ends like the others; its frames become this stack's. */
	callpart_end_stay(next, next->stack.frames, next->stack.depth, next->insn);
	next->stack.depth = 0;
	ret = callpart_check(next, err);
	if (!ret)
		ret = merge_init(&merge, part, next, err);
	if (ret)
		return ret;
	for (uint32_t i = 0; i < next->n_stays && !part->error && !part->stack.error; i++)
		merge_stay(&merge, i);
	if (!part->error && !part->stack.error)
		merge_sums(&merge);
	merge_fini(&merge);
	callstack_leave_as(&part->stack, &next->stack.last);
	part->insn = next->insn;
	if (!part->error && part->contexts.n > part->contexts.crowded)
		callpart_fold(part, UINT32_MAX);
	return callpart_check(part, err);
}

int callpart_join(struct callpart *part, const struct callpart *other,
		  struct wm_error *err)
{
	/*
	 * Threads share no stack: contexts are joined at the roots, sums are added. A
	 * stream that is complete is not open, so none of its arcs has a root as its
	 * caller, and no stay needs to be merged.
	 */
	struct callpart quiet = *other;
	struct merge merge;
	int ret = merge_init(&merge, part, &quiet, err);

	if (ret)
		return ret;
	merge_contexts(&merge, 1, other->contexts.n);
	merge_sums(&merge);
	for (uint32_t i = 1; i < other->arcs.n && !part->error; i++)
		part->arcs.all[merge.arcs[i]].total += other->arcs.all[i].total;
	for (uint32_t i = 0; i <= other->n_entities; i++)
		part->total[i] += other->total[i];
	merge_fini(&merge);
	/*
	 * Levels that were too large in one thread are in all of them. They may be gone there, so
	 * what is here now may be too little to find that out.
	 */
	if (!part->error && other->contexts.limit < part->contexts.limit)
		callpart_fold(part, other->contexts.limit);
	if (!part->error && part->contexts.n > part->contexts.crowded)
		callpart_fold(part, UINT32_MAX);
	return callpart_check(part, err);
}
