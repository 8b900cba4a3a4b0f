// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Finds the fewest and the most iterations of each loop by a second walk, space by space.
 *
 * For each translation block it is computed beforehand at which loop headers its
 * instructions arrive, and from which basic block. Only for the block's first instruction
 * that depends on the walk: control comes from where the block before ended. The kind of
 * the edge decides whether an arrival is an entry or one more iteration
 * (loops_goes_on()).
 *
 * Example: a loop's header is block 3. The walk arrives there from 2 (outside), 4, 4, 2,
 * 4: two entries, with 3 and 2 iterations. So `entries` is 2, `iterations` is 5, `least`
 * is 2 and `most` is 3.
 *
 * Invariant of a state: `head` counts the iterations before the first entry of its part,
 * `at` those since the last one, which may continue in the next part. When the walk is
 * cut after the first two arrivals, the first part has `at` = 2, and the second part has
 * `head` = 1 and `at` = 2. At a gap all entries end; iterations after it, up to the next
 * entry, belong to no entry.
 */
#include "analysis/cfg/trips.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/analysis.h"
#include "analysis/cfg/iterations.h"
#include "analysis/cfg/recursion.h"
#include "analysis/statebytes.h"
#include "base/append.h"
#include "base/bisect.h"
#include "base/error.h"
#include "trace/trace.h"

/* Instruction `index` of a translation block is the header of a loop. */
struct arrival {
	uint32_t loop; /* CFG_NONE ends a list */
	uint32_t index;
	uint32_t from; /* the block of the instruction before it; at index 0 CFG_NONE */
};

/* What stays the same during the walk over one space. */
struct finding {
	const struct loops *loops;
	const struct cfg *cfg;
	const struct wm_trace *trace;
	uint32_t space;
	uint32_t *first; /* [known + 1] a block's list in arrivals[]; 0: none */
	uint32_t *last; /* [known + 1] the basic block it ends in, plus 1; CFG_NONE: in none */
	struct arrival *arrivals; /* [n_arrivals], the first is unused */
	uint32_t n_arrivals;
	uint32_t *headers;	/* [cfg->n] the loop of a header, plus 1 */
	struct iterations *all; /* [loops->n] of all threads */
};

struct state {
	const struct finding *finding;
	struct iterations *counts; /* [loops->n] */
	uint32_t before;	   /* the basic block that ran last, or CFG_NONE */
	bool left;		   /* the translation block that ran last was left ... */
	uint64_t next;		   /* ... before the instruction at this address */
	bool elsewhere;		   /* in another space: nothing counts */
	bool begun, interrupted;
	bool after_gap; /* nothing came since the last gap */
	uint64_t gaps;
	uint32_t first; /* loop at whose header the part began, as nobody knows how; or NONE */
	bool first_after; /* a signal came before its first block */
};

static int no_memory(struct wm_error *err)
{
	return wm_fail_nomem(err, "counting iterations");
}

/* ---- arrivals ------------------------------------------------------------ */

/*
 * The basic block that contains an address of a space. Where code was replaced there are
 * several; the last one is taken.
 */
static uint32_t block_at(const struct finding *finding, uint64_t address)
{
	const struct cfg_block *blocks = finding->cfg->blocks;
	uint32_t space = finding->space;
	size_t n = BISECT(finding->cfg->n, i,
			  blocks[i].space < space || (blocks[i].space == space &&
						      blocks[i].address <= address));

	return n && blocks[n - 1].space == space &&
			       address - blocks[n - 1].address < blocks[n - 1].bytes ?
		       (uint32_t)n - 1 :
		       CFG_NONE;
}

static bool add_arrival(struct finding *finding, uint32_t id, struct arrival arrival)
{
	if (!finding->first[id])
		finding->first[id] = finding->n_arrivals;
	return APPEND(finding->arrivals, finding->n_arrivals, arrival);
}

/* Lists the headers that block `id` arrives at, once. */
static bool add_block(struct finding *finding, uint32_t id)
{
	uint32_t before = CFG_NONE;
	struct wm_block block;
	uint64_t address;

	if (finding->last[id] || wm_trace_block(finding->trace, id, &block))
		return true;
	address = block.address;
	for (uint32_t i = 0; i < block.insns; i++) {
		uint32_t at = block_at(finding, address);
		/* The instruction leads its basic block, and that block is the header. */
		uint32_t loop = at == CFG_NONE ? 0 : finding->headers[at];

		if (loop && finding->cfg->blocks[at].address == address &&
		    !add_arrival(finding, id, (struct arrival){ loop - 1, i, before }))
			return false;
		before = at;
		address += block.sizes[i];
	}
	/* A block without code still gets an entry, so that it is not looked up again. */
	finding->last[id] = before == CFG_NONE ? before : before + 1;
	return !finding->first[id] ||
	       add_arrival(finding, id, (struct arrival){ .loop = CFG_NONE });
}

