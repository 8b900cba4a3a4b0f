// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tables of two runs side by side: instructions by function, line or kind, or calls by
 * function.
 *
 * Functions of the two runs share a row when their files are the same (modules.h) and
 * they begin at the same place there, or in another build have the same symbol.
 * Instructions by function come from a mix by function. The division into kinds does not
 * matter for it, so it is by size, which every guest has.
 *
 * Example: `f` ran 100 instructions in A and 120 in B: its row is +20, 100, 120, 1.2.
 * Rows with equal counts are left out.
 *
 * Invariant: rows[id - 1] is the row of the key with that id, in the order of first
 * appearance: A's rows come first.
 */
#include "analysis/diff/table.h"

#include <ctype.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/calls/calls.h"
#include "analysis/counted.h"
#include "analysis/diff/lines.h"
#include "analysis/methods/tallies.h"
#include "analysis/mix/mix.h"
#include "base/append.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/intern.h"
#include "program/demangle.h"

const struct table_column diff_columns[DIFF_COLUMNS] = {
	[DIFF_CHANGE] = { "difference", TABLE_CHANGE, false },
	[DIFF_COUNT_A] = { "a", TABLE_COUNT, false },
	[DIFF_COUNT_B] = { "b", TABLE_COUNT, false },
	[DIFF_RATIO] = { "ratio", TABLE_REAL, .spare = 1 },
	[DIFF_NAME] = { "name", TABLE_TEXT, false, true },
	[DIFF_MODULE] = { "module", TABLE_TEXT, .spare = 2 },
	[DIFF_PATH] = { "path", TABLE_TEXT, true },
};

/* The division into kinds for each table of instructions. */
static const enum kinds_by kinds_of_by[] = {
	[DIFF_BY_FUNCTION] = KINDS_SIZE,     [DIFF_BY_CLASS] = KINDS_CLASS,
	[DIFF_BY_MNEMONIC] = KINDS_MNEMONIC, [DIFF_BY_EXTENSION] = KINDS_EXTENSION,
	[DIFF_BY_SIZE] = KINDS_SIZE,
};

struct row {
	uint64_t counts[2]; /* by side */
	char *name;	    /* owned, */
	char *module;	    /* too; of a function or a method; or NULL */
};

struct filler {
	enum diff_by by;
	const char *function;
	const struct diff_half *halves;
	const struct diff_modules *modules;
	struct interner keys;
	struct row *rows; /* [n] by id of the key - 1 */
	uint32_t n;
	struct wm_error *err;
	enum diff_side side; /* that is being added */
};

/* ---- rows ---------------------------------------------------------------- */

/* Adds to the row of a key; a new key gets a row. False: no memory. */
static bool add(struct filler *filler, const struct buf *key, const char *name,
		const char *module, uint64_t count)
{
	bool fresh;
	uint32_t id = key->failed ? 0 :
				    intern(&filler->keys, 0, key->data,
					   (uint32_t)key->len, &fresh);

	if (!id)
		return false;
	if (fresh) {
		struct row row = { .name = strdup(name),
				   .module = module ? strdup(module) : NULL };

		if (!row.name || (module && !row.module) ||
		    !APPEND(filler->rows, filler->n, row)) {
			free(row.name);
			free(row.module);
			return false;
		}
	}
	filler->rows[id - 1].counts[filler->side] += count;
	return true;
}

/* Appends what identifies a function on both sides. */
static void put_key(struct filler *filler, const struct function *function,
		    struct buf *key)
{
	const struct diff_module *module = NULL;
	struct symbol symbol = { .name = function->symbol };

	if (function->module)
		module = diff_modules_find(filler->modules, filler->side,
					   function->module);
	/*
	 * All code without a file shares identity 0, also code with a name that was
	 * given, and all code of a file without symbols shares a row.
	 */
	buf_put_u32(key, module ? module->identity : 0);
	if (function->inlined) {
		buf_put_u32(key, 0);
		buf_put_string(key, function->inlined);
	}
	if (!function->symbol)
		return;
	/*
	 * In the same build a place identifies the function; in another one functions
	 * have moved.
	 */
	if (module && module->same_build)
		buf_put_u64(key, function->start);
	else
		buf_put_u32(key,
			    symbols_rank(filler->halves[filler->side].symbols, &symbol));
	buf_put_string(key, function->symbol);
}

