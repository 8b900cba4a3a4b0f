// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Counts which block came after which, by a walk over every block.
 *
 * Each block has two slots for the successors that came first, which is all that most
 * blocks ever have. A pair without a slot is counted in a hash table, and so are the rare
 * pairs that were interrupted. So the loop over a stretch has one branch for each block,
 * which is nearly always predicted.
 *
 * Example: the walk is 5 6 5 6 5 7 5 8. Block 5 has the slots 6 (2 times) and 7 (1), and
 * the pair 5, 8 is in the table. Blocks 6 and 7 have one slot each, 5 with 2 and with 1.
 *
 * A pair with a gap is no edge in the result: the block before a gap is a stop, the block
 * after it a start.
 *
 * Invariant of a state: the pair of `last` and the block that comes next is not counted
 * yet; all others are. The pair across the border of two parts is counted when they are
 * appended.
 */
#include "analysis/cfg/edges.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/analysis.h"
#include "analysis/cfg/pair_counts.h"
#include "analysis/statebytes.h"
#include "base/append.h"
#include "base/error.h"
#include "base/huge.h"
#include "base/sum_up.h"

struct node {
	uint32_t to[2]; /* 0: free */
	uint64_t count[2];
};

struct state {
	const struct wm_trace *trace;
	uint32_t space;
	struct node *nodes; /* [known + 1] by id of `from` */
	uint32_t known;	    /* ids, and one for what is not selected, which has none */
	/*
	 * Nodes that are in use. A part mostly runs few of all known blocks, so appending
	 * visits only these.
	 */
	uint32_t *touched; /* [n_touched] ids */
	size_t n_touched;
	struct pair_counts others; /* that have no slot */

	uint32_t first, first_index; /* block that came first, where it began; 0: none */
	bool first_after;	     /* a signal came before it */
	uint32_t last, last_left;    /* block that came last */
	bool signalled;		     /* a signal came after it */
};

enum { COMPACT_MIN = 1 << 16 };

static int no_memory(struct wm_error *err)
{
	return wm_fail_nomem(err, "counting what follows what");
}