/* ---- counting ------------------------------------------------------------ */

/* Edges of a block ascend by where they go. Interruptions come from nowhere: no edge. */
static const struct cfg_edge *find_edge(const struct cfg *cfg, uint32_t from, uint32_t to)
{
	const struct cfg_block *block = &cfg->blocks[from];
	const struct cfg_edge *edges = &cfg->edges[block->first_edge];
	size_t at = BISECT(block->edges, i, edges[i].to < to);

	return at < block->edges && edges[at].to == to &&
			       edges[at].kind != CFG_INTERRUPTED ?
		       &edges[at] :
		       NULL;
}

static void arrive(struct state *state, uint32_t loop, uint32_t from)
{
	const struct finding *finding = state->finding;
	const struct cfg_edge *edge =
		from == CFG_NONE ?
			NULL :
			find_edge(finding->cfg, from, finding->loops->loops[loop].header);

	/*
	 * Nothing is known of what ran in a gap, so the first arrival after it is an
	 * entry. Without an edge it is an iteration: a signal's handler has returned to
	 * the header.
	 */
	if (state->after_gap || (edge && !loops_goes_on(finding->loops, loop, edge)))
		iterations_enter(&state->counts[loop], state->gaps);
	else
		iterations_add_one(&state->counts[loop], state->gaps);
}

/*
 * The basic block from which control arrives at a loop, whose header begins a translation block.
 * What comes behind one that was left early interrupts it, unless it is the next instruction.
 */
static uint32_t came_from(const struct state *state, uint32_t loop, bool interrupted)
{
	const struct finding *finding = state->finding;
	uint32_t header = finding->loops->loops[loop].header;

	if (interrupted ||
	    (state->left && state->next != finding->cfg->blocks[header].address))
		return CFG_NONE;
	return state->before;
}

/* Instructions skip <= index < end of block `id`, which came after `before`. */
static void pass(struct state *state, uint32_t id, uint32_t skip, uint32_t end)
{
	const struct finding *finding = state->finding;
	const struct arrival *arrival = &finding->arrivals[finding->first[id]];

	for (; arrival->loop != CFG_NONE && arrival->index < end; arrival++) {
		if (arrival->index < skip)
			continue;
		/*
		 * Between two instructions of a block the edge is known without the walk.
		 */
		if (arrival->index > skip) {
			state->after_gap = false;
			arrive(state, arrival->loop, arrival->from);
		} else if (state->begun)
			arrive(state, arrival->loop,
			       came_from(state, arrival->loop, state->interrupted));
		else
			/*
			 * A part that begins at a header: append() knows where control
			 * came from.
			 */
			state->first = arrival->loop;
	}
}

/* ---- the walk ------------------------------------------------------------ */

static int begin(void *cookie, void *setup, const struct segment *segment,
		 struct wm_error *err)
{
	struct state *state = cookie;

	state->finding = setup;
	state->elsewhere = segment->space != state->finding->space;
	state->before = state->first = CFG_NONE;
	state->counts =
		calloc((size_t)state->finding->loops->n + 1, sizeof(*state->counts));
	return state->counts ? 0 : no_memory(err);
}

static void take_block(struct state *state, uint32_t id, uint32_t skip, uint32_t end)
{
	uint32_t last = state->finding->last[id];

	if (state->finding->first[id])
		pass(state, id, skip, end);
	state->before = last == CFG_NONE ? last : last - 1;
	state->begun = true;
	state->left = state->interrupted = state->after_gap = false;
}

/* The block that ran last was left before its instruction `end`. */
static void leave_early(struct state *state, const struct wm_block *block, uint32_t end)
{
	uint64_t address = block->address, last = address;

	for (uint32_t i = 0; i < end; i++) {
		last = address;
		address += block->sizes[i];
	}
	state->before = end ? block_at(state->finding, last) : CFG_NONE;
	state->left = true;
	state->next = address;
}

static int blocks(void *cookie, const struct stretch *stretch, struct wm_error *err)
{
	struct state *state = cookie;
	struct wm_block block;

	(void)err;
	if (state->elsewhere)
		return 0;
	/*
	 * Events come before the next stretch, so a signal before the part's first block
	 * is known here.
	 */
	if (!state->begun)
		state->first_after = state->interrupted;
	if (stretch->n > 1) {
		for (size_t i = 0; i < stretch->n; i++)
			take_block(state, stretch->ids[i], 0, UINT32_MAX);
		return 0;
	}
	take_block(state, *stretch->ids, stretch->skip, stretch->end);
	if (!wm_trace_block(state->finding->trace, *stretch->ids, &block) &&
	    stretch->end < block.insns)
		leave_early(state, &block, stretch->end);
	return 0;
}

