// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Walks the threads, and sums up what their parts found.
 *
 * A state holds the accounts of one segment (callpart.c). Segments of a stream are
 * appended to one part; when the stream is complete, its open calls are ended and the
 * part is joined to `all`. A call never spans two streams, so joining needs no stack.
 *
 * Example: thread 1 calls f 3 times, thread 2 twice. Each part has an arc to f; `all` has
 * one arc with 5 calls.
 *
 * Invariant: a stream that moves to another space is a new part there (see `across` in
 * analysis.h), because addresses have other meanings in another space.
 */
#include "analysis/calls/calls.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/analysis.h"
#include "analysis/calls/callpart.h"
#include "analysis/calls/interpreted.h"
#include "base/error.h"
#include "kernel/kernel.h"

/* Fields of WM_EVENT_SIGNAL and WM_EVENT_TRAP: see format/events.def. */
enum { SIGNAL_PC = 2, TRAP_FROM = 1 };

struct calls_walk {
	struct analysis analysis;
	struct sites *sites;
	const struct kernel *kernel;
	uint32_t most_contexts;
	bool by_place; /* see struct callpart */
	/*
	 * Sums of all streams. Only stream() adds to them, one stream at a time, so they
	 * need no lock.
	 */
	struct callpart all; /* threads */
};

struct state {
	struct callpart part;
	const struct calls_walk *setup;
	unsigned stream;
	uint32_t space;
	const struct site_table *table;
	bool has_changes; /* those of methods, from where the state begins */
	struct method_changes changes;
};

static int begin(void *cookie, void *setup_cookie, const struct segment *segment,
		 struct wm_error *err)
{
	struct state *state = cookie;
	int ret;

	state->setup = setup_cookie;
	state->stream = segment->stream;
	state->space = segment->space;
	state->table = sites_table(state->setup->sites, segment->space);
	/*
	 * Only the first segment of a stream starts with an empty stack. Every other part
	 * is open, and append() supplies the frames below it.
	 */
	ret = callpart_init(&state->part, sites_entities(state->setup->sites),
			    state->setup->most_contexts, segment->first, err);
	state->part.stack.strands = sites_strands(state->setup->sites);
	state->part.by_place = state->setup->by_place;
	state->part.space = segment->space;
	state->part.hidden = sites_hidden(state->setup->sites);
	return ret;
}

/* Whether it is a block of which not all ran, which comes alone; others need no such look. */
static bool is_piece(const struct state *state, const struct stretch *stretch)
{
	const struct site *site = &state->table->rows[stretch->ids[0]];

	return stretch->n == 1 && (stretch->skip || stretch->end != site->insns);
}

static int add_piece(struct state *state, const struct stretch *stretch,
		     struct wm_error *err)
{
	uint64_t end = stretch->insn + (stretch->end - stretch->skip);
	int ret = callpart_piece(&state->part, state->table->rows, stretch->ids[0],
				 stretch->skip, stretch->end, stretch->insn, err);

	while (!ret && state->changes.insn < end)
		ret = callpart_change(&state->part, &state->changes, err);
	return ret;
}

static int blocks(void *cookie, const struct stretch *stretch, struct wm_error *err)
{
	struct state *state = cookie;

	if (!state->has_changes)
		state->changes = method_changes_of(sites_interpreted(state->setup->sites),
						   state->stream, stretch->insn);
	state->has_changes = true;
	if (is_piece(state, stretch))
		return add_piece(state, stretch, err);
	if (state->changes.insn == UINT64_MAX)
		return callpart_blocks(&state->part, state->table, stretch->ids,
				       stretch->n, stretch->insn, err);
	return callpart_blocks_changing(&state->part, state->table, stretch->ids,
					stretch->n, stretch->insn, &state->changes, err);
}

/*
 * The return of a signal's handler is a system call, whose name depends on the guest; that of
 * a trap's an instruction.
 */
bool calls_is_return(const struct kernel *kernel, const struct wm_event *event)
{
	const struct call *call = event->kind == WM_EVENT_SYSCALL && event->n_fields ?
					  kernel_call(kernel, event->fields[0]) :
					  NULL;

	if (event->kind == WM_EVENT_TRAP_RETURN)
		return true;
	return call &&
	       (!strcmp(call->name, "rt_sigreturn") || !strcmp(call->name, "sigreturn"));
}

/*
 * The field is the address where the program continues after the handler, or, after the call
 * of a kernel, in front of it. The handler itself is whatever block comes next.
 */
bool calls_is_signal(const struct wm_event *event, uint64_t *pc)
{
	unsigned at = event->kind == WM_EVENT_TRAP ? TRAP_FROM : SIGNAL_PC;

	if ((event->kind != WM_EVENT_SIGNAL && event->kind != WM_EVENT_TRAP) ||
	    event->n_fields <= at)
		return false;
	*pc = event->fields[at];
	return true;
}