static bool add_function(struct filler *filler, const struct mix_group *group)
{
	const struct function *function =
		functions_get(filler->halves[filler->side].functions, group->number);
	struct buf key = BUF_INIT;
	bool good;

	put_key(filler, function, &key);
	good = add(filler, &key, function->name, function->module, group->insns);
	buf_fini(&key);
	return good;
}

static bool add_kind(struct filler *filler, const struct kinds *kinds,
		     const struct mix_row *row)
{
	const char *name = kinds_name(kinds, row->kind);
	struct buf key = BUF_INIT;
	bool good;

	buf_put_string(&key, name);
	good = add(filler, &key, name, NULL, row->sums.insns);
	buf_fini(&key);
	return good;
}

static bool add_mix(struct filler *filler, const struct kinds *kinds,
		    const struct mix *mix)
{
	bool good = true;

	if (filler->by == DIFF_BY_FUNCTION)
		for (size_t i = 0; good && i < mix->n_groups; i++)
			good = add_function(filler, &mix->groups[i]);
	else
		for (size_t i = 0; good && i < mix->n_rows; i++)
			good = add_kind(filler, kinds, &mix->rows[i]);
	return good;
}

/* ---- counting ------------------------------------------------------------ */

/* Gathers one side's instructions and adds them to the rows. */
static int gather(struct filler *filler, struct kinds *kinds)
{
	const struct diff_half *half = &filler->halves[filler->side];
	struct mix_ask ask = {
		.kinds = kinds,
		.per = filler->by == DIFF_BY_FUNCTION ? MIX_FUNCTION : MIX_WHOLE,
		.function = filler->function,
		.functions = half->functions,
	};
	struct mix mix;
	int ret = mix_gather(&mix, half->trace, half->selection, &ask, filler->err);

	if (!ret && !add_mix(filler, kinds, &mix))
		ret = wm_fail_nomem(filler->err, "a table");
	mix_fini(&mix);
	return ret;
}

/* Functions without a symbol are distinguished by where they begin. */
static bool add_called(struct filler *filler, const struct sites *sites,
		       const struct calls_function *called)
{
	const struct entity *entity = sites_entity(sites, called->entity);
	const struct function *function =
		functions_get(filler->halves[filler->side].functions, entity->function);
	struct buf key = BUF_INIT;
	char *name = sites_name(sites, called->entity);
	bool good;

	put_key(filler, function, &key);
	if (!function->symbol)
		buf_put_u64(&key, entity->offset);
	good = name && add(filler, &key, name, function->module, called->calls);
	buf_fini(&key);
	free(name);
	return good;
}

static bool add_calls(struct filler *filler, const struct calls *calls)
{
	bool good = true;

	for (uint32_t i = 0; good && i < calls->n_functions; i++) {
		const struct calls_function *called = &calls->functions[i];

		if (called->calls &&
		    (!filler->function ||
		     sites_match(calls->sites, called->entity, filler->function)))
			good = add_called(filler, calls->sites, called);
	}
	return good;
}

static int gather_calls(struct filler *filler)
{
	const struct diff_half *half = &filler->halves[filler->side];
	/* Calling contexts are not needed, so none are kept. */
	struct calls calls;
	int ret = calls_gather(&calls, half->trace, half->functions, half->selection, 0,
			       filler->err);

	if (!ret && !add_calls(filler, &calls))
		ret = wm_fail_nomem(filler->err, "a table");
	calls_fini(&calls);
	return ret;
}

static const char *base_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/*
 * Lines of both runs share a row when path and number are the same; code without lines is one
 * row for each file.
 */
