// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The instructions from the block in which a bytecode is fetched to that of the next one
 * are the bytecode's: its handler, and what the runtime did for it, native code included.
 * Compiled code is of the bytecode that its compiler says it is of. What a thread executed
 * before its first bytecode is the runtime's. So the sums are all instructions that ran.
 *
 *	block 70	fetch of fib+2		71: LOAD_FAST at fib+2 has 71 - 70 = 1 block
 *	block 71	fetch of fib+4
 *
 * What optimising compilers made has no bytecodes that were executed one after the other, so
 * it counts with its instructions only.
 */
#include "analysis/methods/tallies.h"

#include <stdlib.h>

#include "base/error.h"
#include "managed/walk.h"

uint64_t code_tally_insns(const struct code_tally *tally)
{
	uint64_t insns = 0;

	for (unsigned i = 0; i < TALLY_TIERS; i++)
		insns += tally->insns[i];
	return insns;
}

bool code_tally_ran(const struct code_tally *tally)
{
	return tally->executions || code_tally_insns(tally);
}

void code_tally_add(struct code_tally *to, const struct code_tally *tally)
{
	for (unsigned i = 0; i < TALLY_TIERS; i++)
		to->insns[i] += tally->insns[i];
}

/* ---- counting ------------------------------------------------------------ */

/* Of a method that runs; NULL: no memory. */
static struct method_tally *method_of(struct tallies *tallies, const struct unit *unit)
{
	uint32_t number = methods_number(&tallies->index, unit);
	struct method_tally *method = &tallies->methods[number];

	if (!method->at) {
		method->unit = tallies->index.all[number];
		method->at = calloc(unit->bytes + 1, sizeof(*method->at));
	}
	return method->at ? method : NULL;
}

static int take_step(void *cookie, const struct walk_step *step, struct wm_error *err)
{
	struct tallies *tallies = cookie;
	struct method_tally *method;
	struct code_tally *at;

	if (step->insn >= tallies->meter.to)
		return WM_END;
	if (!step->unit) {
		meter_read(&tallies->meter, step->insn);
		tallies->meter.sum = &tallies->runtime;
		return 0;
	}
	method = method_of(tallies, step->unit);
	if (!method)
		return wm_fail_nomem(err, "methods");
	meter_read(&tallies->meter, step->insn);
	at = &method->at[step->offset];
	tallies->meter.sum =
		&at->insns[step->tier < TALLY_TIERS ? step->tier : TALLY_TIERS - 1];
	if (step->insn < tallies->from)
		return 0;
	at->executions += step->executed;
	method->calls += step->entered;
	return 0;
}

static int count_stream(struct tallies *tallies, const struct wm_trace *trace,
			unsigned stream, struct wm_error *err)
{
	struct wm_stream is;
	int ret;

	tallies->meter.sum = &tallies->runtime;
	tallies->meter.since = tallies->from;
	ret = walk_stream(&tallies->units, trace, stream, false, take_step, tallies, err);
	if (ret < 0)
		return ret;
	if (!wm_trace_stream(trace, stream, &is))
		meter_read(&tallies->meter, is.insns);
	return 0;
}

int tallies_gather(struct tallies *tallies, const struct wm_trace *trace,
		   const struct selection *selection, struct wm_error *err)
{
	int ret;

	*tallies = (struct tallies){ .from = selection->from };
	tallies->meter.to = selection->to;
	ret = units_read(&tallies->units, trace, err);
	if (!ret && !tallies->units.n)
		return WM_END;
	if (!ret)
		ret = methods_init(&tallies->index, &tallies->units, err);
	if (ret)
		return ret;
	tallies->methods = calloc(tallies->index.n, sizeof(*tallies->methods));
	if (!tallies->methods)
		return wm_fail_nomem(err, "methods");
	for (unsigned i = 0; i < selection->n && !ret; i++)
		ret = count_stream(tallies, trace, selection->streams[i], err);
	return ret;
}

void tallies_fini(struct tallies *tallies)
{
	for (uint32_t i = 0; tallies->methods && i < tallies->index.n; i++)
		free(tallies->methods[i].at);
	free(tallies->methods);
	methods_fini(&tallies->index);
	units_fini(&tallies->units);
}

/* ---- lines --------------------------------------------------------------- */

static int by_line(const void *a, const void *b)
{
	const struct source_tally *x = a, *y = b;

	return (x->line > y->line) - (x->line < y->line);
}

/* Adds a line's tally to that before it, which is of the same line. */
static void fold(struct source_tally *to, const struct source_tally *line)
{
	code_tally_add(&to->sum, &line->sum);
	to->bytecodes += line->bytecodes;
	if (line->sum.executions > to->sum.executions)
		to->sum.executions = line->sum.executions;
}

int method_tally_lines(const struct method_tally *method, struct source_tally **lines,
		       size_t *n)
{
	struct source_tally *all = calloc(method->unit->bytes + 1, sizeof(*all));
	size_t ran = 0, kept = 0;

	*lines = all;
	*n = 0;
	if (!all)
		return WM_E_NOMEM;
	for (uint32_t i = 0; i < method->unit->bytes; i++)
		if (code_tally_ran(&method->at[i]))
			all[ran++] = (struct source_tally){ unit_line(method->unit, i),
							    method->at[i],
							    method->at[i].executions };
	if (ran)
		qsort(all, ran, sizeof(*all), by_line);
	for (size_t i = 0; i < ran; i++)
		if (kept && all[kept - 1].line == all[i].line)
			fold(&all[kept - 1], &all[i]);
		else
			all[kept++] = all[i];
	*n = kept;
	return 0;
}
