// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * "functions": the functions with the most instructions of their own, exact, from counts
 * of blocks.
 *
 * A block may run on from one function into the next one, so it is divided into runs of
 * instructions of one function. Example: a block of 6 instructions that ran 10 times, 4
 * of them in `f` and 2 in `g`, adds 40 to f and 20 to g.
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
 * The callback of report_each_function(). The array grows with the largest number that
 * was met: numbers are dense, so it is at most some twice too long.
 */
static bool add_total(void *cookie, uint32_t function, uint32_t from, uint32_t to)
{
	struct totals *totals = cookie;

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
	totals->all[function].insns += totals->count * (to - from);
	return true;
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

static int put_totals(struct report *report, struct wm_error *err)
{
	struct json *json = &report->json;
	uint32_t name;

	json_object(json, "functions");
	json_uint(json, "in_all", report->n_hottest);
	json_array(json, "hottest");
	for (uint32_t i = 0; i < report->n_hottest && i < SHOWN_MAX; i++) {
		name = report_function(report, report->hottest[i].function);
		if (!name)
			return wm_fail_nomem(err, "functions");
		json_array(json, NULL);
		json_uint(json, NULL, name);
		json_uint(json, NULL, report->hottest[i].insns);
		json_close(json);
	}
	json_close(json);
	json_close(json);
	return 0;
}

int report_functions(struct report *report, struct wm_error *err)
{
	struct totals totals = { .all = NULL };
	bool ok = add_totals(report, &totals);

	report->hottest = totals.all;
	if (!ok)
		return wm_fail_nomem(err, "functions");
	if (totals.n)
		qsort(totals.all, totals.n, sizeof(*totals.all), by_insns);
	/*
	 * Functions that did not run are at the end: numbers cover all that were ever
	 * looked up.
	 */
	while (report->n_hottest < totals.n && totals.all[report->n_hottest].insns)
		report->n_hottest++;
	return put_totals(report, err);
}