static bool add_line(void *cookie, const struct diff_line *line, uint64_t count)
{
	const struct filler *filler = cookie;
	const char *path = line->path, *module = line->function->module;
	const struct diff_module *file = NULL;
	const char *whose = path ? path : module ? module : "anonymous";
	const char *base = base_of(whose);
	struct buf key = BUF_INIT;
	char name[PATH_MAX];
	bool good;

	if (path)
		snprintf(name, sizeof(name), "%s:%" PRIu32, base, line->line);
	else
		snprintf(name, sizeof(name), "[%s]", base);
	if (!path && module)
		file = diff_modules_find(filler->modules, filler->side, module);
	buf_put_u32(&key, path ? line->line : 0);
	/* Another build of a file may have another name. */
	buf_put_u32(&key, file ? file->identity : 0);
	if (!file)
		buf_put_string(&key, whose);
	good = add(cookie, &key, name, module, count);
	buf_fini(&key);
	return good;
}

/* ---- methods ------------------------------------------------------------- */

/* Behind "A$$Lambda", what ends before `end`: a number, "$14", which older JVMs put there. */
static char *before_number(char *name, char *end)
{
	static const char lambda[] = "$$Lambda";
	const size_t length = sizeof(lambda) - 1;
	char *at = end;

	while (at > name && isdigit((unsigned char)at[-1]))
		at--;
	if (at == end || (size_t)(at - name) <= length || at[-1] != '$' ||
	    memcmp(at - 1 - length, lambda, length) != 0)
		return end;
	return at - 1;
}

/*
 * "A$$Lambda.run()V": the JVM calls classes that it makes by their addresses, as
 * A$$Lambda+0x0000004098008b18, and in another run by others.
 */
static void name_without_address(const struct unit *unit, char name[PATH_MAX])
{
	const char *behind;
	char *at;

	method_name(unit, name, PATH_MAX);
	while ((at = strstr(name, "+0x"))) {
		behind = at + 3 + strspn(at + 3, "0123456789abcdef");
		memmove(before_number(name, at), behind, strlen(behind) + 1);
	}
}

/*
 * Methods of both runs share a row when name, signature and the file's name are the same;
 * lines of them when the line is, too. `row` is what the row is called, `name` the method.
 */
static bool add_method(struct filler *filler, const struct unit *unit, uint32_t line,
		       const char *name, const char *row, uint64_t insns)
{
	struct buf key = BUF_INIT;
	bool good;

	buf_put_u32(&key, line);
	buf_put_string(&key, name);
	buf_put_string(&key, base_of(unit->file));
	good = add(filler, &key, row, *unit->file ? unit->file : NULL, insns);
	buf_fini(&key);
	return good;
}

static bool add_method_lines(struct filler *filler, const struct method_tally *method)
{
	struct source_tally *lines;
	char name[PATH_MAX], row[2 * PATH_MAX];
	size_t n;
	bool good = !method_tally_lines(method, &lines, &n);

	name_without_address(method->unit, name);
	for (size_t i = 0; good && i < n; i++) {
		snprintf(row, sizeof(row), "%s (%s:%" PRIu32 ")", name,
			 base_of(method->unit->file), lines[i].line);
		good = add_method(filler, method->unit, lines[i].line, name, row,
				  code_tally_insns(&lines[i].sum));
	}
	free(lines);
	return good;
}

static bool add_whole_method(struct filler *filler, const struct method_tally *method)
{
	struct code_tally sum = { .executions = 0 };
	char name[PATH_MAX];

	for (uint32_t i = 0; i < method->unit->bytes; i++)
		code_tally_add(&sum, &method->at[i]);
	name_without_address(method->unit, name);
	return add_method(filler, method->unit, 0, name, name, code_tally_insns(&sum));
}

static bool wants_method(const struct filler *filler, const struct unit *unit)
{
	char name[PATH_MAX];

	method_name(unit, name, sizeof(name));
	return !filler->function || demangle_fits(filler->function, name);
}

static bool add_methods(struct filler *filler, const struct tallies *tallies)
{
	static const struct unit runtime = { .name = "[runtime]",
					     .detail = "",
					     .file = "" };
	bool good = true;

	if (wants_method(filler, &runtime))
		good = add_method(filler, &runtime, 0, runtime.name, runtime.name,
				  tallies->runtime);
	for (uint32_t i = 1; good && i < tallies->index->n; i++) {
		const struct method_tally *method = &tallies->methods[i];

		if (!method->at || !wants_method(filler, method->unit))
			continue;
		good = filler->by == DIFF_BY_METHOD ? add_whole_method(filler, method) :
						      add_method_lines(filler, method);
	}
	return good;
}

