// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Walks blocks, with a tree of contexts between the walk and the accounts.
 *
 * The accounts of a call need its arc, its context, and whether its function and its arc are
 * on the stack already. All of that is the same for each call of one function in one context.
 * So the walk adds up what happened in each context (calltree.h), and callpart_settle() hands
 * the sums to the accounts. A call or a return that its frame expects takes one node and no
 * function call (callstack_quick.h); so do calls through stubs, and tail calls.
 *
 * Example: f calls itself, 10 instructions inside 30. The nodes are f with 30, and below it f
 * with 10. The accounts get a total of 30, because the second node has f among its ancestors,
 * and two calls.
 *
 * Invariant: while the tree is in use, the frames' `edge` is the index of a node, and all
 * active[] and the arcs' are 0, and `level` is the index of the node that was entered last
 * from the frame, or 0. Afterwards they are what callpart.c says. A tree in use has no
 * part in what is appended or written: callpart_settle() comes first.
 */
#include "analysis/calls/callpart-data.h"
#include "analysis/calls/callstack_quick.h"
#include "analysis/calls/interpreted.h"

#include <stdlib.h>

#include "base/error.h"

static void fail(struct callpart *part)
{
	part->error = WM_E_NOMEM;
}

/* ---- what the accounts get ----------------------------------------------- */

static bool settle_arc(struct callpart *part, const struct calltree_node *node,
		       struct calltree_place *place)
{
	struct arc *arc;

	place->edge = arcs_at(&part->arcs, node->key.caller, node->key.entity);
	if (!place->edge)
		return false;
	arc = &part->arcs.all[place->edge];
	/* Into the middle of a function no call leads; such an arc has totals only. */
	if (node->key.kind == CALLTREE_CALL)
		arc_join(arc, &(struct arc){ .calls = node->entries,
					     .insns = node->insns,
					     .least = node->least,
					     .most = node->most });
	callpart_note_caller(part, node->key.caller);
	return true;
}

static bool settle_context(struct callpart *part, const struct calltree_node *node,
			   struct calltree_place *place)
{
	const struct calltree_place *above = &part->tree.places[node->key.parent];
	struct contexts *contexts = &part->contexts;

	place->level = above->level + 1;
	if (!contexts->most)
		return true;
	place->context =
		contexts_enter(contexts, above->context, above->level, node->key.entity);
	if (!place->context)
		return false;
	contexts->all[place->context].self_insns += node->self_insns;
	if (place->level <= contexts->limit && node->key.kind == CALLTREE_CALL)
		contexts->all[place->context].calls += node->entries;
	/* Folding moves all contexts, so it waits until many are too many. */
	if (contexts->n > contexts->crowded)
		callpart_fold(part, UINT32_MAX);
	return true;
}

/* In the order of their first use, in which contexts are numbered. */
static bool settle_nodes(struct callpart *part)
{
	struct calltree *tree = &part->tree;
	struct callstack_frame *root = &part->stack.root;
	bool ok = true;

	callpart_add_self(part, root, tree->nodes[CALLTREE_ROOT].self_insns);
	callpart_add_context(part, root, tree->nodes[CALLTREE_ROOT].self_insns);
	tree->places[CALLTREE_ROOT].context = root->context;
	for (uint32_t i = CALLTREE_ROOT + 1; ok && i < tree->n; i++) {
		const struct calltree_node *node = &tree->nodes[i];

		part->self[node->key.entity] += node->self_insns;
		ok = (node->key.kind == CALLTREE_STUB ||
		      settle_arc(part, node, &tree->places[i])) &&
		     settle_context(part, node, &tree->places[i]);
	}
	return ok;
}

/*
 * Whether, if the root turns out to be the arc's caller, a call by the root is open that has
 * the same arc: see callpart.c. `lowest` is the node above the root's, among whose
 * descendants this one is.
 */
static bool is_inside_unknown(const struct callpart *part, const struct calltree_key *key,
			      uint32_t lowest)
{
	const struct calltree_key *outer = &part->tree.nodes[lowest].key;

	return part->stack.open && !(key->caller & CALLPART_ROOT) &&
	       outer->entity == key->entity && outer->caller & CALLPART_ROOT;
}

/* Of recursive calls only the outermost adds to the totals. */
static void come_in(struct callpart *part, uint32_t index, uint32_t lowest)
{
	const struct calltree_node *node = &part->tree.nodes[index];
	uint32_t edge = part->tree.places[index].edge;

	if (node->key.kind == CALLTREE_STUB) {
		if (!part->active[node->key.entity])
			callpart_add_total(part, node->key.entity, node->self_insns);
		return;
	}
	if (!part->arcs.all[edge].active++)
		callpart_add_arc_total(part, edge, node->insns,
				       is_inside_unknown(part, &node->key, lowest));
	if (!part->active[node->key.entity]++)
		callpart_add_total(part, node->key.entity, node->insns);
}

