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
#include "base/error.h"
#include "kernel/kernel.h"

/* Fields of WM_EVENT_SIGNAL and WM_EVENT_TRAP: see format/events.def. */
enum { SIGNAL_PC = 2, TRAP_FROM = 1 };

struct setup {
	const struct sites *sites;
	const struct kernel *kernel;
	uint32_t most_contexts;
	/*
	 * Sums of all streams. Only stream() adds to them, one stream at a time, so they
	 * need no lock.
	 */
	struct callpart all; /* threads */
};

struct state {
	struct callpart part;
	const struct setup *setup;
	uint32_t space;
	const struct site *rows;
};

static int begin(void *cookie, void *setup_cookie, const struct segment *segment,
		 struct wm_error *err)
{
	struct state *state = cookie;

	state->setup = setup_cookie;
	state->space = segment->space;
	state->rows = sites_of(state->setup->sites, segment->space);
	/*
	 * Only the first segment of a stream starts with an empty stack. Every other part
	 * is open, and append() supplies the frames below it.
	 */
	return callpart_init(&state->part, sites_entities(state->setup->sites),
			     state->setup->most_contexts, segment->first, err);
}

/* A whole block needs no look at which of its instructions ran. */
static int blocks(void *cookie, const struct stretch *stretch, struct wm_error *err)
{
	struct state *state = cookie;
	const struct site *site = &state->rows[stretch->ids[0]];

	if (stretch->n > 1 || (!stretch->skip && stretch->end == site->insns))
		return callpart_blocks(&state->part, state->rows, stretch->ids,
				       stretch->n, stretch->insn, err);
	return callpart_piece(&state->part, state->rows, stretch->ids[0], stretch->skip,
			      stretch->end, stretch->insn, err);
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
	struct setup *setup = setup_cookie;
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

	callpart_put(&state->part, state->rows, out);
}

static int get_state(void *cookie, struct span *in, struct wm_error *err)
{
	struct state *state = cookie;

	/* The rows turn indexes in the bytes into the places where steps arrive. */
	return callpart_get(&state->part, state->rows, sites_last(state->setup->sites),
			    in, err);
}

static void end(void *cookie)
{
	struct state *state = cookie;

	callpart_fini(&state->part);
}

const struct analysis calls_analysis = {
	.name = "calls",
	.version = 1,
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

static int gather(struct calls *calls, struct setup *setup, const struct wm_trace *trace,
		  const struct selection *selection, struct wm_error *err)
{
	struct callpart *all = &setup->all;
	int ret = callpart_init(all, sites_entities(calls->sites), setup->most_contexts,
				true, err);

	if (!ret)
		ret = analysis_run(&calls_analysis, setup, trace, selection, err);
	/*
	 * While threads are added, folding waits until a tree has twice `most` nodes, so
	 * the result may still have too many.
	 */
	if (!ret && all->contexts.n > all->contexts.most && all->contexts.most) {
		uint32_t *moved = contexts_fold(&all->contexts, UINT32_MAX);

		ret = moved ? 0 : wm_fail_nomem(err, "calls");
		free(moved);
	}
	if (!ret)
		ret = list_functions(calls, all, err);
	if (!ret) {
		/* Moves ownership: callpart_fini() must not free them. */
		calls->arcs = all->arcs;
		calls->contexts = all->contexts;
		arcs_init(&all->arcs);
		contexts_init(&all->contexts, 0);
	}
	callpart_fini(all);
	return ret;
}

int calls_gather(struct calls *calls, const struct wm_trace *trace,
		 struct functions *functions, const struct selection *selection,
		 uint32_t most_contexts, struct wm_error *err)
{
	struct setup setup = {
		/*
		 * For a guest without known system calls this finds no name, and no
		 * return from a handler is seen there.
		 */
		.kernel = kernel_find(wm_trace_meta(trace, "guest-isa")),
		.most_contexts = most_contexts,
	};
	int ret;

	*calls = (struct calls){ .insns = 0 };
	ret = sites_new(&calls->sites, trace, functions, selection, err);
	if (ret)
		return ret;
	setup.sites = calls->sites;
	ret = gather(calls, &setup, trace, selection, err);
	if (ret)
		calls_fini(calls);
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