static int gather_methods(struct filler *filler)
{
	const struct diff_half *half = &filler->halves[filler->side];
	struct tallies tallies;
	int ret =
		tallies_gather(&tallies, half->trace, NULL, half->selection, filler->err);

	if (ret == WM_END)
		ret = methods_missing(half->trace, filler->side == DIFF_A ? "A " : "B ",
				      filler->err);
	else if (!ret && !add_methods(filler, &tallies))
		ret = wm_fail_nomem(filler->err, "a table");
	tallies_fini(&tallies);
	return ret;
}

/* ---- one side ------------------------------------------------------------ */

static int add_side(struct filler *filler, enum diff_side side)
{
	struct kinds *kinds;
	int ret;

	/* Calls are not divided into kinds. */
	filler->side = side;
	functions_unfold(filler->halves[side].functions,
			 filler->halves[side].inlined ? filler->halves[side].lines :
							NULL);
	if (filler->by == DIFF_BY_CALLS)
		return gather_calls(filler);
	if (filler->by >= DIFF_BY_METHOD)
		return gather_methods(filler);
	if (filler->by == DIFF_BY_LINE)
		return diff_lines_gather(&filler->halves[side], filler->function,
					 add_line, filler, filler->err);
	/*
	 * Each side has kinds of its own, with their own numbers. Rows are shared by the
	 * name of a kind.
	 */
	ret = kinds_new(&kinds, filler->halves[side].trace, kinds_of_by[filler->by],
			filler->err);
	if (ret)
		return ret;
	ret = gather(filler, kinds);
	kinds_free(kinds);
	return ret;
}

/* ---- the table ----------------------------------------------------------- */

static void put_row(struct table *table, const struct row *row, bool of_function)
{
	/*
	 * The subtraction wraps for a decrease, and as a signed number it is right again.
	 */
	table_row(table);
	table_change(table, DIFF_CHANGE,
		     (int64_t)(row->counts[DIFF_B] - row->counts[DIFF_A]));
	table_count(table, DIFF_COUNT_A, row->counts[DIFF_A]);
	table_count(table, DIFF_COUNT_B, row->counts[DIFF_B]);
	/* A ratio to 0 is left empty. */
	if (row->counts[DIFF_A])
		table_real(table, DIFF_RATIO,
			   (double)row->counts[DIFF_B] / (double)row->counts[DIFF_A]);
	table_text(table, DIFF_NAME, row->name);
	if (!of_function)
		return;
	table_text(table, DIFF_MODULE, counted_base_name(row->module));
	table_text(table, DIFF_PATH, row->module);
}

int diff_table_fill(struct table *table, enum diff_by by, const char *function,
		    const struct diff_half halves[2], const struct diff_modules *modules,
		    bool *differs, enum diff_side *at, struct wm_error *err)
{
	struct filler filler = {
		.by = by,
		.function = function,
		.halves = halves,
		.modules = modules,
		.keys = INTERNER_INIT,
		.err = err,
	};
	/* A comes first, so its rows stand before those that only B has. */
	int ret = add_side(&filler, DIFF_A);

	if (!ret)
		ret = add_side(&filler, DIFF_B);
	*at = filler.side;
	*differs = false;
	/*
	 * The rows are the differences: an empty table means that both sides are equal.
	 */
	for (uint32_t i = 0; !ret && i < filler.n; i++)
		if (filler.rows[i].counts[DIFF_A] != filler.rows[i].counts[DIFF_B]) {
			*differs = true;
			put_row(table, &filler.rows[i],
				diff_columns_of(by) == DIFF_COLUMNS);
		}
	interner_fini(&filler.keys);
	for (uint32_t i = 0; i < filler.n; i++) {
		free(filler.rows[i].name);
		free(filler.rows[i].module);
	}
	free(filler.rows);
	return ret;
}
