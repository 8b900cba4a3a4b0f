// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The bytes of a part of a thread's calls.
 *
 * A part numbers its arcs in an order that depends on how the stream was cut: merging makes
 * those of frames first. So the bytes have arcs by caller and callee. For example the arcs
 * 1: main->b, 2: main->a become 1: main->a, 2: main->b, and a frame with arc 1 is written with
 * arc 2. Contexts are numbered as they were first entered, however the stream was cut.
 *
 * What follows from other fields is not written: how many frames of a function are active, the
 * level of a context, the entity of a frame (its arc's callee), and all that the frame of a stub
 * or of a hidden function has from the frame below it. So hostile bytes cannot contradict
 * themselves there.
 */
#include <stdlib.h>

#include "analysis/calls/callbytes.h"
#include "analysis/calls/callpart-data.h"
#include "analysis/statebytes.h"
#include "base/append.h"
#include "base/error.h"

/*
 * `rank` maps the part's number of an arc to that in the bytes, `at` the other way. [n]
 * each.
 */
struct order {
	uint32_t *rank, *at;
	uint32_t n;
};

struct putting {
	struct callpart *part;
	const struct site *rows;
	struct order arcs;
	struct buf *out;
};

/* ---- orders -------------------------------------------------------------- */

/* Index 0 is no arc (arcs.h). It keeps rank 0, so 0 means none in the bytes too. */
static bool order_init(struct order *order, uint32_t n)
{
	order->n = n;
	order->rank = calloc((size_t)n + 1, sizeof(*order->rank));
	order->at = calloc((size_t)n + 1, sizeof(*order->at));
	for (uint32_t i = 0; order->at && i < n; i++)
		order->at[i] = i;
	return order->rank && order->at;
}

static void order_fini(struct order *order)
{
	free(order->rank);
	free(order->at);
}

/* No two arcs have the same pair and place, so the order is the same for any qsort_r(). */
static int by_ends(const void *a, const void *b, void *cookie)
{
	const struct arcs *arcs = cookie;
	const struct arc *x = &arcs->all[*(const uint32_t *)a];
	const struct arc *y = &arcs->all[*(const uint32_t *)b];

	if (x->caller != y->caller)
		return x->caller < y->caller ? -1 : 1;
	if (x->callee != y->callee)
		return x->callee < y->callee ? -1 : 1;
	/* The pair's own comes before those with places. */
	return x->place < y->place ? -1 : x->place > y->place;
}

/* Only roots have no parent, so the next root ends the tree. */
static uint32_t tree_end(const struct contexts *contexts, uint32_t from)
{
	uint32_t to = from + 1;

	while (to < contexts->n && contexts->all[to].parent)
		to++;
	return to;
}

static bool find_order(struct putting *putting)
{
	struct callpart *part = putting->part;
	struct order *arcs = &putting->arcs;

	if (!order_init(arcs, part->arcs.n))
		return false;
	if (arcs->n > 1)
		qsort_r(arcs->at + 1, arcs->n - 1, sizeof(*arcs->at), by_ends,
			&part->arcs);
	for (uint32_t i = 1; i < arcs->n; i++)
		arcs->rank[arcs->at[i]] = i;
	return true;
}

/* ---- put ----------------------------------------------------------------- */

/*
 * Each sum that is not 0, as the step from the index before and the sum. Example: 7 at
 * index 2 and 9 at index 5 are written as 2, then 3 7, then 3 9.
 */
static void put_sums(struct buf *out, const uint64_t *sums, uint32_t n)
{
	uint32_t used = 0, next = 0;

	for (uint32_t i = 0; i <= n; i++)
		used += sums[i] != 0;
	buf_put_varint(out, used);
	for (uint32_t i = 0; i <= n; i++)
		if (sums[i]) {
			/*
			 * Steps are at least 1, so a key that comes twice is malformed.
			 */
			buf_put_varint(out, i + 1 - next);
			buf_put_varint(out, sums[i]);
			next = i + 1;
		}
}

static void put_arcs(const struct putting *putting)
{
	struct buf *out = putting->out;

	buf_put_varint(out, putting->arcs.n - 1);
	for (uint32_t i = 1; i < putting->arcs.n; i++) {
		const struct arc *arc = &putting->part->arcs.all[putting->arcs.at[i]];

		buf_put_varint(out, arc->caller);
		buf_put_varint(out, arc->callee);
		if (putting->part->by_place)
			buf_put_varint(out, arc->place);
		buf_put_varint(out, arc->calls);
		buf_put_varint(out, arc->open);
		buf_put_varint(out, arc->insns);
		buf_put_varint(out, arc->least + 1); /* none is the largest */
		buf_put_varint(out, arc->most);
		buf_put_varint(out, arc->total);
		buf_put_varint(out, arc->inner);
	}
}

/*
 * The root's fields come first, then the nodes in their order. A parent comes before its
 * children, so a reader can check each node at once.
 */
static void put_tree(const struct putting *putting, uint32_t from, uint32_t to)
{
	const struct context *all = putting->part->contexts.all;
	struct buf *out = putting->out;

	buf_put_varint(out, to - from - 1);
	callbytes_put_or_none(out, all[from].limit);
	buf_put_varint(out, all[from].self_insns);
	for (uint32_t i = from + 1; i < to; i++) {
		const struct context *one = &all[i];

		/* Relative to the root, whatever came before this tree. */
		buf_put_varint(out, one->parent - from);
		buf_put_varint(out, one->entity);
		buf_put_varint(out, one->calls);
		buf_put_varint(out, one->self_insns);
	}
}

static void put_contexts(const struct putting *putting)
{
	const struct contexts *contexts = &putting->part->contexts;

	for (uint32_t from = 1, to; from < contexts->n; from = to) {
		to = tree_end(contexts, from);
		put_tree(putting, from, to);
	}
}

static void put_frame(const struct putting *putting, const struct callstack_frame *frame)
{
	callbytes_put_frame(frame, putting->out);
	if (callpart_stands_in(frame))
		return;
	buf_put_varint(putting->out, putting->arcs.rank[frame->edge]);
	buf_put_varint(putting->out, frame->context);
}

/*
 * Subtotals are listed in the order in which they were first touched, which depends on
 * the cut; the bytes have them by number.
 */
static int by_index(const void *a, const void *b)
{
	const struct subtotal *x = a, *y = b;

	return x->index < y->index ? -1 : x->index > y->index;
}

/* Of one stay, by the bytes' numbers. */
static void put_subtotals(const struct putting *putting, const struct subtotal *from,
			  uint32_t n, bool of_arcs)
{
	struct subtotal *all = calloc((size_t)n + 1, sizeof(*all));

	putting->out->failed |= !all;
	buf_put_varint(putting->out, n);
	for (uint32_t i = 0; all && i < n; i++) {
		all[i] = from[i];
		if (of_arcs)
			all[i].index = putting->arcs.rank[from[i].index];
	}
	if (all)
		qsort(all, n, sizeof(*all), by_index);
	for (uint32_t i = 0; all && i < n; i++) {
		buf_put_varint(putting->out, all[i].index);
		buf_put_varint(putting->out, all[i].total);
		if (of_arcs)
			buf_put_varint(putting->out, all[i].inner);
	}
	free(all);
}

/* What a stay that has ended leaves: subtotals and frames. */
static void put_rest(const struct putting *putting, const struct stay *before,
		     const struct stay *stay)
{
	const struct callpart *part = putting->part;
	uint32_t from = before ? before->subtotals_end : 0;
	uint32_t arcs_from = before ? before->arc_subtotals_end : 0;
	uint32_t frames_from = before ? before->frames_end : 0;

	buf_put_varint(putting->out, stay->end);
	buf_put_varint(putting->out, stay->deepest);
	callbytes_put_or_none(putting->out, stay->where);
	buf_put_varint(putting->out, stay->called);
	put_subtotals(putting, part->subtotals + from, stay->subtotals_end - from, false);
	put_subtotals(putting, part->arc_subtotals + arcs_from,
		      stay->arc_subtotals_end - arcs_from, true);
	buf_put_varint(putting->out, stay->frames_end - frames_from);
	for (uint32_t i = frames_from; i < stay->frames_end; i++)
		put_frame(putting, &part->frames[i]);
}

static void put_stays(const struct putting *putting)
{
	const struct callpart *part = putting->part;

	for (uint32_t i = 0; i < part->n_stays; i++) {
		const struct stay *stay = &part->stays[i];

		callbytes_put_step(&stay->step, putting->rows, putting->out);
		buf_put_varint(putting->out, stay->self_insns);
		buf_put_varint(putting->out, stay->caller);
		/* The last stay has not ended: its sums are those of the part. */
		if (i + 1 < part->n_stays)
			put_rest(putting, i ? stay - 1 : NULL, stay);
	}
}

/* Frames that were set aside have no contexts. */
static void put_aside(const struct putting *putting, const struct callstack_aside *aside)
{
	buf_put_varint(putting->out, aside->n);
	for (uint32_t i = 0; i < aside->n; i++) {
		const struct callstack_frame *frame = &aside->frames[i];

		callbytes_put_frame(frame, putting->out);
		if (!callpart_stands_in(frame))
			buf_put_varint(putting->out, putting->arcs.rank[frame->edge]);
	}
}

static void put_stack(const struct putting *putting)
{
	const struct callstack *stack = &putting->part->stack;

	callbytes_put_stack(stack, putting->out);
	buf_put_varint(putting->out, stack->depth);
	for (uint32_t i = 0; i < stack->depth; i++)
		put_frame(putting, &stack->frames[i]);
	buf_put_varint(putting->out, stack->asides.n);
	for (uint32_t i = 0; i < stack->asides.n; i++)
		put_aside(putting, &stack->asides.all[i]);
}

/*
 * The number of stays comes before the arcs: a reader needs it to check which roots may
 * be callers.
 */
static void put_all(const struct putting *putting)
{
	const struct callpart *part = putting->part;
	struct buf *out = putting->out;

	buf_put_varint(out, part->begun);
	buf_put_varint(out, part->first_insn);
	buf_put_varint(out, part->insn);
	buf_put_varint(out, part->n_stays);
	put_sums(out, part->self, part->n_entities);
	put_sums(out, part->total, part->n_entities);
	put_arcs(putting);
	put_contexts(putting);
	put_stays(putting);
	put_stack(putting);
}

void callpart_put(struct callpart *part, const struct site *rows, struct buf *out)
{
	struct putting putting = { .part = part, .rows = rows, .out = out };

	callpart_settle(part);
	/* The bytes must not depend on what was spent but not yet reported. */
	if (part->begun)
		callstack_spend(&part->stack, part->insn);
	/* The same for folding, which otherwise waits. */
	if (part->contexts.most && part->contexts.n > part->contexts.most)
		callpart_fold(part, UINT32_MAX);
	if (callpart_check(part, NULL) || !find_order(&putting))
		out->failed = true;
	else
		put_all(&putting);
	order_fini(&putting.arcs);
}
