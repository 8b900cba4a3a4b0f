// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The tables of a cover, one function for each. The last section lists them with their
 * columns.
 *
 * A conditional branch has two ways, taken and not taken, and each way counts for itself:
 * of a branch that was always taken, 1 of 2 ways is reached.
 *
 * Functions, branches and lines are sorted (cover_finish()), so the rows of a module or
 * source are neighbours and one pass over each array is enough.
 *
 * Example of the total: 10 functions of which 4 ran give the row "functions, 10, 4, 0.4".
 * A share is empty where there is nothing to share.
 */
#include "analysis/cover/cover_tables.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

const char *const cover_names[] = { "total", "module", "source", "function",
				    "line",  "branch", "run",	 NULL };

/* How many there are of something, and how many of these ran. */
struct part {
	uint64_t all, reached;
};

static void count(struct part *part, bool reached)
{
	part->all++;
	part->reached += reached;
}

/*
 * Fills three columns in a row: all, reached, share. Every enum of columns below has them
 * in this order.
 */
static void put_part(struct table *table, unsigned column, const struct part *part)
{
	table_count(table, column, part->all);
	table_count(table, column + 1, part->reached);
	if (part->all)
		table_real(table, column + 2, (double)part->reached / (double)part->all);
}

/* The counts of a module, of a source file, or of everything. */
struct parts {
	struct part functions, lines, ways;
};

/*
 * Each way is a unit of its own: a branch that was always taken adds 2 to `all` and 1 to
 * `reached`.
 */
