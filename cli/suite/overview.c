// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The question of a morning: which programs' instruction counts changed since yesterday, and
 * in which functions? Programs come first, those that changed most of their own size at the
 * top: 1 % of a short program is as much news as 1 % of a long one. Of each, a few functions
 * are named, and one row has the rest, so that the rows of a program add up to its change.
 *
 *	change  relative  case  function        The program "sort" has 90 instructions more:
 *	  +100    +20 %   sort  compare         100 in compare(), and -10 in two others.
 *	   -10     -1 %   sort  (2 others)
 */
#include "cli/suite/overview.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "out/number.h"
#include "out/text.h"

static bool is_bad(const struct changed_case *of)
{
	return of->now.status != SUITE_PASSED;
}

double overview_relative(uint64_t now, uint64_t was)
{
	return was ? (double)(int64_t)(now - was) / (double)was : 0;
}

/* ---- order --------------------------------------------------------------- */

/* What is new or gone changed by more than all of it. */
static double size_of(const struct changed_case *of)
{
	if (!of->changed)
		return 0;
	return of->now.status == SUITE_MISSING || of->was.status == SUITE_MISSING ?
		       HUGE_VAL :
		       fabs(overview_relative(of->now.insns, of->was.insns));
}

/* Changed ones by size, then those that failed, then all others. */
static int by_news(const void *a, const void *b)
{
	const struct changed_case *x = a, *y = b;
	double more = size_of(x), than = size_of(y);

	if (x->changed != y->changed)
		return x->changed ? -1 : 1;
	if (more > than || more < than)
		return more > than ? -1 : 1;
	if (is_bad(x) != is_bad(y))
		return is_bad(x) ? -1 : 1;
	return strcmp(x->name, y->name);
}

int overview_read(struct overview *overview, const char *const *names, size_t n,
		  struct wm_error *err)
{
	overview->cases = calloc(n + 1, sizeof(*overview->cases));
	overview->n = overview->cases ? n : 0;
	overview->n_told = overview->n_changed = overview->n_bad = 0;
	if (!overview->cases)
		return wm_fail_nomem(err, "a report");
	for (size_t i = 0; i < n; i++) {
		struct changed_case *of = &overview->cases[i];

		changed_case_read(of, overview->folder, overview->against, names[i]);
		overview->n_changed += of->changed;
		overview->n_bad += is_bad(of);
		overview->n_told += of->changed || is_bad(of);
	}
	qsort(overview->cases, n, sizeof(*overview->cases), by_news);
	return 0;
}

void overview_fini(struct overview *overview)
{
	free(overview->cases);
}

void overview_sentence(const struct overview *overview, FILE *out)
{
	const char *plural = overview->n == 1 ? "" : "s";

	text_line(out, overview->folder);
	if (overview->against) {
		fputs(" against ", out);
		text_line(out, overview->against);
		fprintf(out, ": %zu of %zu program%s changed, ", overview->n_changed,
			overview->n, plural);
	} else {
		fprintf(out, ": %zu program%s, ", overview->n, plural);
	}
	if (overview->n_bad)
		fprintf(out, "%zu did not pass", overview->n_bad);
	else
		fputs("all passed", out);
}

/* ---- programs ------------------------------------------------------------ */

enum {
	CASE_CASE,
	CASE_STATUS,
	CASE_CHANGE,
	CASE_RELATIVE,
	CASE_INSNS,
	CASE_WAS,
	CASE_NOTE,
	CASE_REASON
};

const struct table_column overview_cases[OVERVIEW_CASES] = {
	[CASE_CASE] = { "case", TABLE_TEXT, false },
	[CASE_STATUS] = { "status", TABLE_TEXT, false },
	[CASE_CHANGE] = { "change", TABLE_CHANGE, false },
	[CASE_RELATIVE] = { "relative", TABLE_SHARE, false },
	[CASE_INSNS] = { "insns", TABLE_COUNT, false },
	[CASE_WAS] = { "was", TABLE_COUNT, false },
	[CASE_NOTE] = { "note", TABLE_TEXT, false },
	[CASE_REASON] = { "reason", TABLE_TEXT, false },
};

static void put_case(const struct overview *overview, const struct changed_case *of,
		     struct table *table)
{
	bool is = of->now.status != SUITE_MISSING, was = of->was.status != SUITE_MISSING;