static int order(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

/* 0: of a gap, or of a block that is not there. */
static uint32_t insns_of(const struct wm_trace *trace, uint32_t id)
{
	struct wm_block block;

	return wm_trace_block(trace, id, &block) ? 0 : block.insns;
}

/* ---- pairs --------------------------------------------------------------- */

/*
 * A pair whose slot is not known yet: takes a free slot, or goes to the table. Not
 * inlined, to keep the hot loop small.
 */
__attribute__((noinline)) static int count_other(struct state *state, uint32_t from,
						 uint32_t to, uint64_t count,
						 struct wm_error *err)
{
	struct node *node = &state->nodes[from];

	for (unsigned i = 0; i < 2; i++) {
		if (!node->to[i]) {
			if (i == 0 && !APPEND(state->touched, state->n_touched, from))
				return no_memory(err);
			node->to[i] = to;
		}
		if (node->to[i] == to) {
			node->count[i] += count;
			return 0;
		}
	}
	return pair_counts_add(&state->others, from, to, EDGE_WHOLE, count) ?
		       0 :
		       no_memory(err);
}

/* Only whole pairs have slots. Interrupted ones are rare, and few blocks have any. */
static int count_pair(struct state *state, uint32_t from, uint32_t to, uint32_t left,
		      uint64_t count, struct wm_error *err)
{
	if (left == EDGE_WHOLE)
		return count_other(state, from, to, count, err);
	return pair_counts_add(&state->others, from, to, left, count) ? 0 :
									no_memory(err);
}

/*
 * The hot loop: pairs of ids[0..n-1], with nothing between them. Its slot is chosen
 * without a branch. Ids are never 0, so a free slot matches none.
 */
static int count_whole(struct state *state, const uint32_t *ids, size_t n,
		       struct wm_error *err)
{
	struct node *nodes = state->nodes;
	uint32_t from = ids[0];

	for (size_t i = 1; i < n; i++) {
		struct node *node = &nodes[from];
		uint32_t to = ids[i];
		unsigned slot = node->to[1] == to;

		if (__builtin_expect(node->to[slot] == to, 1)) {
			node->count[slot]++;
		} else {
			int ret = count_other(state, from, to, 1, err);

			if (ret)
				return ret;
		}
		from = to;
	}
	return 0;
}

/*
 * After how many instructions control was taken from the last block; EDGE_WHOLE if it ran
 * to its end. A signal after a whole block interrupted it, too: after all of its
 * instructions.
 */
static uint32_t left_after(const struct state *state, bool signalled)
{
	if (state->last_left != EDGE_WHOLE || !signalled)
		return state->last_left;
	return insns_of(state->trace, state->last);
}

/* ---- the walk ------------------------------------------------------------ */

static int begin(void *cookie, void *setup, const struct segment *segment,
		 struct wm_error *err)
{
	const struct edges_walk *walk = setup;
	struct state *state = cookie;
	struct wm_summary summary;

	wm_trace_summary(walk->trace, &summary);
	state->trace = walk->trace;
	state->space = segment->space;
	state->known = summary.known_blocks + 1;
	/* Read in the order in which blocks ran: huge pages spare most TLB misses. */
	state->nodes = huge_alloc((state->known + 1) * sizeof(*state->nodes));
	return state->nodes ? 0 : no_memory(err);
}

static int enter(struct state *state, const struct stretch *stretch, struct wm_error *err)
{
	if (state->last)
		return count_pair(state, state->last, stretch->ids[0],
				  left_after(state, state->signalled), 1, err);
	state->first = stretch->ids[0];
	state->first_index = stretch->skip;
	state->first_after = state->signalled;
	return 0;
}

static int blocks(void *cookie, const struct stretch *stretch, struct wm_error *err)
{
	struct state *state = cookie;
	struct wm_block block;
	int ret = enter(state, stretch, err);

	if (!ret)
		ret = count_whole(state, stretch->ids, stretch->n, err);
	state->signalled = false;
	state->last = stretch->ids[stretch->n - 1];
	state->last_left = EDGE_WHOLE;
	/* Only a stretch of one block may have been left early (analysis.h). */
	if (stretch->n == 1 && !wm_trace_block(state->trace, state->last, &block) &&
	    stretch->end < block.insns)
		state->last_left = stretch->end;
	return ret;
}

/* A gap takes part like a block: what comes of its pairs is decided at the end. */
static int gap(void *cookie, uint32_t id, uint64_t insn, struct wm_error *err)
{
	const struct state *state = cookie;

	if (!id)
		id = state->known;
	return blocks(cookie, &(struct stretch){ .ids = &id, .n = 1, .insn = insn }, err);
}

static int event(void *cookie, const struct wm_event *event, struct wm_error *err)
{
	struct state *state = cookie;

	(void)err;
	state->signalled |= event->kind == WM_EVENT_SIGNAL ||
			    event->kind == WM_EVENT_TRAP;
	return 0;
}

static int add_nodes(struct state *state, const struct state *next, struct wm_error *err)
{
	int ret = 0;

	for (size_t i = 0; !ret && i < next->n_touched; i++) {
		uint32_t from = next->touched[i];
		const struct node *node = &next->nodes[from];

		ret = count_other(state, from, node->to[0], node->count[0], err);
		if (!ret && node->to[1])
			ret = count_other(state, from, node->to[1], node->count[1], err);
	}
	return ret;
}

static int add_others(struct state *state, const struct state *next, struct wm_error *err)
{
	const struct pair *pair = NULL;
	int ret = 0;

	while (!ret && (pair = pair_counts_next(&next->others, pair)))
		ret = count_pair(state, pair->from, pair->to, pair->left, pair->count,
				 err);
	return ret;
}

static int append(void *cookie, void *next_cookie, struct wm_error *err)
{
	struct state *state = cookie;
	const struct state *next = next_cookie;
	int ret = add_nodes(state, next, err);

	if (!ret)
		ret = add_others(state, next, err);
	/*
	 * The pair across the border. A signal on either side of it came between the two
	 * blocks.
	 */
	if (!ret && next->first && state->last)
		ret = count_pair(state, state->last, next->first,
				 left_after(state, state->signalled || next->first_after),
				 1, err);
	/* Nothing ran in this part, so the next part's beginning is its own. */
	if (next->first && !state->last) {
		state->first = next->first;
		state->first_index = next->first_index;
		state->first_after = state->signalled || next->first_after;
	}
	if (next->first) {
		state->last = next->last;
		state->last_left = next->last_left;
		state->signalled = next->signalled;
	} else {
		state->signalled |= next->signalled;
	}
	return ret;
}

/* ---- its bytes ----------------------------------------------------------- */

/* All pairs, those with slots and the others; NULL: no memory. */
static struct pair *list_pairs(const struct state *state, size_t *n)
{
	/* Each node has at most two pairs. */
	struct pair *all =
		calloc(2 * state->n_touched + state->others.used + 1, sizeof(*all));
	const struct pair *pair = NULL;

	*n = 0;
	for (size_t i = 0; all && i < state->n_touched; i++) {
		uint32_t from = state->touched[i];
		const struct node *node = &state->nodes[from];

		for (unsigned slot = 0; slot < 2 && node->to[slot]; slot++)
			all[(*n)++] = (struct pair){ from, node->to[slot], EDGE_WHOLE,
						     node->count[slot] };
	}
	while (all && (pair = pair_counts_next(&state->others, pair)))
		all[(*n)++] = *pair;
	return all;
}

/* EDGE_WHOLE as 0, so that it is short. */
static void put_left(struct buf *out, uint32_t left)
{
	buf_put_varint(out, left == EDGE_WHOLE ? 0 : (uint64_t)left + 1);
}

static uint32_t get_left(const struct state *state, struct span *in, uint32_t id)
{
	uint64_t left = state_below(in, (uint64_t)insns_of(state->trace, id) + 1);

	return left ? (uint32_t)left - 1 : EDGE_WHOLE;
}

/*
 * The pairs by from, to, left; then how the state begins and ends. The slots are not
 * written: which successors have one depends on the order in which they came.
 */
static void put(void *cookie, struct buf *out)
{
	struct state *state = cookie;
	uint32_t before = 0;
	struct pair *pairs;
	size_t n;

	pairs = list_pairs(state, &n);
	out->failed |= !pairs;
	/* qsort() must not get NULL. */
	if (n)
		qsort(pairs, n, sizeof(*pairs), pair_compare);
	buf_put_varint(out, n);
	for (size_t i = 0; i < n; i++) {
		buf_put_varint(out, pairs[i].from - before);
		buf_put_varint(out, pairs[i].to);
		put_left(out, pairs[i].left);
		buf_put_varint(out, pairs[i].count);
		before = pairs[i].from;
	}
	free(pairs);
	buf_put_varint(out, state->first);
	buf_put_varint(out, state->first_index);
	buf_put_varint(out, state->first_after);
	buf_put_varint(out, state->last);
	put_left(out, state->last_left);
	buf_put_varint(out, state->signalled);
}

/*
 * Pairs ascend by `from`, which may repeat. Ids are never 0: 0 marks free slots and
 * cells.
 */
static int get_pair(struct state *state, struct span *in, uint32_t *from,
		    struct wm_error *err)
{
	uint32_t to, left;
	uint64_t count;

	*from += (uint32_t)state_below(in, state->known - *from);
	to = (uint32_t)state_below(in, state->known);
	left = get_left(state, in, *from);
	count = span_varint(in);
	in->failed |= !*from || !to;
	return in->failed ? 0 : count_pair(state, *from, to, left, count, err);
}

static int get(void *cookie, struct span *in, struct wm_error *err)
{
	struct state *state = cookie;
	uint32_t from = 0, insns;
	int ret = 0;

	for (uint64_t n = state_count(in); !ret && n && !in->failed; n--)
		ret = get_pair(state, in, &from, err);
	state->first = (uint32_t)state_below(in, state->known);
	insns = insns_of(state->trace, state->first);
	state->first_index = (uint32_t)state_below(in, insns ? insns - 1 : 0);
	state->first_after = state_bool(in);
	state->last = (uint32_t)state_below(in, state->known);
	state->last_left = get_left(state, in, state->last);
	state->signalled = state_bool(in);
	/* A state has both a first and a last block, or neither. */
	in->failed |= !state->first != !state->last;
	return ret;
}

static void end(void *cookie)
{
	struct state *state = cookie;

	if (state->nodes)
		huge_free(state->nodes, (state->known + 1) * sizeof(*state->nodes));
	free(state->touched);
	pair_counts_fini(&state->others);
}

/* ---- the result ---------------------------------------------------------- */

/* Comparing whole structs would include their padding and count. */
static int compare_edges(const void *a, const void *b)
{
	const struct edge *x = a, *y = b;
	int ret = order(x->space, y->space);

	if (!ret)
		ret = order(x->from, y->from);
	if (!ret)
		ret = order(x->to, y->to);
	return ret ? ret : order(x->left, y->left);
}

static int compare_ends(const void *a, const void *b)
{
	const struct edges_end *x = a, *y = b;
	int ret = order(x->space, y->space);

	if (!ret)
		ret = order(x->id, y->id);
	return ret ? ret : order(x->index, y->index);
}

static bool put_edge(struct edges *out, uint32_t space, const struct pair *pair)
{
	return APPEND(
		out->edges, out->n,
		((struct edge){ space, pair->from, pair->to, pair->left, pair->count }));
}

static bool put_edges(struct edges *out, const struct state *state)
{
	const struct pair *pair = NULL;
	bool good = true;

	for (size_t i = 0; good && i < state->n_touched; i++) {
		uint32_t from = state->touched[i];
		const struct node *node = &state->nodes[from];

		for (unsigned slot = 0; good && slot < 2 && node->to[slot]; slot++)
			good = put_edge(out, state->space,
					&(struct pair){ from, node->to[slot], EDGE_WHOLE,
							node->count[slot] });
	}
	while (good && (pair = pair_counts_next(&state->others, pair)))
		good = put_edge(out, state->space, pair);
	return good;
}

static bool is_gap(const struct wm_trace *trace, uint32_t id)
{
	return !insns_of(trace, id);
}

static bool put_start(struct edges *out, const struct wm_trace *trace,
		      const struct edges_end *start)
{
	return is_gap(trace, start->id) || APPEND(out->starts, out->n_starts, *start);
}

/* After `stop->index` instructions, or EDGE_WHOLE. */
static bool put_stop(struct edges *out, const struct wm_trace *trace,
		     struct edges_end stop)
{
	if (stop.index == EDGE_WHOLE)
		stop.index = insns_of(trace, stop.id);
	return is_gap(trace, stop.id) || APPEND(out->stops, out->n_stops, stop);
}

static bool put_ends(struct edges *out, const struct state *state)
{
	return !state->first ||
	       (put_start(out, state->trace,
			  &(struct edges_end){ state->space, state->first,
					       state->first_index, 1 }) &&
		put_stop(out, state->trace,
			 (struct edges_end){ state->space, state->last, state->last_left,
					     1 }));
}

/*
 * Edges from and to gaps become starts and stops. An edge between two gaps vanishes,
 * because put_stop() ignores a gap. Code after a gap begins at a block's first
 * instruction.
 */
static bool cut_at_gaps(struct edges *edges, const struct wm_trace *trace)
{
	size_t kept = 0;
	bool good = true;

	for (size_t i = 0; good && i < edges->n; i++) {
		const struct edge *edge = &edges->edges[i];
		bool from = is_gap(trace, edge->from), to = is_gap(trace, edge->to);

		if (to)
			good = put_stop(edges, trace,
					(struct edges_end){ edge->space, edge->from,
							    edge->left, edge->count });
		else if (from)
			good = put_start(edges, trace,
					 &(struct edges_end){ edge->space, edge->to, 0,
							      edge->count });
		else
			edges->edges[kept++] = *edge;
	}
	edges->n = kept;
	return good;
}

/*
 * Programs with thousands of short threads have mostly the same pairs in each. Equal ones
 * are summed up whenever the list has doubled, so it stays within twice its distinct
 * pairs.
 */
static void compact(struct edges_walk *walk)
{
	struct edges *edges = walk->edges;

	if (edges->n < walk->compact_at)
		return;
	SUM_UP(edges->edges, edges->n, compare_edges, count);
	walk->compact_at = 2 * edges->n + COMPACT_MIN;
}

static int take_stream(void *cookie, void *setup, unsigned stream, struct wm_error *err)
{
	struct edges_walk *walk = setup;
	const struct state *state = cookie;

	(void)stream;
	if (!put_edges(walk->edges, state) || !put_ends(walk->edges, state))
		return no_memory(err);
	compact(walk);
	return 0;
}

const struct analysis edges_analysis = {
	.name = "edges",
	.version = 1,
	.state_bytes = sizeof(struct state),
	.begin = begin,
	.blocks = blocks,
	.gap = gap,
	.event = event,
	.append = append,
	.put = put,
	.get = get,
	.stream = take_stream,
	.end = end,
};

void edges_begin(struct edges_walk *walk, struct edges *edges,
		 const struct wm_trace *trace)
{
	*edges = EDGES_INIT;
	*walk = (struct edges_walk){ trace, edges, COMPACT_MIN };
}

/*
 * Gaps are resolved at the end only: until then they are ids like others, and parts are
 * appended without a special case.
 */
int edges_finish(struct edges_walk *walk, struct wm_error *err)
{
	struct edges *edges = walk->edges;

	if (!cut_at_gaps(edges, walk->trace)) {
		edges_fini(edges);
		return no_memory(err);
	}
	SUM_UP(edges->edges, edges->n, compare_edges, count);
	SUM_UP(edges->starts, edges->n_starts, compare_ends, count);
	SUM_UP(edges->stops, edges->n_stops, compare_ends, count);
	return 0;
}

int edges_gather(struct edges *edges, const struct wm_trace *trace,
		 const struct selection *selection, struct wm_error *err)
{
	struct edges_walk walk;
	int ret;

	edges_begin(&walk, edges, trace);
	ret = analysis_run(&edges_analysis, &walk, trace, selection, err);
	if (!ret)
		return edges_finish(&walk, err);
	edges_fini(edges);
	return ret;
}

void edges_fini(struct edges *edges)
{
	free(edges->edges);
	free(edges->starts);
	free(edges->stops);
	*edges = EDGES_INIT;
}