static void count_branch(struct parts *parts, const struct cover_branch *branch)
{
	count(&parts->ways, branch->first_taken != COVER_NEVER);
	count(&parts->ways, branch->first_not_taken != COVER_NEVER);
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* "parse.c:12"; empty without a line. */
static void put_line(const struct cover *cover, struct table *table, unsigned column,
		     const struct srcline *line)
{
	char *text;

	if (line->source &&
	    asprintf(&text, "%s:%u", base_name(cover_path(cover, line->source)),
		     line->number) > 0) {
		table_text(table, column, text);
		free(text);
	}
}

/*
 * The run that reached it first; the cell stays empty when none did. Runs are numbered
 * from 1.
 */
static void put_run(const struct cover *cover, struct table *table, unsigned column,
		    uint32_t first)
{
	if (first != COVER_NEVER)
		table_text(table, column, cover->runs[first - 1]);
}

/* ---- all in all ---------------------------------------------------------- */

/*
 * A row for functions, one for lines, one for ways. Without debug information there are 0
 * lines, and the share stays empty.
 */
enum { TOTAL_WHAT, TOTAL_ALL, TOTAL_REACHED, TOTAL_SHARE, TOTAL_COLUMNS };

static const struct table_column total_columns[TOTAL_COLUMNS] = {
	[TOTAL_WHAT] = { "what", TABLE_TEXT, false },
	[TOTAL_ALL] = { "all", TABLE_COUNT, false },
	[TOTAL_REACHED] = { "reached", TABLE_COUNT, false },
	[TOTAL_SHARE] = { "share", TABLE_SHARE, false },
};

/* Totals are the same whether or not the rest is shown. */
static void fill_total(struct table *table, const struct cover *cover, bool reached)
{
	struct parts parts = { .functions.all = 0 };

	(void)reached;
	for (uint32_t i = 0; i < cover->n_functions; i++)
		count(&parts.functions, cover->functions[i].first != COVER_NEVER);
	for (uint32_t i = 0; i < cover->n_lines; i++)
		count(&parts.lines, cover->lines[i].first != COVER_NEVER);
	for (uint32_t i = 0; i < cover->n_branches; i++)
		count_branch(&parts, &cover->branches[i]);
	table_row(table);
	table_text(table, TOTAL_WHAT, "functions");
	put_part(table, TOTAL_ALL, &parts.functions);
	table_row(table);
	table_text(table, TOTAL_WHAT, "lines");
	put_part(table, TOTAL_ALL, &parts.lines);
	if (!cover->has_branches)
		return;
	table_row(table);
	table_text(table, TOTAL_WHAT, "ways of branches");
	put_part(table, TOTAL_ALL, &parts.ways);
}

/* ---- by module ----------------------------------------------------------- */

/*
 * A row for each file of which anything ran. Ways stay empty unless branches were
 * followed.
 */
enum {
	MODULE_MODULE,
	MODULE_FUNCTIONS,
	MODULE_REACHED,
	MODULE_SHARE,
	MODULE_WAYS,
	MODULE_WAYS_REACHED,
	MODULE_WAYS_SHARE,
	MODULE_PATH,
	MODULE_BUILD_ID,
	MODULE_COLUMNS
};

static const struct table_column module_columns[MODULE_COLUMNS] = {
	[MODULE_MODULE] = { "module", TABLE_TEXT, false },
	[MODULE_FUNCTIONS] = { "functions", TABLE_COUNT, false },
	[MODULE_REACHED] = { "functions_reached", TABLE_COUNT, false },
	[MODULE_SHARE] = { "functions_share", TABLE_SHARE, false },
	[MODULE_WAYS] = { "ways", TABLE_COUNT, false },
	[MODULE_WAYS_REACHED] = { "ways_reached", TABLE_COUNT, false },
	[MODULE_WAYS_SHARE] = { "ways_share", TABLE_SHARE, false },
	[MODULE_PATH] = { "path", TABLE_TEXT, true },
	[MODULE_BUILD_ID] = { "build_id", TABLE_TEXT, true },
};

static void put_module(struct table *table, const struct cover *cover,
		       const struct cover_module *module, const struct parts *parts)
{
	table_row(table);
	table_text(table, MODULE_MODULE, base_name(module->path));
	put_part(table, MODULE_FUNCTIONS, &parts->functions);
	if (cover->has_branches)
		put_part(table, MODULE_WAYS, &parts->ways);
	table_text(table, MODULE_PATH, module->path);
	table_text(table, MODULE_BUILD_ID, module->build_id);
}

static void fill_modules(struct table *table, const struct cover *cover, bool reached)
{
	uint32_t function = 0, branch = 0;

	for (uint32_t i = 0; i < cover->n_modules; i++) {
		struct parts parts = { .functions.all = 0 };

		for (; function < cover->n_functions &&
		       cover->functions[function].module == i;
		     function++)
			count(&parts.functions,
			      cover->functions[function].first != COVER_NEVER);
		for (; branch < cover->n_branches && cover->branches[branch].module == i;
		     branch++)
			count_branch(&parts, &cover->branches[branch]);
		/* A module is reached when any of its functions is. */
		if (!reached || parts.functions.reached)
			put_module(table, cover, &cover->modules[i], &parts);
	}
}

/* ---- by source file ------------------------------------------------------ */

/*
 * A row for each source file that has a line. A function counts in the file of its first
 * instruction, a branch in the file of its own.
 */
enum {
	SOURCE_SOURCE,
	SOURCE_LINES,
	SOURCE_REACHED,
	SOURCE_SHARE,
	SOURCE_FUNCTIONS,
	SOURCE_FUNCTIONS_REACHED,
	SOURCE_FUNCTIONS_SHARE,
	SOURCE_WAYS,
	SOURCE_WAYS_REACHED,
	SOURCE_WAYS_SHARE,
	SOURCE_COLUMNS
};

static const struct table_column source_columns[SOURCE_COLUMNS] = {
	[SOURCE_SOURCE] = { "source", TABLE_TEXT, false },
	[SOURCE_LINES] = { "lines", TABLE_COUNT, false },
	[SOURCE_REACHED] = { "lines_reached", TABLE_COUNT, false },
	[SOURCE_SHARE] = { "lines_share", TABLE_SHARE, false },
	[SOURCE_FUNCTIONS] = { "functions", TABLE_COUNT, false },
	[SOURCE_FUNCTIONS_REACHED] = { "functions_reached", TABLE_COUNT, false },
	[SOURCE_FUNCTIONS_SHARE] = { "functions_share", TABLE_SHARE, false },
	[SOURCE_WAYS] = { "ways", TABLE_COUNT, false },
	[SOURCE_WAYS_REACHED] = { "ways_reached", TABLE_COUNT, false },
	[SOURCE_WAYS_SHARE] = { "ways_share", TABLE_SHARE, false },
};

/* The counts of each source file, by number; NULL: no memory. */
static struct parts *sum_sources(const struct cover *cover)
{
	/* Source 0 collects functions and branches without a line. */
	struct parts *parts = calloc(cover->sources.count + 1ul, sizeof(*parts));

	for (uint32_t i = 0; parts && i < cover->n_lines; i++)
		count(&parts[cover->lines[i].line.source].lines,
		      cover->lines[i].first != COVER_NEVER);
	for (uint32_t i = 0; parts && i < cover->n_functions; i++)
		count(&parts[cover->functions[i].line.source].functions,
		      cover->functions[i].first != COVER_NEVER);
	for (uint32_t i = 0; parts && i < cover->n_branches; i++)
		count_branch(&parts[cover->branches[i].line.source], &cover->branches[i]);
	return parts;
}

static int fill_sources(struct table *table, const struct cover *cover, bool reached,
			struct wm_error *err)
{
	struct parts *parts = sum_sources(cover);

	if (!parts)
		return wm_fail_nomem(err, "coverage");
	for (uint32_t i = 0; i < cover->n_lines; i++) {
		uint32_t source = cover->lines[i].line.source;

		/* One row for each source: at its first line. */
		if ((i && cover->lines[i - 1].line.source == source) ||
		    (reached && !parts[source].lines.reached))
			continue;
		table_row(table);
		table_text(table, SOURCE_SOURCE, cover_path(cover, source));
		put_part(table, SOURCE_LINES, &parts[source].lines);
		put_part(table, SOURCE_FUNCTIONS, &parts[source].functions);
		if (cover->has_branches)
			put_part(table, SOURCE_WAYS, &parts[source].ways);
	}
	free(parts);
	return 0;
}

/* ---- by function --------------------------------------------------------- */

/*
 * Executions are those of the first instruction, instructions those of all. `start` is an
 * offset in the file.
 */
enum {
	FUNCTION_EXECUTIONS,
	FUNCTION_INSNS,
	FUNCTION_FUNCTION,
	FUNCTION_LINE,
	FUNCTION_MODULE,
	FUNCTION_FIRST,
	FUNCTION_START,
	FUNCTION_PATH,
	FUNCTION_COLUMNS
};

static const struct table_column function_columns[FUNCTION_COLUMNS] = {
	[FUNCTION_EXECUTIONS] = { "executions", TABLE_COUNT, false },
	[FUNCTION_INSNS] = { "insns", TABLE_COUNT, false },
	[FUNCTION_FUNCTION] = { "function", TABLE_TEXT, false, true },
	[FUNCTION_LINE] = { "line", TABLE_TEXT, false },
	[FUNCTION_MODULE] = { "module", TABLE_TEXT, false },
	[FUNCTION_FIRST] = { "first", TABLE_TEXT, false },
	[FUNCTION_START] = { "start", TABLE_ADDRESS, true },
	[FUNCTION_PATH] = { "path", TABLE_TEXT, true },
};

static void fill_functions(struct table *table, const struct cover *cover, bool reached)
{
	for (uint32_t i = 0; i < cover->n_functions; i++) {
		const struct cover_function *function = &cover->functions[i];
		const char *path = cover->modules[function->module].path;

		if (reached && function->first == COVER_NEVER)
			continue;
		table_row(table);
		table_count(table, FUNCTION_EXECUTIONS, function->executions);
		table_count(table, FUNCTION_INSNS, function->insns);
		table_text(table, FUNCTION_FUNCTION, function->name);
		put_line(cover, table, FUNCTION_LINE, &function->line);
		table_text(table, FUNCTION_MODULE, base_name(path));
		put_run(cover, table, FUNCTION_FIRST, function->first);
		table_count(table, FUNCTION_START, function->start);
		table_text(table, FUNCTION_PATH, path);
	}
}

/* ---- by line ------------------------------------------------------------- */

/*
 * A line's executions are, for each run, those of its instruction that ran most often,
 * summed over runs.
 */
enum { LINE_EXECUTIONS, LINE_LINE, LINE_FIRST, LINE_SOURCE, LINE_NUMBER, LINE_COLUMNS };

static const struct table_column line_columns[LINE_COLUMNS] = {
	[LINE_EXECUTIONS] = { "executions", TABLE_COUNT, false },
	[LINE_LINE] = { "line", TABLE_TEXT, false },
	[LINE_FIRST] = { "first", TABLE_TEXT, false },
	[LINE_SOURCE] = { "source", TABLE_TEXT, true },
	[LINE_NUMBER] = { "number", TABLE_COUNT, true },
};

static void fill_lines(struct table *table, const struct cover *cover, bool reached)
{
	for (uint32_t i = 0; i < cover->n_lines; i++) {
		const struct cover_line *line = &cover->lines[i];

		if (reached && line->first == COVER_NEVER)
			continue;
		table_row(table);
		table_count(table, LINE_EXECUTIONS, line->executions);
		put_line(cover, table, LINE_LINE, &line->line);
		put_run(cover, table, LINE_FIRST, line->first);
		table_text(table, LINE_SOURCE, cover_path(cover, line->line.source));
		table_count(table, LINE_NUMBER, line->line.number);
	}
}

/* ---- by branch ----------------------------------------------------------- */

/*
 * The place of a branch is an offset in its file, because runs may load the file at
 * different addresses.
 */
enum {
	BRANCH_EXECUTIONS,
	BRANCH_TAKEN,
	BRANCH_NOT_TAKEN,
	BRANCH_OFF,
	BRANCH_LINE,
	BRANCH_MODULE,
	BRANCH_FIRST_TAKEN,
	BRANCH_FIRST_NOT_TAKEN,
	BRANCH_SOURCE,
	BRANCH_NUMBER,
	BRANCH_PATH,
	BRANCH_COLUMNS
};

static const struct table_column branch_columns[BRANCH_COLUMNS] = {
	[BRANCH_EXECUTIONS] = { "executions", TABLE_COUNT, false },
	[BRANCH_TAKEN] = { "taken", TABLE_COUNT, false },
	[BRANCH_NOT_TAKEN] = { "not_taken", TABLE_COUNT, false },
	[BRANCH_OFF] = { "offset", TABLE_ADDRESS, false },
	[BRANCH_LINE] = { "line", TABLE_TEXT, false },
	[BRANCH_MODULE] = { "module", TABLE_TEXT, false },
	[BRANCH_FIRST_TAKEN] = { "first_taken", TABLE_TEXT, false },
	[BRANCH_FIRST_NOT_TAKEN] = { "first_not_taken", TABLE_TEXT, false },
	[BRANCH_SOURCE] = { "source", TABLE_TEXT, true },
	[BRANCH_NUMBER] = { "number", TABLE_COUNT, true },
	[BRANCH_PATH] = { "path", TABLE_TEXT, true },
};

static void put_branch(struct table *table, const struct cover *cover,
		       const struct cover_branch *branch)
{
	const char *path = cover->modules[branch->module].path;

	table_row(table);
	table_count(table, BRANCH_EXECUTIONS, branch->executions);
	table_count(table, BRANCH_TAKEN, branch->taken);
	table_count(table, BRANCH_NOT_TAKEN, branch->not_taken);
	table_count(table, BRANCH_OFF, branch->file_off);
	put_line(cover, table, BRANCH_LINE, &branch->line);
	table_text(table, BRANCH_MODULE, base_name(path));
	put_run(cover, table, BRANCH_FIRST_TAKEN, branch->first_taken);
	put_run(cover, table, BRANCH_FIRST_NOT_TAKEN, branch->first_not_taken);
	/* Without debug information a branch has no line. */
	if (branch->line.source) {
		table_text(table, BRANCH_SOURCE, cover_path(cover, branch->line.source));
		table_count(table, BRANCH_NUMBER, branch->line.number);
	}
	table_text(table, BRANCH_PATH, path);
}

static void fill_branches(struct table *table, const struct cover *cover, bool reached)
{
	/*
	 * By executions and not by ways: a branch before a signal or at the end of a
	 * thread ran, but its way is not known.
	 */
	for (uint32_t i = 0; i < cover->n_branches; i++)
		if (!reached || cover->branches[i].executions)
			put_branch(table, cover, &cover->branches[i]);
}

/* ---- by run -------------------------------------------------------------- */

/*
 * What each run was the first to reach: how much it adds to the runs before it. The rows
 * add up to what is reached in all.
 */
enum { RUN_RUN, RUN_FUNCTIONS, RUN_LINES, RUN_WAYS, RUN_COLUMNS };

static const struct table_column run_columns[RUN_COLUMNS] = {
	[RUN_RUN] = { "run", TABLE_TEXT, false },
	[RUN_FUNCTIONS] = { "functions_first", TABLE_COUNT, false },
	[RUN_LINES] = { "lines_first", TABLE_COUNT, false },
	[RUN_WAYS] = { "ways_first", TABLE_COUNT, false },
};

static void fill_runs(struct table *table, const struct cover *cover, bool reached)
{
	(void)reached;
	for (uint32_t run = 1; run <= cover->n_runs; run++) {
		uint64_t functions = 0, lines = 0, ways = 0;

		for (uint32_t i = 0; i < cover->n_functions; i++)
			functions += cover->functions[i].first == run;
		for (uint32_t i = 0; i < cover->n_lines; i++)
			lines += cover->lines[i].first == run;
		for (uint32_t i = 0; i < cover->n_branches; i++)
			/* What this run reached as the first one. */
			ways += (cover->branches[i].first_taken == run) +
				(cover->branches[i].first_not_taken == run);
		table_row(table);
		table_text(table, RUN_RUN, cover->runs[run - 1]);
		table_count(table, RUN_FUNCTIONS, functions);
		table_count(table, RUN_LINES, lines);
		if (cover->has_branches)
			table_count(table, RUN_WAYS, ways);
	}
}

/* ---- all of them --------------------------------------------------------- */

/* In the order of enum cover_by, as the names. */
static const struct kind {
	const struct table_column *columns;
	unsigned n;
	void (*fill)(struct table *table, const struct cover *cover, bool reached);
} kinds[] = {
	[COVER_TOTAL] = { total_columns, TOTAL_COLUMNS, fill_total },
	[COVER_MODULE] = { module_columns, MODULE_COLUMNS, fill_modules },
	[COVER_SOURCE] = { source_columns, SOURCE_COLUMNS, NULL }, /* can fail */
	[COVER_FUNCTION] = { function_columns, FUNCTION_COLUMNS, fill_functions },
	[COVER_LINE] = { line_columns, LINE_COLUMNS, fill_lines },
	[COVER_BRANCH] = { branch_columns, BRANCH_COLUMNS, fill_branches },
	[COVER_RUN] = { run_columns, RUN_COLUMNS, fill_runs },
};

const struct table_column *cover_columns(enum cover_by by, unsigned *n)
{
	*n = kinds[by].n;
	return kinds[by].columns;
}

int cover_fill(struct table *table, const struct cover *cover, enum cover_by by,
	       bool reached, struct wm_error *err)
{
	if (by == COVER_SOURCE)
		return fill_sources(table, cover, reached, err);
	kinds[by].fill(table, cover, reached);
	return 0;
}
