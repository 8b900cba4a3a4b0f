// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A report reads what `suite run` left in a folder, and needs neither the suite's file nor the
 * traces: folders of results can be archived without them. Here are its two plain tables, by
 * case and by function; cli/suite/overview.c has the answer for people.
 *
 * Where a change is by chance, as within the spread of a program's runs, the rows say so, and
 * the exit status does not count them (cli/suite/changed.c).
 */
#include "cli/suite/report.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/append.h"
#include "base/error.h"
#include "cli/suite/changed.h"
#include "cli/suite/overview.h"

static int no_memory(struct wm_error *err)
{
	return wm_fail_nomem(err, "a report");
}

/* ---- which cases --------------------------------------------------------- */

static int compare_names(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static int add_names(struct report *report, const char *folder, struct wm_error *err)
{
	DIR *all = opendir(folder);
	struct dirent *entry;
	int ret = 0;

	if (!all && errno == ENOENT)
		return wm_fail(err, WM_E_IO, 0,
			       "there is no folder %s: waymark suite run makes results",
			       folder);
	if (!all)
		return wm_fail_errno(err, "%s", folder);
	while (!ret && (entry = readdir(all))) {
		struct changed_case of;
		char *name;

		changed_case_read(&of, folder, NULL, entry->d_name);
		if (*entry->d_name == '.' || of.now.status == SUITE_MISSING)
			continue;
		name = strdup(entry->d_name);
		if (!name || !APPEND(report->names, report->n, name)) {
			free(name);
			ret = no_memory(err);
		}
	}
	closedir(all);
	return ret;
}

int report_find(struct report *report, struct wm_error *err)
{
	int ret = add_names(report, report->folder, err);
	size_t n = 0;

	if (!ret && report->against)
		ret = add_names(report, report->against, err);
	if (!ret && !report->n)
		ret = wm_fail(err, WM_E_RANGE, 0,
			      "%s has no results: waymark suite run makes them",
			      report->folder);
	if (report->n)
		qsort(report->names, report->n, sizeof(*report->names), compare_names);
	/* A case that both have comes once. */
	for (size_t i = 0; i < report->n; i++)
		if (n && !strcmp(report->names[n - 1], report->names[i]))
			free((char *)report->names[i]);
		else
			report->names[n++] = report->names[i];
	report->n = n;
	return ret;
}

void report_fini(struct report *report)
{
	for (size_t i = 0; i < report->n; i++)
		free((char *)report->names[i]);
	free(report->names);
}

/* ---- by case ------------------------------------------------------------- */

enum {
	CASE_CASE,
	CASE_STATUS,
	CASE_INSNS,
	CASE_WAS,
	CASE_CHANGE,
	CASE_RELATIVE,
	CASE_BYTES,
	CASE_SECONDS,
	CASE_RUNS,
	CASE_SPREAD,
	CASE_BLOCKS,
	CASE_EXIT,
	CASE_NOTE,
	CASE_REASON,
	CASE_COLUMNS
};

static const struct table_column case_columns[CASE_COLUMNS] = {
	[CASE_CASE] = { "case", TABLE_TEXT, false },
	[CASE_STATUS] = { "status", TABLE_TEXT, false },
	[CASE_INSNS] = { "insns", TABLE_COUNT, false },
	[CASE_WAS] = { "was", TABLE_COUNT, false },
	[CASE_CHANGE] = { "change", TABLE_CHANGE, false },
	[CASE_RELATIVE] = { "relative", TABLE_SHARE, false },
	[CASE_BYTES] = { "trace_bytes", TABLE_COUNT, false },
	[CASE_SECONDS] = { "seconds", TABLE_REAL, false },
	[CASE_RUNS] = { "runs", TABLE_COUNT, true },
	[CASE_SPREAD] = { "spread", TABLE_COUNT, true },
	[CASE_BLOCKS] = { "blocks", TABLE_COUNT, true },
	[CASE_EXIT] = { "exit", TABLE_COUNT, true },
	[CASE_NOTE] = { "note", TABLE_TEXT, false },
	[CASE_REASON] = { "reason", TABLE_TEXT, false },
};

static void put_result(struct table *table, const struct result *result)
{
	table_count(table, CASE_INSNS, result->insns);
	table_count(table, CASE_BYTES, result->trace_bytes);
	table_real(table, CASE_SECONDS, (double)result->milliseconds / 1000);
	table_count(table, CASE_RUNS, result->runs);
	table_count(table, CASE_SPREAD, result->most - result->fewest);
	table_count(table, CASE_BLOCKS, result->blocks);
	table_count(table, CASE_EXIT, result->exit_status);
	table_text(table, CASE_REASON, *result->reason ? result->reason : NULL);
}

static void put_change(const struct report *report, struct table *table,
		       const struct changed_case *of)
{
	if (of->was.status != SUITE_MISSING)
		table_count(table, CASE_WAS, of->was.insns);
	if (report->against)
		table_change(table, CASE_CHANGE, changed_insns(of));
	if (of->was.insns)
		table_real(table, CASE_RELATIVE,
			   overview_relative(of->now.insns, of->was.insns));
	if (of->chance && changed_insns(of))
		table_text(table, CASE_NOTE, of->chance);
}

static void fill_cases(struct report *report, struct table *table)
{
	for (size_t i = 0; i < report->n; i++) {
		struct changed_case of;

		changed_case_read(&of, report->folder, report->against, report->names[i]);
		table_row(table);
		table_text(table, CASE_CASE, of.name);
		table_text(table, CASE_STATUS, suite_statuses[of.now.status]);
		if (of.now.status != SUITE_MISSING)
			put_result(table, &of.now);
		put_change(report, table, &of);
		report->changed |= of.now.status != SUITE_PASSED || of.changed;
	}
}

/* ---- by function --------------------------------------------------------- */

enum {
	FUNCTION_CHANGE,
	FUNCTION_INSNS,
	FUNCTION_WAS,
	FUNCTION_EXECUTIONS,
	FUNCTION_EXECUTIONS_WERE,
	FUNCTION_CASE,
	FUNCTION_FUNCTION,
	FUNCTION_MODULE,
	FUNCTION_NOTE,
	FUNCTION_COLUMNS
};

static const struct table_column function_columns[FUNCTION_COLUMNS] = {
	[FUNCTION_CHANGE] = { "change", TABLE_CHANGE, false },
	[FUNCTION_INSNS] = { "insns", TABLE_COUNT, false },
	[FUNCTION_WAS] = { "was", TABLE_COUNT, false },
	[FUNCTION_EXECUTIONS] = { "executions", TABLE_COUNT, true },
	[FUNCTION_EXECUTIONS_WERE] = { "executions_were", TABLE_COUNT, true },
	[FUNCTION_CASE] = { "case", TABLE_TEXT, false },
	[FUNCTION_FUNCTION] = { "function", TABLE_TEXT, false },
	[FUNCTION_MODULE] = { "module", TABLE_TEXT, false },
	[FUNCTION_NOTE] = { "note", TABLE_TEXT, false },
};

static void put_function(struct table *table, const struct changed_case *in,
			 const struct changed_function *of)
{
	table_row(table);
	table_change(table, FUNCTION_CHANGE, (int64_t)(of->insns - of->insns_were));
	table_count(table, FUNCTION_INSNS, of->insns);
	table_count(table, FUNCTION_WAS, of->insns_were);
	if (changed_counts(of->insns, of->executions))
		table_count(table, FUNCTION_EXECUTIONS, of->executions);
	if (changed_counts(of->insns_were, of->executions_were))
		table_count(table, FUNCTION_EXECUTIONS_WERE, of->executions_were);
	table_text(table, FUNCTION_CASE, in->name);
	table_text(table, FUNCTION_FUNCTION, of->name);
	table_text(table, FUNCTION_MODULE, of->module);
	table_text(table, FUNCTION_NOTE, in->chance);
}

static int fill_functions(struct report *report, struct table *table, const char *name,
			  struct wm_error *err)
{
	struct changed_functions functions;
	struct changed_case in;
	int ret = changed_functions_read(&functions, report->folder, report->against,
					 name, err);

	changed_case_read(&in, report->folder, report->against, name);
	for (size_t i = 0; !ret && i < functions.n; i++)
		put_function(table, &in, &functions.all[i]);
	report->changed |= functions.n && !in.chance;
	changed_functions_fini(&functions);
	return ret;
}

/* ---- both ---------------------------------------------------------------- */

/* What compares is not printed where there is nothing to compare with. */
const struct table_column *report_columns(struct report *report, unsigned *n)
{
	bool cases = report->by == REPORT_CASE;

	*n = cases ? CASE_COLUMNS : FUNCTION_COLUMNS;
	memcpy(report->columns, cases ? case_columns : function_columns,
	       *n * sizeof(*report->columns));
	for (unsigned i = 0; cases && !report->against && i < *n; i++)
		report->columns[i].extra |= i == CASE_WAS || i == CASE_CHANGE ||
					    i == CASE_RELATIVE || i == CASE_NOTE;
	return report->columns;
}

int report_fill(void *cookie, struct table *table, struct wm_error *err)
{
	struct report *report = cookie;
	int ret = 0;

	if (report->by == REPORT_CASE)
		fill_cases(report, table);
	for (size_t i = 0; !ret && report->by == REPORT_FUNCTION && i < report->n; i++)
		ret = fill_functions(report, table, report->names[i], err);
	return ret;
}