static void go_out(struct callpart *part, uint32_t index)
{
	const struct calltree_node *node = &part->tree.nodes[index];

	if (node->key.kind == CALLTREE_STUB)
		return;
	part->arcs.all[part->tree.places[index].edge].active--;
	part->active[node->key.entity]--;
}

/* Goes through the tree, with the functions on the way counted as active. */
static void settle_totals(struct callpart *part)
{
	const struct calltree_node *nodes = part->tree.nodes;
	uint32_t at = CALLTREE_ROOT, lowest = 0;

	for (;;) {
		uint32_t next = nodes[at].child;

		while (!next && at != CALLTREE_ROOT) {
			go_out(part, at);
			next = nodes[at].sibling;
			at = nodes[at].key.parent;
		}
		if (!next)
			return;
		at = next;
		if (nodes[at].key.parent == CALLTREE_ROOT)
			lowest = at;
		come_in(part, at, lowest);
	}
}

static void settle_frames(struct callpart *part)
{
	struct callstack *stack = &part->stack;

	for (uint32_t i = 0; i < stack->depth; i++) {
		struct callstack_frame *frame = &stack->frames[i];
		const struct calltree_place *place = &part->tree.places[frame->edge];

		frame->edge = place->edge;
		frame->context = place->context;
		frame->level = place->level;
		if (frame->stub)
			continue;
		part->arcs.all[frame->edge].active++;
		part->active[frame->entity]++;
	}
	stack->root.edge = stack->root.level = 0;
}

static void settle(struct callpart *part)
{
	if (!part->error && settle_nodes(part)) {
		settle_totals(part);
		settle_frames(part);
	} else {
		/* Without memory: nothing is left that could refer to nodes. */
		fail(part);
		part->stack.depth = 0;
	}
	part->stack.sink = &callpart_sink;
	part->walking = false;
}

/* Parts may wait long to be appended, so the tree's memory is given back. */
void callpart_settle(struct callpart *part)
{
	if (part->walking)
		settle(part);
	calltree_fini(&part->tree);
}

/* ---- the walk ------------------------------------------------------------ */

static uint32_t node_at(struct callpart *part, const struct calltree_key *key)
{
	uint32_t index = calltree_at(&part->tree, key);

	if (!index)
		fail(part);
	return index;
}

static void spent(void *cookie, struct callstack_frame *frame, uint64_t insns)
{
	struct callpart *part = cookie;
	uint32_t index = frame->edge;

	/* Code of a stub counts for the stub's own function, which has no frame. */
	if (frame->stub && frame->whole)
		index = node_at(part, &(struct calltree_key){ .parent = frame->edge,
							      .entity = frame->whole,
							      .kind = CALLTREE_STUB });
	part->tree.nodes[index].self_insns += insns;
}

static void enter(void *cookie, struct callstack_frame *frame,
		  const struct callstack_frame *below, uint32_t caller)
{
	struct callpart *part = cookie;
	const struct calltree_key key = {
		.parent = below->edge,
		.entity = frame->entity,
		.caller = caller,
		.kind = frame->entered ? CALLTREE_CALL : CALLTREE_JUMP,
	};

	frame->edge = node_at(part, &key);
	part->tree.nodes[frame->edge].entries++;
}

static inline void add_call(struct calltree_node *node, uint64_t insns)
{
	node->insns += insns;
	if (insns < node->least)
		node->least = insns;
	if (insns > node->most)
		node->most = insns;
}

static void leave(void *cookie, struct callstack_frame *frame, uint64_t insn)
{
	struct callpart *part = cookie;

	add_call(&part->tree.nodes[frame->edge], insn - frame->insn);
}

static bool reset(struct callpart *part)
{
	if (!calltree_reset(&part->tree)) {
		fail(part);
		return false;
	}
	part->stack.root.edge = CALLTREE_ROOT;
	part->stack.sink = &callwalk_sink;
	part->walking = true;
	return true;
}

static void unknown(void *cookie, const struct callstack_step *step,
		    const struct callstack_frame *frames, uint32_t n)
{
	struct callpart *part = cookie;

	settle(part);
	callpart_unknown(part, step, frames, n);
	/* The frames are the accounts' now, and the next stay begins without any. */
	reset(part);
}

/* The frames that are on the stack get nodes; what they have been so far is settled. */
static void take_frames(struct callpart *part)
{
	struct callstack *stack = &part->stack;

	for (uint32_t i = 0; i < stack->depth; i++) {
		struct callstack_frame *frame = &stack->frames[i];
		const struct callstack_frame *below = i ? frame - 1 : &stack->root;
		struct arc *arc = &part->arcs.all[frame->edge];

		frame->level = 0;
		if (frame->stub) {
			frame->edge = below->edge;
			continue;
		}
		arc->active--;
		part->active[frame->entity]--;
		frame->edge = node_at(
			part, &(struct calltree_key){
				      below->edge, frame->entity, arc->caller,
				      frame->entered ? CALLTREE_CALL : CALLTREE_JUMP });
	}
}

