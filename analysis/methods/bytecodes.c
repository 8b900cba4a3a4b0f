// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Counts bytecodes and edges while methods' frames are followed. What comes after a bytecode
 * is known by its frame: a call's next one is behind it, after all that the callee ran. So
 * edges are those of the method alone.
 *
 * Example, of "for x in gen(): f(x)": FOR_ITER runs gen's frame, STORE_FAST comes after it in
 * the frame of the loop, and the edge is FOR_ITER -> STORE_FAST.
 *
 * Threads are followed one after the other, so the order of first execution is that of threads
 * first.
 */
#include "analysis/methods/bytecodes.h"

#include <stdlib.h>

#include "analysis/calls/calltrace.h"
#include "analysis/methods/quiet.h"
#include "base/append.h"
#include "base/error.h"

/* ---- counting ------------------------------------------------------------ */

/* The number of an edge; 0: no memory. */
static uint32_t edge_at(struct bytecodes *bytecodes, uint32_t method, uint32_t from,
			uint32_t to)
{
	const uint32_t key[2] = { from, to };
	bool fresh;
	uint32_t number = intern(&bytecodes->index, method, (const uint8_t *)key,
				 sizeof(key), &fresh);

	if (fresh && number &&
	    !APPEND(bytecodes->edges, bytecodes->n_edges,
		    ((struct bytecode_edge){ method, from, to, .first = number })))
		return 0;
	return number;
}

static void pass_edge(struct bytecodes *bytecodes, uint32_t number, bool recovered)
{
	if (!number) {
		bytecodes->failed = true;
		return;
	}
	bytecodes->edges[number - 1].count += !recovered;
	bytecodes->edges[number - 1].recovered += recovered;
}

void bytecodes_edge(struct bytecodes *bytecodes, uint32_t method, uint32_t from,
		    uint32_t to, bool recovered)
{
	pass_edge(bytecodes, edge_at(bytecodes, method, from, to), recovered);
}

static struct bytecode *bytecode_at(struct bytecodes *bytecodes, uint32_t method,
				    uint32_t offset)
{
	struct bytecode **all = &bytecodes->ran[method];

	if (!*all)
		*all = calloc(bytecodes->methods->all[method]->bytes + 1, sizeof(**all));
	bytecodes->failed |= !*all;
	return *all ? &(*all)[offset] : NULL;
}

/* When it was. In a gap no instructions are recorded, so none are the bytecode's. */
static void stamp(struct bytecodes *bytecodes, struct bytecode *at,
		  const struct walk_step *step)
{
	if (!at->first) {
		at->first = ++bytecodes->order;
		at->first_insn = step->insn;
		at->first_thread = bytecodes->thread;
	}
	at->last_insn = step->insn;
	at->last_thread = bytecodes->thread;
	if (step->recovered)
		return;
	meter_read(&bytecodes->meter, step->insn);
	bytecodes->meter.sum = &at->insns;
}

void bytecodes_step(struct bytecodes *bytecodes, uint32_t method, uint32_t from,
		    const struct walk_step *step, bool crossing)
{
	struct bytecode *at = bytecode_at(bytecodes, method, step->offset);

	if (!at)
		return;
	stamp(bytecodes, at, step);
	at->executions += !step->recovered;
	at->recovered += step->recovered;
	/* Mostly it was reached from there the last time, too. */
	if (!at->edge || bytecodes->edges[at->edge - 1].from != from)
		at->edge = edge_at(bytecodes, method, from, step->offset);
	pass_edge(bytecodes, at->edge, crossing);
	if (unit_leaves(step->unit, step->offset))
		bytecodes_edge(bytecodes, method, step->offset, BYTECODE_EXIT,
			       step->recovered);
}

void bytecodes_called(struct bytecodes *bytecodes, uint32_t method)
{
	if (method)
		bytecodes->calls[method]++;
}

void bytecodes_compiled(struct bytecodes *bytecodes, uint32_t method,
			const struct walk_step *step)
{
	struct bytecode *at = bytecode_at(bytecodes, method, step->offset);

	if (!at || at->executions++ || at->first)
		return;
	at->first = ++bytecodes->order;
	at->first_insn = at->last_insn = step->insn;
	at->first_thread = at->last_thread = bytecodes->thread;
}

void bytecodes_lost(struct bytecodes *bytecodes, uint64_t insn)
{
	meter_read(&bytecodes->meter, insn);
	bytecodes->meter.sum = &bytecodes->runtime;
}

uint64_t bytecodes_count(const struct bytecodes *bytecodes, uint32_t method,
			 uint32_t from, uint32_t to)
{
	const uint32_t key[2] = { from, to };
	uint32_t number =
		intern_find(&bytecodes->index, method, (const uint8_t *)key, sizeof(key));

	return number ? bytecodes->edges[number - 1].count : 0;
}

uint64_t bytecodes_way(const struct bytecodes *bytecodes, uint32_t method, uint32_t from,
		       const struct unit_ways *ways, uint32_t way)
{
	uint64_t n = bytecodes_count(bytecodes, method, from, ways->to[way]);

	if (way < 2 && ways->also[way] != UINT32_MAX)
		n += bytecodes_count(bytecodes, method, from, ways->also[way]);
	return n;
}

