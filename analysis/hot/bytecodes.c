// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tables of what an interpreter executed, of traces that were recorded with a guide: by
 * method, by bytecode, by line of its source. What was executed before any bytecode is a row
 * "[runtime]", or by method one row for each native function, so the rows add up to all
 * instructions that ran.
 *
 * A runtime may tell a method again, at another address: methods of one name, signature,
 * file, first line and length are one.
 */
#include <stdio.h>
#include <stdlib.h>

#include "analysis/hot/rows.h"
#include "analysis/methods/tallies.h"
#include "base/error.h"

enum {
	CODE_METHOD = HOT_COMMON,
	CODE_OFFSET,
	CODE_OPCODE,
	CODE_SOURCE,
	CODE_INTERPRETED,
	CODE_COMPILED,
	CODE_OPTIMISED,
	CODE_PATH,
	CODE_LINE,
	BYTECODE_COLUMNS
};

static const struct table_column bytecode_columns[BYTECODE_COLUMNS] = {
	HOT_COLUMNS,
	[CODE_METHOD] = { "method", TABLE_TEXT, false, true },
	[CODE_OFFSET] = { "offset", TABLE_COUNT, false },
	[CODE_OPCODE] = { "opcode", TABLE_TEXT, false },
	[CODE_SOURCE] = { "source", TABLE_TEXT, .spare = 2 },
	[CODE_INTERPRETED] = { "interpreted", TABLE_COUNT, true },
	[CODE_COMPILED] = { "compiled", TABLE_COUNT, true },
	[CODE_OPTIMISED] = { "optimised", TABLE_COUNT, true },
	[CODE_PATH] = { "path", TABLE_TEXT, true },
	[CODE_LINE] = { "line", TABLE_COUNT, true },
};

enum {
	LINE_BYTECODES = HOT_COMMON,
	LINE_SOURCE,
	LINE_METHOD,
	LINE_INTERPRETED,
	LINE_COMPILED,
	LINE_OPTIMISED,
	LINE_PATH,
	LINE_LINE,
	LINE_COLUMNS
};

static const struct table_column line_columns[LINE_COLUMNS] = {
	HOT_COLUMNS,
	[LINE_BYTECODES] = { "bytecodes", TABLE_COUNT, false },
	[LINE_SOURCE] = { "source", TABLE_TEXT, false },
	[LINE_METHOD] = { "method", TABLE_TEXT, false, true },
	[LINE_INTERPRETED] = { "interpreted", TABLE_COUNT, true },
	[LINE_COMPILED] = { "compiled", TABLE_COUNT, true },
	[LINE_OPTIMISED] = { "optimised", TABLE_COUNT, true },
	[LINE_PATH] = { "path", TABLE_TEXT, true },
	[LINE_LINE] = { "line", TABLE_COUNT, true },
};

/* ---- rows ---------------------------------------------------------------- */

static void put_runtime(const struct counted *hot, struct table *table, uint64_t insns,
			unsigned column)
{
	const struct hot_tally tally = { .insns = insns };

	if (!insns)
		return;
	hot_put_tally(hot, table, &tally);
	table_text(table, column, "[runtime]");
}

/* Columns of a place of source; `source` is the first, `path` and the line's follow. */
static void put_source(struct table *table, unsigned source, unsigned path,
		       const struct unit *unit, uint32_t line)
{
	char text[512];

	if (!*unit->file)
		return;
	table_text(table, path, unit->file);
	if (!line)
		return;
	snprintf(text, sizeof(text), "%s:%u", counted_base_name(unit->file), line);
	table_text(table, source, text);
	table_count(table, path + 1, line);
}

/* Its instructions, which are also told by tier from `column` on. */
static void put_tally(const struct counted *hot, struct table *table,
		      const struct code_tally *tally, unsigned column)
{
	hot_put_tally(hot, table,
		      &(struct hot_tally){ .insns = code_tally_insns(tally) });
	table_count(table, HOT_EXECUTIONS, tally->executions);
	for (unsigned i = 0; i < TALLY_TIERS; i++)
		table_count(table, column + i, tally->insns[i]);
}

static void put_bytecode(const struct counted *hot, struct table *table,
			 const struct method_tally *method, uint32_t offset)
{
	const struct code_tally *at = &method->at[offset];
	const char *opcode = unit_opcode(method->unit, offset);
	char text[512];

	put_tally(hot, table, at, CODE_INTERPRETED);
	method_name(method->unit, text, sizeof(text));
	table_text(table, CODE_METHOD, text);
	table_count(table, CODE_OFFSET, offset);
	if (opcode)
		table_text(table, CODE_OPCODE, opcode);
	put_source(table, CODE_SOURCE, CODE_PATH, method->unit,
		   unit_line(method->unit, offset));
}

static void put_bytecodes(const struct counted *hot, struct table *table,
			  const struct method_tally *method)
{
	for (uint32_t i = 0; i < method->unit->bytes; i++)
		if (code_tally_ran(&method->at[i]))
			put_bytecode(hot, table, method, i);
}

static void put_line(const struct counted *hot, struct table *table,
		     const struct method_tally *method, const struct source_tally *line)
{
	char text[512];

	put_tally(hot, table, &line->sum, LINE_INTERPRETED);
	table_count(table, LINE_BYTECODES, line->bytecodes);
	method_name(method->unit, text, sizeof(text));
	table_text(table, LINE_METHOD, text);
	put_source(table, LINE_SOURCE, LINE_PATH, method->unit, line->line);
}

