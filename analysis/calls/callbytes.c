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
 * level of a context, the entity of a frame (its arc's callee), and all that a stub's frame
 * has from the frame below it. So hostile bytes cannot contradict themselves there.
 */
#include <stdlib.h>

#include "analysis/calls/callpart-data.h"
#include "analysis/statebytes.h"
#include "base/append.h"
#include "base/error.h"

/* The bytes' numbers of arcs: `rank` by the part's number, and `at` back. [n] each. */
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

struct getting {
	struct callpart *part;
	const struct site *rows;
	uint32_t n_rows;
	struct span *in;
	bool no_memory;
};

/* ---- orders ---------------------------------------------------------------------------- */

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

static int by_ends(const void *a, const void *b, void *cookie)
{
	const struct arcs *arcs = cookie;
	const struct arc *x = &arcs->all[*(const uint32_t *)a];
	const struct arc *y = &arcs->all[*(const uint32_t *)b];

	if (x->caller != y->caller)
		return x->caller < y->caller ? -1 : 1;
	return x->callee < y->callee ? -1 : x->callee > y->callee;
}

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

/* ---- put --------------------------------------------------------------------------------- */

/* UINT32_MAX, which stands for none, as 0. */
static void put_u32_or_none(struct buf *out, uint32_t value)
{
	buf_put_varint(out, (uint32_t)(value + 1));
}

static void put_sums(struct buf *out, const uint64_t *sums, uint32_t n)
{
	uint32_t used = 0, next = 0;

	for (uint32_t i = 0; i <= n; i++)
		used += sums[i] != 0;
	buf_put_varint(out, used);
	for (uint32_t i = 0; i <= n; i++)
		if (sums[i]) {
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
		buf_put_varint(out, arc->calls);
		buf_put_varint(out, arc->open);
		buf_put_varint(out, arc->insns);
		buf_put_varint(out, arc->least + 1); /* none is the largest */
		buf_put_varint(out, arc->most);
		buf_put_varint(out, arc->total);
		buf_put_varint(out, arc->inner);
	}
}

static void put_tree(const struct putting *putting, uint32_t from, uint32_t to)
{
	const struct context *all = putting->part->contexts.all;
	struct buf *out = putting->out;

	buf_put_varint(out, to - from - 1);
	put_u32_or_none(out, all[from].limit);
	buf_put_varint(out, all[from].self_insns);
	for (uint32_t i = from + 1; i < to; i++) {
		const struct context *one = &all[i];

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

static void put_exit(struct buf *out, const struct callstack_exit *from)
{
	buf_put_varint(out, from->leave);
	put_u32_or_none(out, from->home);
	buf_put_varint(out, from->end);
	buf_put_varint(out, from->whole);
}

static void put_frame(const struct putting *putting, const struct callstack_frame *frame)
{
	struct buf *out = putting->out;

	buf_put_u8(out, (uint8_t)(frame->kind | frame->stub << 6 | frame->entered << 7));
	buf_put_u8(out, frame->tails);
	buf_put_varint(out, frame->insn);
	buf_put_varint(out, frame->ret);
	put_u32_or_none(out, frame->where);
	buf_put_varint(out, frame->whole);
	if (frame->stub)
		return;
	buf_put_varint(out, putting->arcs.rank[frame->edge]);
	buf_put_varint(out, frame->context);
}

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

static void put_step(const struct putting *putting, const struct callstack_step *step)
{
	struct buf *out = putting->out;

	buf_put_varint(out, step->how);
	buf_put_varint(out, step->left);
	put_exit(out, &step->from);
	buf_put_varint(out, step->to ? (uint64_t)(step->to - putting->rows) + 1 : 0);
	buf_put_varint(out, step->insn);
}

/* What a stay that has ended left behind. */
static void put_rest(const struct putting *putting, const struct stay *before,
		     const struct stay *stay)
{
	const struct callpart *part = putting->part;
	uint32_t from = before ? before->subtotals_end : 0;
	uint32_t arcs_from = before ? before->arc_subtotals_end : 0;
	uint32_t frames_from = before ? before->frames_end : 0;

	buf_put_varint(putting->out, stay->end);
	buf_put_varint(putting->out, stay->deepest);
	put_u32_or_none(putting->out, stay->where);
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

		put_step(putting, &stay->step);
		buf_put_varint(putting->out, stay->self_insns);
		buf_put_varint(putting->out, stay->caller);
		if (i + 1 < part->n_stays)
			put_rest(putting, i ? stay - 1 : NULL, stay);
	}
}

static void put_stack(const struct putting *putting)
{
	const struct callstack *stack = &putting->part->stack;
	const struct callstack_frame *root = &stack->root;
	struct buf *out = putting->out;

	buf_put_varint(out, root->entered);
	put_u32_or_none(out, root->where);
	buf_put_varint(out, root->tails);
	buf_put_varint(out, root->whole);
	buf_put_varint(out, stack->solid);
	put_exit(out, &stack->last);
	buf_put_varint(out, stack->deepest);
	buf_put_varint(out, stack->depth);
	for (uint32_t i = 0; i < stack->depth; i++)
		put_frame(putting, &stack->frames[i]);
}

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

	if (part->begun)
		callstack_spend(&part->stack, part->insn);
	if (part->contexts.most && part->contexts.n > part->contexts.most)
		callpart_fold(part, UINT32_MAX);
	if (callpart_check(part, NULL) || !find_order(&putting))
		out->failed = true;
	else
		put_all(&putting);
	order_fini(&putting.arcs);
}

/* ---- get ----------------------------------------------------------------------------------- */

static uint32_t get_u32(struct span *in)
{
	return (uint32_t)state_below(in, UINT32_MAX);
}

static uint32_t get_u32_or_none(struct span *in)
{
	return get_u32(in) - 1;
}

static void get_sums(struct span *in, uint64_t *sums, uint32_t n)
{
	uint64_t at = 0;

	for (uint64_t left = state_count(in); left && !in->failed; left--) {
		uint64_t step = span_varint(in);

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
	uint32_t caller = get_u32(getting->in);
	uint32_t most = caller & ROOT ? getting->part->n_stays - 1 :
					getting->part->n_entities;

	if ((caller & ~ROOT) > most || (caller & ROOT && !getting->part->stack.open))
		getting->in->failed = true;
	return caller;
}

static void get_arc(struct getting *getting, uint32_t expected)
{
	struct callpart *part = getting->part;
	struct span *in = getting->in;
	uint32_t caller = get_caller(getting);
	uint32_t callee = (uint32_t)state_below(in, part->n_entities);
	uint32_t index;
	struct arc *arc;

	in->failed |= !callee;
	if (in->failed)
		return;
	index = arcs_at(&part->arcs, caller, callee);
	getting->no_memory |= !index;
	in->failed |= index != expected; /* the same twice */
	if (in->failed)
		return;
	arc = &part->arcs.all[index];
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
	uint32_t parent = root + (uint32_t)state_below(in, expected - root - 1);
	uint32_t entity = (uint32_t)state_below(in, getting->part->n_entities);

	level = contexts->all[parent].level;
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
	limit = get_u32_or_none(in);
	contexts->all[root].self_insns = span_varint(in);
	for (; n && !in->failed; n--)
		get_context(getting, root, limit);
	contexts->all[root].limit = contexts->limit = limit;
}

static void get_exit(struct span *in, struct callstack_exit *to)
{
	to->leave = (uint16_t)state_below(in, UINT16_MAX);
	to->home = get_u32_or_none(in);
	to->end = get_u32(in);
	to->whole = get_u32(in);
}

/*
 * The context of a frame at `level` over the root of a tree [root, end): its own, or an
 * ancestor's when that level is folded.
 */
static uint32_t get_frame_context(struct getting *getting, uint32_t root, uint32_t end,
				  uint32_t level)
{
	const struct contexts *contexts = &getting->part->contexts;
	struct span *in = getting->in;
	uint32_t index = get_u32(in);

	if (!contexts->most) {
		in->failed |= index != 0;
		return 0;
	}
	in->failed |= index < root || index >= end;
	if (!in->failed && contexts->all[index].level != level)
		in->failed |= level <= contexts->all[root].limit;
	return index;
}

/* What of the tree's root, or of the frame below, a frame is on. */
static void get_frame(struct getting *getting, const struct callstack_frame *below,
		      uint32_t root, uint32_t end, struct callstack_frame *frame)
{
	struct span *in = getting->in;
	uint8_t flags = span_u8(in);

	*frame = (struct callstack_frame){
		.kind = flags & 63,
		.stub = flags >> 6 & 1,
		.entered = flags >> 7,
		.tails = span_u8(in),
	};
	frame->insn = span_varint(in);
	frame->ret = get_u32(in);
	frame->where = get_u32_or_none(in);
	frame->whole = (uint32_t)state_below(in, getting->part->n_entities);
	in->failed |= frame->kind > FRAME_ORIGIN || frame->tails > CALLSTACK_TAILS;
	frame->entity = below->entity;
	frame->edge = below->edge;
	frame->context = below->context;
	frame->level = below->level;
	if (frame->stub || in->failed)
		return;
	frame->edge = (uint32_t)state_below(in, getting->part->arcs.n - 1);
	in->failed |= !frame->edge;
	frame->level = below->level + 1;
	frame->context = get_frame_context(getting, root, end, frame->level);
	if (!in->failed)
		frame->entity = getting->part->arcs.all[frame->edge].callee;
}

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

static void get_step(struct getting *getting, struct callstack_step *step)
{
	struct span *in = getting->in;
	uint32_t row;

	step->how = (enum callstack_how)state_below(in, CALLSTACK_CUT);
	step->left = state_bool(in);
	get_exit(in, &step->from);
	in->failed |= step->from.whole > getting->part->n_entities;
	row = (uint32_t)state_below(in, (uint64_t)getting->n_rows + 1);
	step->insn = span_varint(in);
	step->to = row ? &getting->rows[row - 1] : NULL;
	in->failed |= (step->to && !step->to->start) ||
		      (step->how == CALLSTACK_ARRIVE && !step->to);
}

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

/* What a stay that has ended left behind; its contexts are [stay->context, end). */
static void get_rest(struct getting *getting, struct stay *stay, uint32_t end)
{
	struct callpart *part = getting->part;
	struct span *in = getting->in;

	stay->end = span_varint(in);
	stay->deepest = (uint32_t)state_below(in, CALLSTACK_DEPTH);
	stay->where = get_u32_or_none(in);
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

static void get_stays(struct getting *getting)
{
	struct callpart *part = getting->part;

	for (uint32_t i = 0; i < part->n_stays && !getting->in->failed; i++) {
		struct stay *stay = &part->stays[i];

		get_step(getting, &stay->step);
		stay->self_insns = span_varint(getting->in);
		stay->caller = get_caller(getting);
		if (i + 1 < part->n_stays)
			get_rest(getting, stay, stay[1].context);
	}
}

/* What the frames of the stack mean to the accounts. */
static void count_active(struct callpart *part)
{
	for (uint32_t i = 0; i < part->stack.depth; i++) {
		const struct callstack_frame *frame = &part->stack.frames[i];

		if (frame->stub)
			continue;
		part->active[frame->entity]++;
		part->arcs.all[frame->edge].active++;
	}
}

static void get_stack(struct getting *getting)
{
	struct callpart *part = getting->part;
	struct callstack *stack = &part->stack;
	struct span *in = getting->in;
	uint32_t deepest, depth;

	stack->root.context = part->contexts.root;
	if (stack->open)
		stack->root.entity = ROOT | (part->n_stays - 1);
	stack->root.entered = state_bool(in);
	stack->root.where = get_u32_or_none(in);
	stack->root.tails = (uint8_t)state_below(in, CALLSTACK_TAILS);
	stack->root.whole = (uint32_t)state_below(in, part->n_entities);
	stack->solid = state_bool(in);
	get_exit(in, &stack->last);
	stack->since = part->insn;
	deepest = (uint32_t)state_below(in, CALLSTACK_DEPTH);
	depth = (uint32_t)state_below(in, CALLSTACK_DEPTH);
	for (; depth && !in->failed && !stack->error; depth--) {
		struct callstack_frame frame;

		get_frame(getting, callstack_top(stack), part->contexts.root,
			  part->contexts.n, &frame);
		if (!in->failed)
			callstack_push(stack, &frame);
	}
	stack->deepest = deepest;
	getting->no_memory |= stack->error == WM_E_NOMEM;
	in->failed |= stack->error || deepest < stack->depth;
}

/* An open part has lists of what it will have to give to its stay. */
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

/* Back to a part with nothing in it, and as many stays as there will be. */
static void clear(struct getting *getting)
{
	struct callpart *part = getting->part;
	uint32_t most = part->contexts.most;
	uint64_t stays = state_count(getting->in);

	contexts_fini(&part->contexts);
	contexts_init(&part->contexts, most);
	part->n_stays = 0;
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
	struct getting getting = { part, rows, n_rows, in };

	get_all(&getting);
	if (!in->failed) {
		count_active(part);
		list_touched(&getting);
	}
	return getting.no_memory ? wm_fail_nomem(err, "calls") : 0;
}
