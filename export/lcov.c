// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * lcov's tracefile: one record for each source file.
 *
 *	TN:
 *	SF:/src/list.c
 *	FN:12,main		FNDA:1,main		function: first line, executions
 *	FNF:1			FNH:1			functions found, and executed
 *	BRDA:14,0,0,9		BRDA:14,0,1,1		branch: taken 9 times, not taken once
 *	DA:12,1			DA:13,10		line, executions
 *	end_of_record
 *
 * Lines of a cover are sorted by source file. Functions and branches are not, so both are
 * brought into the order of their sources by index, and each record takes its part from the
 * front. lcov identifies a function of a file by its name alone, so the counts of functions
 * with one name are added up.
 */
#include "export/cover_format.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

struct order {
	const struct cover *cover;
	uint32_t *functions;	   /* [n_functions] indexes by path, name and line */
	uint32_t *branches;	   /* [n_branches] indexes by path and line, then place */
	uint32_t function, branch; /* how many are written */
};

/* What has no source comes before what has one. */
static int by_source(const struct cover *cover, uint32_t x, uint32_t y)
{
	if (x == y)
		return 0;
	return !x ? -1 : !y ? 1 : strcmp(cover_path(cover, x), cover_path(cover, y));
}

static int by_function(const void *a, const void *b, void *cookie)
{
	const struct cover *cover = cookie;
	uint32_t i = *(const uint32_t *)a, j = *(const uint32_t *)b;
	const struct cover_function *x = &cover->functions[i], *y = &cover->functions[j];
	int order = by_source(cover, x->line.source, y->line.source);

	if (!order)
		order = strcmp(x->name, y->name);
	if (!order && x->line.number != y->line.number)
		order = x->line.number < y->line.number ? -1 : 1;
	/* The index makes the order complete, so it does not depend on qsort_r(). */
	return order ? order : i < j ? -1 : i > j;
}

static int by_branch(const void *a, const void *b, void *cookie)
{
	const struct cover *cover = cookie;
	uint32_t i = *(const uint32_t *)a, j = *(const uint32_t *)b;
	const struct srcline *x = &cover->branches[i].line, *y = &cover->branches[j].line;
	int order = by_source(cover, x->source, y->source);

	if (!order && x->number != y->number)
		order = x->number < y->number ? -1 : 1;
	return order ? order : i < j ? -1 : i > j;
}

/* The numbers 0 to n - 1, to be sorted in place of the elements. */
static uint32_t *number(uint32_t n)
{
	uint32_t *all = malloc((n + 1ul) * sizeof(*all));

	for (uint32_t i = 0; all && i < n; i++)
		all[i] = i;
	return all;
}

static bool put_in_order(struct order *order)
{
	const struct cover *cover = order->cover;

	order->functions = number(cover->n_functions);
	order->branches = number(cover->n_branches);
	if (!order->functions || !order->branches)
		return false;
	qsort_r(order->functions, cover->n_functions, sizeof(*order->functions),
		by_function, (void *)cover);
	qsort_r(order->branches, cover->n_branches, sizeof(*order->branches), by_branch,
		(void *)cover);
	return true;
}

/*
 * Passes over those before a source: without a source there is no record to write them in, nor
 * of one without lines, as an empty module of Python is.
 */
static void pass_to(struct order *order, uint32_t source)
{
	const struct cover *cover = order->cover;

	while (order->function < cover->n_functions &&
	       by_source(cover,
			 cover->functions[order->functions[order->function]].line.source,
			 source) < 0)
		order->function++;
	while (order->branch < cover->n_branches &&
	       by_source(cover,
			 cover->branches[order->branches[order->branch]].line.source,
			 source) < 0)
		order->branch++;
}

/* Names come from anywhere: none may begin a line of its own. */
static void put_name(FILE *out, const char *name)
{
	for (; *name; name++)
		putc(*name == '\n' || *name == '\r' ? '?' : *name, out);
	putc('\n', out);
}

/* ---- the three parts of a record ----------------------------------------- */

/* The next function of a source, with all others of its name; false: there is none. */
static bool next_function(struct order *order, uint32_t source,
			  struct cover_function *all)
{
	const struct cover *cover = order->cover;
	const struct cover_function *function;