static int gap(void *cookie, uint32_t id, uint64_t insn, struct wm_error *err)
{
	struct state *state = cookie;

	(void)id;
	(void)err;
	callpart_gap(&state->part, insn);
	return 0;
}

static int event(void *cookie, const struct wm_event *event, struct wm_error *err)
{
	struct state *state = cookie;
	uint64_t pc;

	/*
	 * A signal may arrive at the same place as the return from another: the return
	 * comes first.
	 */
	if (calls_is_return(state->setup->kernel, event))
		callpart_return_from_signal(&state->part, event->insn_ordinal);
	if (!calls_is_signal(event, &pc))
		return 0;
	return callpart_signal(&state->part,
			       sites_at(state->setup->sites, state->space, pc),
			       event->insn_ordinal, err);
}

static int append(void *cookie, void *next_cookie, struct wm_error *err)
{
	struct state *state = cookie, *next = next_cookie;

	return callpart_append(&state->part, &next->part, err);
}

static int stream(void *cookie, void *setup_cookie, unsigned index, struct wm_error *err)
{
	struct state *state = cookie;
	struct calls_walk *setup = setup_cookie;
	/*
	 * Calls that are still on the stack have not returned inside the selection; they
	 * are counted as open.
	 */
	int ret = callpart_end(&state->part, err);

	(void)index;
	return ret ? ret : callpart_join(&setup->all, &state->part, err);
}

static void put_state(void *cookie, struct buf *out)
{
	struct state *state = cookie;

	callpart_put(&state->part, state->table->rows, out);
}

static int get_state(void *cookie, struct span *in, struct wm_error *err)
{
	struct state *state = cookie;

	/* The rows turn indexes in the bytes into the places where steps arrive. */
	return callpart_get(&state->part, state->table->rows,
			    sites_last(state->setup->sites), in, err);
}

static void end(void *cookie)
{
	struct state *state = cookie;

	callpart_fini(&state->part);
}

static const struct analysis calls_analysis = {
	.name = "calls",
	.version = 3,
	.state_bytes = sizeof(struct state),
	.begin = begin,
	.blocks = blocks,
	.gap = gap,
	.event = event,
	.append = append,
	.put = put_state,
	.get = get_state,
	.stream = stream,
	.end = end,
};

/* ---- the result ---------------------------------------------------------- */

/* The calls of each entity: the sum of all arcs to it. */
static struct arc *sum_calls(const struct callpart *all)
{
	struct arc *sums = calloc((size_t)all->n_entities + 1, sizeof(*sums));

	for (uint32_t i = 0; sums && i <= all->n_entities; i++)
		sums[i].least = UINT64_MAX;
	for (uint32_t i = 1; sums && i < all->arcs.n; i++)
		arc_join(&sums[all->arcs.all[i].callee], &all->arcs.all[i]);
	return sums;
}

static int list_functions(struct calls *calls, const struct callpart *all,
			  struct wm_error *err)
{
	struct arc *sums = sum_calls(all);

	calls->functions = calloc((size_t)all->n_entities + 1, sizeof(*calls->functions));
	if (!sums || !calls->functions) {
		free(sums);
		return wm_fail_nomem(err, "calls");
	}
	for (uint32_t i = 0; i <= all->n_entities; i++) {
		const struct arc *sum = &sums[i];

		calls->insns += all->self[i];
		/*
		 * Without symbols, the number of a whole file is an entity too, although
		 * all of its code may belong to called parts of it. Such entities are
		 * left out.
		 */
		if (!all->self[i] && !all->total[i] && !sum->calls)
			continue;
		calls->functions[calls->n_functions++] = (struct calls_function){
			.entity = i,
			.self_insns = all->self[i],
			.total_insns = all->total[i],
			.calls = sum->calls,
			.open = sum->open,
			.insns = sum->insns,
			/* Without a completed call `least` is UINT64_MAX. */
			.least = sum->calls > sum->open ? sum->least : 0,
			.most = sum->most,
		};
	}
	free(sums);
	return 0;
}

/* On failure the sites are the caller's, else the walk's. */
static int new_walk(struct calls_walk **out, struct sites *sites,
		    const struct wm_trace *trace, uint32_t most_contexts,
		    struct wm_error *err)
{
	struct calls_walk *walk = calloc(1, sizeof(*walk));
	int ret;