	table_row(table);
	table_text(table, CASE_CASE, of->name);
	table_text(table, CASE_STATUS, suite_statuses[of->now.status]);
	if (is)
		table_count(table, CASE_INSNS, of->now.insns);
	if (was)
		table_count(table, CASE_WAS, of->was.insns);
	if (is && was) {
		table_change(table, CASE_CHANGE, changed_insns(of));
		table_real(table, CASE_RELATIVE,
			   overview_relative(of->now.insns, of->was.insns));
	}
	if (overview->against && !was)
		table_text(table, CASE_NOTE, "new");
	else if (of->chance && changed_insns(of))
		table_text(table, CASE_NOTE, of->chance);
	table_text(table, CASE_REASON, *of->now.reason ? of->now.reason : NULL);
}

int overview_fill_cases(void *cookie, struct table *table, struct wm_error *err)
{
	const struct overview *overview = cookie;

	(void)err;
	for (size_t i = 0; i < overview->n_told; i++)
		put_case(overview, &overview->cases[i], table);
	return 0;
}

/* ---- functions ----------------------------------------------------------- */

enum {
	FUNCTION_CHANGE,
	FUNCTION_RELATIVE,
	FUNCTION_INSNS,
	FUNCTION_WAS,
	FUNCTION_CASE,
	FUNCTION_FUNCTION,
	FUNCTION_MODULE
};

const struct table_column overview_functions[OVERVIEW_FUNCTIONS] = {
	[FUNCTION_CHANGE] = { "change", TABLE_CHANGE, false },
	[FUNCTION_RELATIVE] = { "relative", TABLE_SHARE, false },
	[FUNCTION_INSNS] = { "insns", TABLE_COUNT, false },
	[FUNCTION_WAS] = { "was", TABLE_COUNT, false },
	[FUNCTION_CASE] = { "case", TABLE_TEXT, false },
	[FUNCTION_FUNCTION] = { "function", TABLE_TEXT, false, true },
	[FUNCTION_MODULE] = { "module", TABLE_TEXT, false },
};

static void put_function(struct table *table, const char *name,
			 const struct changed_function *of)
{
	table_row(table);
	table_change(table, FUNCTION_CHANGE, (int64_t)(of->insns - of->insns_were));
	if (of->insns_were)
		table_real(table, FUNCTION_RELATIVE,
			   overview_relative(of->insns, of->insns_were));
	table_count(table, FUNCTION_INSNS, of->insns);
	table_count(table, FUNCTION_WAS, of->insns_were);
	table_text(table, FUNCTION_CASE, name);
	table_text(table, FUNCTION_FUNCTION, of->name);
	table_text(table, FUNCTION_MODULE, of->module);
}

static void put_others(struct table *table, const char *name,
		       const struct changed_function *all, size_t n)
{
	struct changed_function sum = { .module = NULL };
	char count[NUMBER_TEXT], text[NUMBER_TEXT + 16];

	for (size_t i = 0; i < n; i++) {
		sum.insns += all[i].insns;
		sum.insns_were += all[i].insns_were;
	}
	snprintf(text, sizeof(text), "(%s other%s)", number_grouped(count, n),
		 n == 1 ? "" : "s");
	sum.name = text;
	put_function(table, name, &sum);
}

static int fill_case(const struct overview *overview, const char *name,
		     struct table *table, struct wm_error *err)
{
	struct changed_functions functions;
	int ret = changed_functions_read(&functions, overview->folder, overview->against,
					 name, err);
	size_t most = functions.n < overview->most ? functions.n : (size_t)overview->most;

	/* One other is named as well: its row is there anyway. */
	if (functions.n == most + 1)
		most++;
	changed_functions_sort(&functions);
	for (size_t i = 0; !ret && i < most; i++)
		put_function(table, name, &functions.all[i]);
	if (!ret && functions.n > most)
		put_others(table, name, functions.all + most, functions.n - most);
	changed_functions_fini(&functions);
	return ret;
}

int overview_fill_functions(void *cookie, struct table *table, struct wm_error *err)
{
	const struct overview *overview = cookie;
	int ret = 0;

	for (size_t i = 0; !ret && i < overview->n_changed; i++)
		ret = fill_case(overview, overview->cases[i].name, table, err);
	return ret;
}
