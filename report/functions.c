// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * "functions": the functions with the most instructions of their own, exact, from counts
 * of blocks.
 *
 * A block may run on from one function into the next one, so it is divided into runs of
 * instructions of one function. Example: a block of 6 instructions that ran 10 times, 4
 * of them in `f` and 2 in `g`, adds 40 to f and 20 to g.
 *
 * That is the code of symbols, with what was inlined there. What readers see first are the same
 * with inlined functions as functions, under "inlined", as `hot` has them; it is left out when
 * none was inlined, or nobody wants it.
 *
 * All totals are kept in report->hottest, because later sections show only the busiest
 * functions. Of equal totals the function with the lower number comes first, so the page
 * depends on nothing but the trace.
 */
#include <stdlib.h>

#include "base/error.h"
#include "report/section.h"

/* Functions that the page lists. */
enum { SHOWN_MAX = 1000 };

static int by_insns(const void *a, const void *b)
{
	const struct report_total *x = a, *y = b;

	if (x->insns != y->insns)
		return x->insns > y->insns ? -1 : 1;
	return x->function < y->function ? -1 : x->function > y->function;
}

bool report_each_function(const struct report *report, uint32_t space, uint32_t id,
			  uint32_t begin, uint32_t end,
			  bool (*take)(void *cookie, uint32_t function, uint32_t from,
				       uint32_t to),
			  void *cookie)
{
	uint32_t function = 0, from = begin, now;
	struct wm_block block;
	uint64_t address;

	if (wm_trace_block(report->ask->trace, id, &block))
		return true;
	address = block.address;
	for (uint32_t i = 0; i < end && i < block.insns; address += block.sizes[i++]) {
		if (i < begin)
			continue;
		now = functions_at(report->ask->functions, space, address, id, NULL);
		if (!now)
			return false;
		/*
		 * `function` is 0 before the first instruction, where i equals `from`:
		 * nothing is reported.
		 */
		if (now != function && i > from && !take(cookie, function, from, i))
			return false;
		from = now != function ? i : from;
		function = now;
	}
	return end <= from || take(cookie, function, from, end);
}

struct totals {
	struct report_total *all; /* [n] by function's number */
	uint32_t n;
	uint64_t count; /* executions of what is being added */
};

/*
 * The array grows with the largest number that was met: numbers are dense, so it is at most
 * some twice too long.
 */
static bool add(struct totals *totals, uint32_t function, uint64_t insns)
{
	if (function >= totals->n) {
		uint32_t n = function * 2 + 64;
		struct report_total *grown = reallocarray(totals->all, n, sizeof(*grown));

		if (!grown)
			return false;
		totals->all = grown;
		/* Each total keeps its number, because sorting moves it. */
		for (uint32_t i = totals->n; i < n; i++)
			grown[i] = (struct report_total){ .function = i };
		totals->n = n;
	}
	totals->all[function].insns += insns;
	return true;
}

/* The callback of report_each_function(). */
static bool add_total(void *cookie, uint32_t function, uint32_t from, uint32_t to)
{
	struct totals *totals = cookie;

	return add(totals, function, totals->count * (to - from));
}

/* Rows are whole executions, parts the executions that the selection or a fault cut. */
static bool add_totals(const struct report *report, struct totals *totals)
{
	const struct counts *counts = report->counts;
	struct wm_block block;
	bool ok = true;

	for (size_t i = 0; ok && i < counts->n_rows; i++) {
		const struct counts_row *row = &counts->rows[i];

		if (wm_trace_block(report->ask->trace, row->id, &block))
			continue;
		totals->count = row->count;
		ok = report_each_function(report, row->space, row->id, 0, block.insns,
					  add_total, totals);
	}
	for (size_t i = 0; ok && i < counts->n_parts; i++) {
		const struct counts_part *part = &counts->parts[i];

		totals->count = part->count;
		ok = report_each_function(report, part->space, part->id, part->begin,
					  part->end, add_total, totals);
	}
	return ok;
}

uint32_t report_inlined_at(const struct report *report, const struct insn_count *insn,
			   bool *is_inlined)
{
	const struct report_ask *ask = report->ask;
	uint32_t number = functions_inlined_at(ask->functions, ask->lines, insn->space,
					       insn->address, insn->id);

	*is_inlined = number;
	return number ? number :
			functions_at(ask->functions, insn->space, insn->address, insn->id,
				     NULL);
}

/* False: no memory. *any: some function was inlined. */
static bool add_inlined(const struct report *report, struct totals *totals, bool *any)
{
	bool ok = true, is_inlined;

	for (size_t i = 0; ok && i < report->insns->n; i++) {
		const struct insn_count *insn = &report->insns->all[i];
		uint32_t function = report_inlined_at(report, insn, &is_inlined);

		*any |= is_inlined;
		ok = function && add(totals, function, insn->count);
	}
	return ok;
}

/*
 * Sorts them; how many there are. Functions that did not run are at the end: numbers cover all
 * that were ever looked up.
 */
static uint32_t sort(struct totals *totals)
{
	uint32_t n = 0;

	if (totals->n)
		qsort(totals->all, totals->n, sizeof(*totals->all), by_insns);
	while (n < totals->n && totals->all[n].insns)
		n++;
	return n;
}

static int put_totals(struct report *report, const struct report_total *all, uint32_t n,
		      struct wm_error *err)
{
	struct json *json = &report->json;
	uint32_t name;

	json_uint(json, "in_all", n);
	json_array(json, "hottest");
	for (uint32_t i = 0; i < n && i < SHOWN_MAX; i++) {
		name = report_function(report, all[i].function);
		if (!name)
			return wm_fail_nomem(err, "functions");
		json_array(json, NULL);
		json_uint(json, NULL, name);
		json_uint(json, NULL, all[i].insns);
		json_close(json);
	}
	json_close(json);
	return 0;
}

static int put_inlined(struct report *report, struct wm_error *err)
{
	struct totals totals = { .all = NULL };
	bool any = false, ok = add_inlined(report, &totals, &any);
	int ret = ok ? 0 : wm_fail_nomem(err, "functions");

	if (ret || !any) {
		free(totals.all);
		return ret;
	}
	report->n_inlined = sort(&totals);
	report->inlined = totals.all;
	json_object(&report->json, "inlined");
	ret = put_totals(report, report->inlined, report->n_inlined, err);
	json_close(&report->json);
	return ret;
}

int report_functions(struct report *report, struct wm_error *err)
{
	struct totals totals = { .all = NULL };
	bool ok = add_totals(report, &totals);
	int ret;

	report->hottest = totals.all;
	if (!ok)
		return wm_fail_nomem(err, "functions");
	report->n_hottest = sort(&totals);
	json_object(&report->json, "functions");
	ret = put_totals(report, report->hottest, report->n_hottest, err);
	if (!ret && !report->ask->no_inline)
		ret = put_inlined(report, err);
	json_close(&report->json);
	return ret;
}