	*out = NULL;
	if (!walk)
		return wm_fail_nomem(err, "calls");
	/*
	 * For a guest without known system calls this finds no name, and no return from a
	 * handler is seen there.
	 */
	walk->kernel = kernel_find(wm_trace_meta(trace, "guest-isa"));
	walk->most_contexts = most_contexts;
	/* Methods' frames depend on those of native code, which only the stream's start has. */
	walk->analysis = calls_analysis;
	walk->analysis.whole = sites_interpreted(sites);
	if (sites_hidden(sites))
		walk->analysis.name = "methods";
	ret = callpart_init(&walk->all, sites_entities(sites), most_contexts, true, err);
	if (ret) {
		calls_drop(walk);
		return ret;
	}
	walk->sites = sites;
	*out = walk;
	return 0;
}

int calls_begin_at(struct calls_walk **out, struct sites *sites,
		   const struct wm_trace *trace, uint32_t most_contexts,
		   struct wm_error *err)
{
	int ret = new_walk(out, sites, trace, most_contexts, err);

	if (ret)
		sites_free(sites);
	return ret;
}

int calls_begin(struct calls_walk **out, const struct wm_trace *trace,
		struct functions *functions, const struct selection *selection,
		uint32_t most_contexts, struct wm_error *err)
{
	struct sites *sites;
	int ret = sites_new(&sites, trace, functions, selection, err);

	*out = NULL;
	return ret ? ret : calls_begin_at(out, sites, trace, most_contexts, err);
}

const struct analysis *calls_walk_analysis(const struct calls_walk *walk)
{
	return &walk->analysis;
}

void calls_drop(struct calls_walk *walk)
{
	if (!walk)
		return;
	callpart_fini(&walk->all);
	sites_free(walk->sites);
	free(walk);
}

int calls_finish(struct calls_walk *walk, struct calls *calls, struct wm_error *err)
{
	struct callpart *all = &walk->all;
	int ret = 0;

	*calls = (struct calls){ .sites = walk->sites };
	/*
	 * While threads are added, folding waits until a tree has twice `most` nodes, so
	 * the result may still have too many.
	 */
	if (all->contexts.n > all->contexts.most && all->contexts.most) {
		uint32_t *moved = contexts_fold(&all->contexts, UINT32_MAX);

		ret = moved ? 0 : wm_fail_nomem(err, "calls");
		free(moved);
	}
	if (!ret)
		ret = list_functions(calls, all, err);
	/* Moves ownership: calls_drop() must not free them. */
	walk->sites = NULL;
	calls->arcs = all->arcs;
	calls->contexts = all->contexts;
	arcs_init(&all->arcs);
	contexts_init(&all->contexts, 0);
	calls_drop(walk);
	if (ret)
		calls_fini(calls);
	return ret;
}

static int run(struct calls_walk *walk, struct calls *calls, const struct wm_trace *trace,
	       const struct selection *selection, struct wm_error *err)
{
	int ret = analysis_run(&walk->analysis, walk, trace, selection, err);

	if (!ret)
		return calls_finish(walk, calls, err);
	calls_drop(walk);
	return ret;
}

int calls_gather(struct calls *calls, const struct wm_trace *trace,
		 struct functions *functions, const struct selection *selection,
		 uint32_t most_contexts, struct wm_error *err)
{
	struct calls_walk *walk;
	int ret = calls_begin(&walk, trace, functions, selection, most_contexts, err);

	*calls = (struct calls){ .insns = 0 };
	return ret ? ret : run(walk, calls, trace, selection, err);
}

int calls_gather_at(struct calls *calls, struct sites *sites,
		    const struct wm_trace *trace, const struct selection *selection,
		    uint32_t most_contexts, struct wm_error *err)
{
	struct calls_walk *walk;
	int ret = calls_begin_at(&walk, sites, trace, most_contexts, err);

	*calls = (struct calls){ .insns = 0 };
	return ret ? ret : run(walk, calls, trace, selection, err);
}

int calls_gather_places(struct arcs *arcs, struct sites *sites,
			const struct wm_trace *trace, const struct selection *selection,
			struct wm_error *err)
{
	struct calls_walk *walk;
	int ret = new_walk(&walk, sites, trace, 0, err);

	arcs_init(arcs);
	if (ret)
		return ret;
	walk->analysis.name = "callsites";
	walk->by_place = true;
	ret = analysis_run(&walk->analysis, walk, trace, selection, err);
	if (!ret) {
		*arcs = walk->all.arcs;
		arcs_init(&walk->all.arcs);
	}
	/* They stay the caller's. */
	walk->sites = NULL;
	calls_drop(walk);
	return ret;
}

void calls_fini(struct calls *calls)
{
	free(calls->functions);
	arcs_fini(&calls->arcs);
	contexts_fini(&calls->contexts);
	sites_free(calls->sites);
	*calls = (struct calls){ .insns = 0 };
}