	*all = (struct cover_function){ .name = NULL };
	for (; order->function < cover->n_functions; order->function++) {
		/* `source` ends a record, another name ends this function. */
		function = &cover->functions[order->functions[order->function]];
		if (function->line.source != source ||
		    (all->name && strcmp(all->name, function->name) != 0))
			break;
		if (!all->name)
			*all = (struct cover_function){ .name = function->name,
							.line = function->line };
		/* lcov knows what ran by its count alone. */
		all->executions += function->executions;
		if (!function->executions && function->first != COVER_NEVER)
			all->executions++;
	}
	return all->name;
}

static void put_functions(FILE *out, struct order *order, uint32_t source)
{
	struct cover_function function;
	uint64_t found = 0, hit = 0;

	while (next_function(order, source, &function)) {
		fprintf(out, "FN:%" PRIu32 ",", function.line.number);
		put_name(out, function.name);
		fprintf(out, "FNDA:%" PRIu64 ",", function.executions);
		put_name(out, function.name);
		found++;
		hit += function.executions > 0;
	}
	fprintf(out, "FNF:%" PRIu64 "\nFNH:%" PRIu64 "\n", found, hit);
}

static void put_way(FILE *out, const struct cover_branch *branch, unsigned index,
		    unsigned way, uint64_t count)
{
	fprintf(out, "BRDA:%" PRIu32 ",%u,%u,", branch->line.number, index, way);
	/*
	 * "-" means that the branch was never reached; 0 that it was, but did not go this
	 * way.
	 */
	if (branch->executions)
		fprintf(out, "%" PRIu64 "\n", count);
	else
		fputs("-\n", out);
}

/* Each branch is a block of lcov's, numbered within the line, with two branches. */
static void put_branches(FILE *out, struct order *order, uint32_t source)
{
	const struct cover *cover = order->cover;
	uint64_t found = 0, hit = 0;
	uint32_t line = 0;
	unsigned index = 0;

	for (; order->branch < cover->n_branches; order->branch++) {
		const struct cover_branch *branch =
			&cover->branches[order->branches[order->branch]];

		if (branch->line.source != source)
			break;
		/* Several branches of one line are numbered from 0. */
		index = branch->line.number == line ? index + 1 : 0;
		line = branch->line.number;
		put_way(out, branch, index, 0, branch->taken);
		put_way(out, branch, index, 1, branch->not_taken);
		found += 2;
		hit += (branch->taken > 0) + (branch->not_taken > 0);
	}
	fprintf(out, "BRF:%" PRIu64 "\nBRH:%" PRIu64 "\n", found, hit);
}

/* The lines from `first` on that are of the same file; where those of the next begin. */
static uint32_t put_lines(FILE *out, const struct cover *cover, uint32_t first)
{
	uint64_t found = 0, hit = 0;
	uint32_t i = first;

	for (; i < cover->n_lines &&
	       cover->lines[i].line.source == cover->lines[first].line.source;
	     i++) {
		const struct cover_line *line = &cover->lines[i];

		fprintf(out, "DA:%" PRIu32 ",%" PRIu64 "\n", line->line.number,
			line->executions);
		found++;
		hit += line->executions > 0;
	}
	fprintf(out, "LF:%" PRIu64 "\nLH:%" PRIu64 "\nend_of_record\n", found, hit);
	return i;
}

static int write_lcov(FILE *out, const struct cover *cover, struct wm_error *err)
{
	struct order order = { .cover = cover };
	int ret = put_in_order(&order) ? 0 : wm_fail_nomem(err, "coverage");

	for (uint32_t i = 0; !ret && i < cover->n_lines;) {
		uint32_t source = cover->lines[i].line.source;

		/* The test's name stays empty: a cover may have many runs. */
		fputs("TN:\nSF:", out);
		put_name(out, cover_path(cover, source));
		pass_to(&order, source);
		put_functions(out, &order, source);
		if (cover->has_branches)
			put_branches(out, &order, source);
		i = put_lines(out, cover, i);
	}
	free(order.functions);
	free(order.branches);
	return ret;
}

const struct cover_format cover_lcov = {
	.format = { "lcov", FORMAT_COVER, "info", "for lcov and genhtml",
		    "debugging information" },
	.write = write_lcov,
};
