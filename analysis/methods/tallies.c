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

#include "analysis/methods/quiet.h"
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
static struct method_tally *find_method(struct tallies *tallies, const struct unit *unit)
{
	uint32_t number = methods_number(tallies->index, unit);
	struct method_tally *method = &tallies->methods[number];

	if (!method->at) {
		method->unit = tallies->index->all[number];
		method->at = calloc(unit->bytes + 1, sizeof(*method->at));
	}
	return method->at ? method : NULL;
}

/* Most bytecodes are of the method of the one before: nothing is looked up for them. */
static inline struct method_tally *method_of(struct tallies *tallies,
					     const struct unit *unit)
{
	if (unit != tallies->latest_unit) {
		tallies->latest = find_method(tallies, unit);
		tallies->latest_unit = unit;
	}
	return tallies->latest;
}

/* False: no memory. */
static bool count_to(struct tallies *tallies, uint64_t insn)
{
	bool good = tallies->meter.sum != &tallies->runtime ||
		    native_span(&tallies->native, &tallies->meter, insn);

	meter_read(&tallies->meter, insn);
	return good;
}

int tallies_take(struct tallies *tallies, const struct walk_step *step,
		 struct wm_error *err)
{
	struct method_tally *method;
	struct code_tally *at;

	if (step->insn >= tallies->meter.to)
		return WM_END;
	if (!count_to(tallies, step->insn))
		return wm_fail_nomem(err, "methods");
	if (!step->unit) {
		tallies->meter.sum = &tallies->runtime;
		return 0;
	}
	method = method_of(tallies, step->unit);
	if (!method)
		return wm_fail_nomem(err, "methods");
	at = &method->at[step->offset];
	tallies->meter.sum =
		&at->insns[step->tier < TALLY_TIERS ? step->tier : TALLY_TIERS - 1];
	if (step->insn < tallies->from)
		return 0;
	at->executions += step->executed;
	if (step->entered && step->called)
		method = method_of(tallies, step->called);
	if (!method)
		return wm_fail_nomem(err, "methods");
	method->calls += step->entered;
	return 0;
}

int tallies_pass(struct tallies *tallies, uint64_t settled, const uint32_t *ids, size_t n,
		 const struct wm_step *step, struct wm_error *err)
{
	if (tallies->meter.sum == &tallies->runtime && !count_to(tallies, settled))
		return wm_fail_nomem(err, "methods");
	/* Its native functions are counted before the next one comes. */
	return native_pass(&tallies->native, ids, n, step, err);
}

int tallies_add(struct tallies *tallies, const struct counts *counts,
		struct wm_error *err)
{
	return native_add(&tallies->native, counts, err);
}

void tallies_begin(struct tallies *tallies)
{
	tallies->meter.sum = &tallies->runtime;
	tallies->meter.since = tallies->from;
}

void tallies_end(struct tallies *tallies, unsigned stream)
{
	struct wm_stream is;

	if (!wm_trace_stream(tallies->native.trace, stream, &is))
		meter_read(&tallies->meter, is.insns);
}

int tallies_settle(struct tallies *tallies, struct wm_error *err)
{
	return native_settle(&tallies->native, err);
}

int tallies_init(struct tallies *tallies, const struct methods *index,
		 const struct wm_trace *trace, struct functions *functions,
		 const struct selection *selection, struct wm_error *err)
{
	tallies->from = selection->from;
	tallies->meter.to = selection->to;
	tallies->index = index;
	native_init(&tallies->native, functions, trace);
	tallies->methods = calloc(index->n, sizeof(*tallies->methods));
	return tallies->methods ? 0 : wm_fail_nomem(err, "methods");
}

/* A method of a part, of which the sum has the same. */
static bool join_method(struct method_tally *sum, const struct method_tally *part)
{
	if (!part->at)
		return true;
	if (!sum->at) {
		sum->unit = part->unit;
		sum->at = calloc(part->unit->bytes + 1ul, sizeof(*sum->at));
	}
	if (!sum->at)
		return false;
	sum->calls += part->calls;
	for (uint32_t i = 0; i <= part->unit->bytes; i++) {
		code_tally_add(&sum->at[i], &part->at[i]);
		sum->at[i].executions += part->at[i].executions;
	}
	return true;
}

int tallies_join(struct tallies *sum, const struct tallies *part, struct wm_error *err)
{
	sum->runtime += part->runtime;
	for (uint32_t i = 0; i < sum->index->n; i++)
		if (!join_method(&sum->methods[i], &part->methods[i]))
			return wm_fail_nomem(err, "methods");
	return native_join(&sum->native, &part->native, err);
}

void tallies_fini(struct tallies *tallies)
{
	for (uint32_t i = 0; tallies->methods && i < tallies->index->n; i++)
		free(tallies->methods[i].at);
	free(tallies->methods);
	native_fini(&tallies->native);
	methods_fini(&tallies->all);
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