/* ---- the threads --------------------------------------------------------- */

static bool more(void *cookie)
{
	const struct bytecodes *bytecodes = cookie;

	return !bytecodes->failed;
}

static int follow(struct bytecodes *bytecodes, struct calltrace *calltrace,
		  unsigned stream, struct wm_error *err)
{
	const struct wm_trace *trace = calltrace->trace;
	struct wm_error other;
	int ret = method_frames_new(&calltrace->frames,
				    sites_interpreted(bytecodes->sites), trace, stream,
				    calltrace->from, bytecodes, err);

	if (!ret && calltrace->recovers)
		ret = method_frames_recover(calltrace->frames, trace, err);
	if (!ret)
		ret = calltrace_run(calltrace, stream, err);
	method_frames_end(calltrace->frames, ret ? &other : err);
	if (!ret && bytecodes->failed)
		ret = wm_fail_nomem(err, "methods");
	return ret;
}

static int count_stream(struct bytecodes *bytecodes, struct calltrace *calltrace,
			const struct selection *selection, unsigned stream,
			struct wm_error *err)
{
	const struct units *units = &sites_interpreted(bytecodes->sites)->units;
	struct counts counts;
	struct wm_stream is;
	bool quiet;
	int ret = quiet_thread(&quiet, &counts, units, calltrace->trace, selection,
			       stream, err);

	bytecodes->thread = stream;
	bytecodes->meter.since = calltrace->from;
	bytecodes->meter.sum = &bytecodes->runtime;
	if (bytecodes->tallies)
		tallies_begin(bytecodes->tallies);
	if (!ret && !quiet)
		ret = follow(bytecodes, calltrace, stream, err);
	else if (!ret && bytecodes->tallies)
		ret = tallies_add(bytecodes->tallies, &counts, err);
	if (bytecodes->tallies)
		tallies_end(bytecodes->tallies, stream);
	if (!ret && !wm_trace_stream(calltrace->trace, stream, &is))
		meter_read(&bytecodes->meter, is.insns);
	counts_fini(&counts);
	return ret;
}

static int gather(struct bytecodes *bytecodes, struct tallies *tallies,
		  const struct wm_trace *trace, struct functions *functions,
		  const struct selection *selection, bool recovers, struct wm_error *err)
{
	struct calltrace calltrace = {
		.trace = trace,
		.from = selection->from,
		.to = selection->to,
		.more = more,
		.cookie = bytecodes,
		.excerpts = selection->excerpts,
		.recovers = recovers,
	};
	int ret;

	*bytecodes = (struct bytecodes){ .index = INTERNER_INIT, .tallies = tallies };
	bytecodes->meter.to = selection->to;
	/* Of a program without an interpreter the sites are not needed. */
	if (!notes_trace_any(trace))
		return 0;
	/* The threads are followed here, and once is enough. */
	ret = sites_new_native(&bytecodes->sites, trace, functions, selection, err);
	if (ret || !sites_interpreted(bytecodes->sites))
		return ret;
	calltrace.sites = bytecodes->sites;
	bytecodes->methods = &sites_interpreted(bytecodes->sites)->methods;
	bytecodes->ran = calloc(bytecodes->methods->n, sizeof(*bytecodes->ran));
	bytecodes->calls = calloc(bytecodes->methods->n, sizeof(*bytecodes->calls));
	if (!bytecodes->ran || !bytecodes->calls)
		return wm_fail_nomem(err, "methods");
	if (tallies)
		ret = tallies_init(tallies, bytecodes->methods, trace, functions,
				   selection, err);
	for (unsigned i = 0; !ret && i < selection->n; i++)
		ret = count_stream(bytecodes, &calltrace, selection,
				   selection->streams[i], err);
	if (!ret && tallies)
		ret = tallies_settle(tallies, err);
	return ret ? ret : sites_number_methods(bytecodes->sites, selection, err);
}

int bytecodes_gather(struct bytecodes *bytecodes, const struct wm_trace *trace,
		     struct functions *functions, const struct selection *selection,
		     bool recovers, struct wm_error *err)
{
	return gather(bytecodes, NULL, trace, functions, selection, recovers, err);
}

int bytecodes_and_tallies(struct bytecodes *bytecodes, struct tallies *tallies,
			  const struct wm_trace *trace, struct functions *functions,
			  const struct selection *selection, struct wm_error *err)
{
	*tallies = (struct tallies){ .index = NULL };
	return gather(bytecodes, tallies, trace, functions, selection, false, err);
}

void bytecodes_fini(struct bytecodes *bytecodes)
{
	for (uint32_t i = 0; bytecodes->ran && i < bytecodes->methods->n; i++)
		free(bytecodes->ran[i]);
	free(bytecodes->ran);
	free(bytecodes->calls);
	free(bytecodes->edges);
	interner_fini(&bytecodes->index);
	sites_free(bytecodes->sites);
	*bytecodes = (struct bytecodes){ .n_edges = 0 };
}