/* Frames that are set aside have no nodes, so that a tree may begin anew meanwhile. */
static void swap(void *cookie, struct callstack_swap *swap)
{
	struct callpart *part = cookie;

	settle(part);
	callpart_swap(part, swap);
	if (!part->error && reset(part))
		take_frames(part);
}

const struct callstack_sink callwalk_sink = {
	.spent = spent,
	.enter = enter,
	.leave = leave,
	.unknown = unknown,
	.swap = swap,
	.forget = callpart_forget, /* its frames have no nodes */
};

static inline void spend(struct callstack *stack, const struct callstack_frame *top,
			 uint64_t insn)
{
	struct callpart *part = stack->cookie;

	part->tree.nodes[top->edge].self_insns += insn - stack->since;
	stack->since = insn;
}

/*
 * A frame right above `below` is that of a function now. Functions often make the same call
 * again, so frames know which node that was.
 */
static inline void enter_call(struct callpart *part, struct callstack_frame *frame,
			      struct callstack_frame *below, uint32_t caller)
{
	const struct calltree_key key = { below->edge, frame->entity, caller,
					  CALLTREE_CALL };
	uint32_t index = below->level;

	if (!calltree_equal(&part->tree.nodes[index].key, &key))
		below->level = index = calltree_at(&part->tree, &key);
	frame->edge = index;
	part->tree.nodes[index].entries++;
}

/* Inlined code is no call: it has no entries. */
static inline void enter_inlined(struct callpart *part, struct callstack_frame *frame,
				 const struct callstack_frame *below, uint32_t caller)
{
	const struct calltree_key key = { below->edge, frame->entity, caller,
					  CALLTREE_JUMP };

	frame->edge = calltree_at(&part->tree, &key);
}

static inline void enter_quick(struct callstack *stack, struct callstack_frame *frame,
			       struct callstack_frame *below, uint32_t caller)
{
	struct callpart *part = stack->cookie;

	if (frame->kind == FRAME_INLINE)
		enter_inlined(part, frame, below, caller);
	else
		enter_call(part, frame, below, caller);
	part->error = frame->edge ? part->error : WM_E_NOMEM;
}

static inline void leave_quick(struct callstack *stack,
			       const struct callstack_frame *frame, uint64_t insn)
{
	struct callpart *part = stack->cookie;

	add_call(&part->tree.nodes[frame->edge], insn - frame->insn);
}

static const struct callstack_keeper keeper = { spend, enter_quick, leave_quick };

static inline bool is_quick(struct callstack *stack, const struct site *from,
			    const struct site *to, uint64_t insn)
{
	return callstack_is_quick(stack, from, to, insn, &keeper);
}

/* Nodes have no places, and are of every frame. */
static bool has_nodes(const struct callpart *part)
{
	return !part->by_place && !part->hidden;
}

bool callpart_walk(struct callpart *part)
{
	struct calltree *tree = &part->tree;

	/* Each frame needs a node at least, also right after the tree was settled. */
	if (part->walking && tree->n > tree->most &&
	    tree->n - tree->most > 2 * part->stack.depth)
		settle(part);
	if (!part->walking && has_nodes(part) && !part->error && reset(part))
		take_frames(part);
	return !part->error;
}

int callpart_blocks(struct callpart *part, const struct site_table *table,
		    const uint32_t *ids, size_t n, uint64_t insn, struct wm_error *err)
{
	if (callpart_walk(part)) {
		callpart_begin(part, insn);
		part->insn = !has_nodes(part) ?
				     callstack_blocks(&part->stack, table, ids, n, insn) :
				     callstack_follow(&part->stack, table, ids, n, insn,
						      is_quick);
	}
	return callpart_check(part, err);
}

/* Between method changes the walk goes on where it was. */
static inline __attribute__((always_inline)) uint64_t
follow_changing(struct callstack *stack, const struct site_table *table,
		const uint32_t *ids, size_t n, uint64_t insn,
		struct method_changes *changes, callstack_quick *quick)
{
	struct callstack_walk walk = callstack_begin(stack, table, ids, insn);

	for (;;) {
		callstack_go_on(stack, table, ids, n, changes->insn, &walk, quick);
		callstack_depart(stack, walk.site);
		while (changes->insn < walk.insn)
			method_changes_do(changes, stack);
		if (walk.n == n)
			return walk.insn;
	}
}

int callpart_blocks_changing(struct callpart *part, const struct site_table *table,
			     const uint32_t *ids, size_t n, uint64_t insn,
			     struct method_changes *changes, struct wm_error *err)
{
	if (callpart_walk(part)) {
		callpart_begin(part, insn);
		part->insn = !has_nodes(part) ?
				     follow_changing(&part->stack, table, ids, n, insn,
						     changes, NULL) :
				     follow_changing(&part->stack, table, ids, n, insn,
						     changes, is_quick);
	}
	return callpart_check(part, err);
}