static int gap(void *cookie, uint32_t id, uint64_t insn, struct wm_error *err)
{
	struct state *state = cookie;

	(void)id;
	(void)insn;
	(void)err;
	state->before = CFG_NONE;
	state->begun = state->after_gap = true;
	state->left = state->interrupted = false;
	state->gaps++;
	return 0;
}

static int event(void *cookie, const struct wm_event *event, struct wm_error *err)
{
	struct state *state = cookie;

	(void)err;
	state->interrupted |= event->kind == WM_EVENT_SIGNAL ||
			      event->kind == WM_EVENT_TRAP;
	return 0;
}

static int append(void *cookie, void *next_cookie, struct wm_error *err)
{
	struct state *state = cookie;
	const struct state *next = next_cookie;

	(void)err;
	/* Only a signal happened in the next part, or nothing at all. */
	if (!next->begun) {
		state->interrupted |= next->interrupted;
		return 0;
	}
	/* The arrival that the next part could not judge comes before all else in it. */
	if (next->first != CFG_NONE && state->begun)
		arrive(state, next->first,
		       came_from(state, next->first,
				 state->interrupted || next->first_after));
	else if (next->first != CFG_NONE)
		state->first = next->first;
	for (uint32_t i = 0; i < state->finding->loops->n; i++)
		iterations_append(&state->counts[i], &next->counts[i], state->gaps);
	state->begun = true;
	state->before = next->before;
	state->left = next->left;
	state->next = next->next;
	state->interrupted = next->interrupted;
	state->after_gap = next->after_gap;
	state->gaps += next->gaps;
	return 0;
}

/*
 * A thread that begins at a header enters the loop there, before all its other entries.
 * Its open entries end with it.
 */
static int take_stream(void *cookie, void *setup, unsigned stream, struct wm_error *err)
{
	struct state *state = cookie;
	struct finding *finding = setup;

	(void)stream;
	(void)err;
	for (uint32_t i = 0; i < finding->loops->n; i++) {
		struct iterations *count = &state->counts[i], *all = &finding->all[i];
		struct iterations whole = { .head = 0 };

		if (i == state->first)
			iterations_enter(&whole, 0);
		iterations_append(&whole, count, 0);
		iterations_add_thread(all, &whole);
	}
	return 0;
}

/* ---- its bytes ----------------------------------------------------------- */

/* Loops without iterations take no bytes. */
static void put_counts(const struct state *state, struct buf *out)
{
	uint32_t n = 0, next = 0;

	for (uint32_t i = 0; i < state->finding->loops->n; i++)
		n += iterations_any(&state->counts[i]);
	buf_put_varint(out, n);
	for (uint32_t i = 0; i < state->finding->loops->n; i++) {
		const struct iterations *count = &state->counts[i];

		if (!iterations_any(count))
			continue;
		buf_put_varint(out, i - next + 1);
		iterations_put(count, out);
		next = i + 1;
	}
}

/* CFG_NONE as 0. */
static void put_index(struct buf *out, uint32_t index)
{
	buf_put_varint(out, index == CFG_NONE ? 0 : (uint64_t)index + 1);
}

static uint32_t get_index(struct span *in, uint32_t n)
{
	uint64_t index = state_below(in, n);

	return index ? (uint32_t)index - 1 : CFG_NONE;
}

static void put(void *cookie, struct buf *out)
{
	const struct state *state = cookie;

	put_counts(state, out);
	put_index(out, state->before);
	buf_put_varint(out, state->left);
	buf_put_varint(out, state->left ? state->next : 0);
	put_index(out, state->first);
	buf_put_varint(out, state->begun);
	buf_put_varint(out, state->interrupted);
	buf_put_varint(out, state->after_gap);
	buf_put_varint(out, state->first_after);
	buf_put_varint(out, state->gaps);
}

static int get(void *cookie, struct span *in, struct wm_error *err)
{
	struct state *state = cookie;
	uint32_t loops = state->finding->loops->n, at = 0;

	(void)err;
	/* Keys are numbers of loops plus 1, so that a step of 0 is malformed. */
	for (uint64_t n = state_count(in); n && state_next(in, &at, loops); n--)
		iterations_get(&state->counts[at - 1], in);
	state->before = get_index(in, state->finding->cfg->n);
	state->left = state_bool(in);
	state->next = span_varint(in);
	state->first = get_index(in, loops);
	state->begun = state_bool(in);
	state->interrupted = state_bool(in);
	state->after_gap = state_bool(in);
	state->first_after = state_bool(in);
	state->gaps = span_varint(in);
	return 0;
}

static void end(void *cookie)
{
	struct state *state = cookie;

	free(state->counts);
}