static int put_lines(const struct counted *hot, struct table *table,
		     const struct method_tally *method)
{
	struct source_tally *lines;
	size_t n;
	int ret = method_tally_lines(method, &lines, &n);

	for (size_t i = 0; !ret && i < n; i++)
		put_line(hot, table, method, &lines[i]);
	free(lines);
	return ret;
}

/* ---- tables -------------------------------------------------------------- */

/* What becomes of a method. WM_E_NOMEM. */
typedef int put_fn(void *cookie, const struct counted *hot,
		   const struct method_tally *method);

/* Those that are known already, or else of its own, which the caller frees. */
static int tallies_of(const struct counted *hot, struct functions *functions,
		      struct tallies *own, const struct tallies **tallies,
		      struct wm_error *err)
{
	*tallies = hot->tallies ? hot->tallies : own;
	return hot->tallies ?
		       0 :
		       tallies_gather(own, hot->trace, functions, hot->selection, err);
}

static bool wants_method(const struct counted *hot, const struct unit *unit)
{
	return !hot->function || method_fits(unit, hot->function);
}

/* Calls put() for each method that the pattern fits. */
static int each_method(const struct counted *hot, const struct tallies *tallies,
		       put_fn *put, void *cookie)
{
	int ret = 0;

	for (uint32_t i = 1; !ret && i < tallies->index->n; i++)
		if (tallies->methods[i].at && wants_method(hot, tallies->methods[i].unit))
			ret = put(cookie, hot, &tallies->methods[i]);
	return ret;
}

static int put_all_bytecodes(void *cookie, const struct counted *hot,
			     const struct method_tally *method)
{
	put_bytecodes(hot, cookie, method);
	return 0;
}

static int put_all_lines(void *cookie, const struct counted *hot,
			 const struct method_tally *method)
{
	return put_lines(hot, cookie, method);
}

/* `column` is that of the method's name. */
static int fill(struct table *table, const struct counted *hot, put_fn *put,
		unsigned column, struct wm_error *err)
{
	struct tallies own;
	const struct tallies *tallies;
	int ret = tallies_of(hot, NULL, &own, &tallies, err);

	if (!ret)
		ret = each_method(hot, tallies, put, table);
	if (!ret && !hot->function)
		put_runtime(hot, table, tallies->runtime, column);
	if (tallies == &own)
		tallies_fini(&own);
	if (ret == WM_END)
		return methods_missing(hot->trace, "the trace ", err);
	return ret == WM_E_NOMEM ? wm_fail_nomem(err, "methods") : ret;
}

static int fill_bytecodes(struct table *table, const struct counted *hot,
			  struct wm_error *err)
{
	return fill(table, hot, put_all_bytecodes, CODE_METHOD, err);
}

static int fill_lines(struct table *table, const struct counted *hot,
		      struct wm_error *err)
{
	return fill(table, hot, put_all_lines, LINE_METHOD, err);
}

const struct hot_kind hot_bytecodes = { bytecode_columns, BYTECODE_COLUMNS,
					fill_bytecodes };
const struct hot_kind hot_sources = { line_columns, LINE_COLUMNS, fill_lines };

/* ---- methods, for analysis/hot/methods.c --------------------------------- */

struct asker {
	void (*take)(void *cookie, const struct hot_interpreted *method);
	void *cookie;
};

static int pass_method(void *cookie, const struct counted *hot,
		       const struct method_tally *method)
{
	const struct asker *asker = cookie;
	struct code_tally sum = { .executions = method->calls };
	char text[512];
	bool ran = false;

	(void)hot;
	for (uint32_t i = 0; i < method->unit->bytes; i++) {
		code_tally_add(&sum, &method->at[i]);
		ran |= code_tally_ran(&method->at[i]);
	}
	if (!ran)
		return 0;
	method_name(method->unit, text, sizeof(text));
	asker->take(asker->cookie,
		    &(struct hot_interpreted){ .name = text,
					       .file = method->unit->file,
					       .line = method_line(method->unit),
					       .sum = sum,
					       .ran = true });
	return 0;
}

/* What is no method's: functions that are native, and what is known of nobody. */
static void pass_native(const struct asker *asker, const struct tallies *tallies)
{
	const struct native *native = &tallies->native;
	struct hot_interpreted rest = { .name = "[runtime]", .file = "" };

	rest.sum.insns[0] = tallies->runtime;
	for (uint32_t i = 1; i < native->n; i++) {
		const struct function *function = functions_get(native->functions, i);
		struct hot_interpreted is = { .name = function->name,
					      .file = function->module };

		if (!native->insns[i])
			continue;
		if (!is.file)
			is.file = "";
		is.sum.insns[0] = native->insns[i];
		rest.sum.insns[0] -= native->insns[i];
		asker->take(asker->cookie, &is);
	}
	if (rest.sum.insns[0])
		asker->take(asker->cookie, &rest);
}

int hot_interpreted_each(const struct counted *hot,
			 void (*take)(void *cookie, const struct hot_interpreted *method),
			 void *cookie, struct wm_error *err)
{
	struct asker asker = { take, cookie };
	struct tallies own;
	const struct tallies *tallies;
	int ret = tallies_of(hot, hot->functions, &own, &tallies, err);

	if (!ret)
		ret = each_method(hot, tallies, pass_method, &asker);
	if (!ret && !hot->function)
		pass_native(&asker, tallies);
	if (tallies == &own)
		tallies_fini(&own);
	return ret == WM_E_NOMEM ? wm_fail_nomem(err, "methods") : ret;
}