const struct analysis trips_analysis = {
	.name = "trips",
	.version = 2,
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

/* ---- the whole ----------------------------------------------------------- */

/* Whether a stream was in the space at any time. */
static bool is_in_space(const struct finding *finding, unsigned index)
{
	const struct trace_stream *stream = &finding->trace->streams[index];

	for (uint32_t i = 0; i < stream->chunk_count; i++)
		if (trace_chunk_space(finding->trace,
				      &finding->trace->chunks[stream->chunks[i]]) ==
		    finding->space)
			return true;
	return false;
}

static int walk_space(struct finding *finding, const struct selection *all,
		      struct wm_error *err)
{
	struct selection selection = *all;
	unsigned *streams = calloc((size_t)all->n + 1, sizeof(*streams));
	int ret;

	if (!streams)
		return no_memory(err);
	selection.streams = streams;
	selection.n = 0;
	for (unsigned i = 0; i < all->n; i++)
		if (is_in_space(finding, all->streams[i]))
			streams[selection.n++] = all->streams[i];
	ret = analysis_run(&trips_analysis, finding, finding->trace, &selection, err);
	free(streams);
	return ret;
}

/*
 * Lists the arrivals of a space's blocks, from edge `at` on; moves `at` to the next
 * space. Every block that ran is an end of an edge, or alone in its thread.
 */
static bool add_blocks(struct finding *finding, const struct edges *edges, size_t *at)
{
	bool good = true;

	for (; *at < edges->n && edges->edges[*at].space == finding->space; ++*at)
		good = good && add_block(finding, edges->edges[*at].from) &&
		       add_block(finding, edges->edges[*at].to);
	for (size_t i = 0; good && i < edges->n_starts; i++)
		if (edges->starts[i].space == finding->space)
			good = add_block(finding, edges->starts[i].id);
	return good;
}

static int find_all(struct finding *finding, const struct edges *edges, uint32_t known,
		    const struct selection *selection, struct wm_error *err)
{
	int ret = 0;

	/*
	 * Edges are sorted by space. The tables are those of one space at a time, because
	 * a block id may stand for other code in another.
	 */
	for (size_t at = 0; !ret && at < edges->n;) {
		finding->space = edges->edges[at].space;
		memset(finding->first, 0, ((size_t)known + 1) * sizeof(uint32_t));
		memset(finding->last, 0, ((size_t)known + 1) * sizeof(uint32_t));
		finding->n_arrivals = 0;
		if (!APPEND(finding->arrivals, finding->n_arrivals,
			    ((struct arrival){ .loop = CFG_NONE })) ||
		    !add_blocks(finding, edges, &at))
			return no_memory(err);
		ret = walk_space(finding, selection, err);
	}
	return ret;
}

static void judge(struct trips *trips, const struct finding *finding, const bool *nested)
{
	const struct loops *loops = finding->loops;

	for (uint32_t i = 0; i < loops->n; i++) {
		const struct iterations *count = &finding->all[i];
		const struct loop *loop = &loops->loops[i];

		/*
		 * The second walk must find the entries and iterations that the graph
		 * has. It does not where code was replaced at the same address, and there
		 * nothing is reported.
		 */
		trips[i] = (struct trips){
			.known = count->entries && count->entries == loop->entries &&
				 count->iterations == loop->iterations && !nested[i],
			.least = count->least,
			.most = count->most,
		};
	}
}

int trips_find(struct trips *trips, const struct loops *loops, const struct cfg *cfg,
	       const struct edges *edges, const struct functions *functions,
	       const struct wm_trace *trace, const struct selection *selection,
	       struct wm_error *err)
{
	struct finding finding = { .loops = loops, .cfg = cfg, .trace = trace };
	bool *nested = calloc((size_t)loops->n + 1, sizeof(*nested));
	struct wm_summary summary;
	int ret = 0;

	wm_trace_summary(trace, &summary);
	finding.first = calloc((size_t)summary.known_blocks + 1, sizeof(uint32_t));
	finding.last = calloc((size_t)summary.known_blocks + 1, sizeof(uint32_t));
	finding.headers = calloc((size_t)cfg->n + 1, sizeof(uint32_t));
	finding.all = calloc((size_t)loops->n + 1, sizeof(*finding.all));
	if (!nested || !finding.first || !finding.last || !finding.headers ||
	    !finding.all || !recursion_find_loops(nested, loops, cfg, functions))
		ret = no_memory(err);
	for (uint32_t i = 0; !ret && i < loops->n; i++)
		finding.headers[loops->loops[i].header] = i + 1;
	if (!ret)
		ret = find_all(&finding, edges, summary.known_blocks, selection, err);
	if (!ret)
		judge(trips, &finding, nested);
	free(nested);
	free(finding.first);
	free(finding.last);
	free(finding.headers);
	free(finding.all);
	free(finding.arrivals);
	return ret;
}
