// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The tables of mispredictions. Each adds up the branches of blocks by a key of its own:
 * the function that the instruction is in, the instruction itself, or its kind.
 *
 * An instruction ends several blocks when code jumps into the middle of one, and a block
 * runs in several spaces; all of them are one row by branch. It is known by its place in
 * a file and its bytes (analysis/insn_counts.h). Example: the branch at 0x10420 ends the
 * blocks at 0x10400 and 0x10410. They ran 90 and 10 times, so its row has 100 executions.
 *
 * Misses per 1000 instructions (MPKI) are of all instructions of the selected part, in
 * every row: so the rows of a table add up to that of the run. Example: 5 misses of `f`
 * and 15 of `g` in 10,000 instructions are 0.5 and 1.5, and 2 in all, however many of the
 * instructions are those of `f`.
 *
 * Invariant: without --function the rows of every table add up to the same executions and
 * misses, those of struct totals.
 */
#include <stdlib.h>

#include "analysis/bpred/bpred.h"
#include "analysis/insn_counts.h"
#include "base/error.h"

const char *const bpred_names[] = { "function", "branch", "kind", NULL };

/* Flows from WM_FLOW_BRANCH on are branches; indirect jumps are the last of them. */
enum { KINDS = WM_FLOW_JUMP_INDIRECT + 1 };

/* By enum wm_flow; NULL for what is no branch. */
static const char *const kind_names[KINDS] = {
	[WM_FLOW_BRANCH] = "conditional", [WM_FLOW_JUMP] = "jump",
	[WM_FLOW_CALL] = "call",	  [WM_FLOW_CALL_INDIRECT] = "indirect call",
	[WM_FLOW_RETURN] = "return",	  [WM_FLOW_JUMP_INDIRECT] = "indirect jump",
};

/* What all rows have, and what they are shares of. */
struct totals {
	uint64_t insns;
	struct bpred_tally tally;
};

/* 0 where nothing ran, or nothing was missed: a cell must not be NaN. */
static double share(uint64_t part, uint64_t of)
{
	return of ? (double)part / (double)of : 0;
}

/* Of all functions, also of those that are not shown: shares are of the run. */
static struct totals totals_of(const struct counted *counted, const struct bpred *bpred)
{
	struct totals totals = { .insns = counted->counts->insns };

	for (size_t i = 0; i < bpred->n; i++)
		bpred_add(&totals.tally, &bpred->branches[i].tally);
	return totals;
}

/* The first columns of the tables by function and by branch. */
enum { MISSED, SHARE, CUMULATIVE, MPKI, EXECUTIONS, RATE, COMMON };

/* Two tables begin with the same columns, so that they can be compared. */
#define COMMON_COLUMNS                                              \
	[MISSED] = { "mispredicted", TABLE_COUNT, false },          \
	[SHARE] = { "share", TABLE_SHARE, false },                  \
	[CUMULATIVE] = { "cumulative", TABLE_RUNNING, .spare = 1 }, \
	[MPKI] = { "mpki", TABLE_REAL, .spare = 1 },                \
	[EXECUTIONS] = { "executions", TABLE_COUNT, false },        \
	[RATE] = { "rate", TABLE_SHARE, false }

/* Begins a row, with what both tables have. */
static void put_common(struct table *table, const struct totals *totals,
		       const struct bpred_tally *tally)
{
	table_row(table);
	table_count(table, MISSED, tally->missed);
	table_real(table, SHARE, share(tally->missed, totals->tally.missed));
	table_real(table, MPKI, 1000 * share(tally->missed, totals->insns));
	table_count(table, EXECUTIONS, tally->executions);
	table_real(table, RATE, share(tally->missed, tally->executions));
}

/* ---- by function --------------------------------------------------------- */

/* Each kind of branch has a predictor of its own, and so a column of its misses. */
enum {
	FUNCTION_CONDITIONAL = COMMON,
	FUNCTION_INDIRECT,
	FUNCTION_RETURNS,
	FUNCTION_NAME,
	FUNCTION_MODULE,
	FUNCTION_PATH,
	FUNCTION_COLUMNS
};

static const struct table_column function_columns[FUNCTION_COLUMNS] = {
	COMMON_COLUMNS,
	[FUNCTION_CONDITIONAL] = { "conditional", TABLE_COUNT, .spare = 1 },
	[FUNCTION_INDIRECT] = { "indirect", TABLE_COUNT, .spare = 1 },
	[FUNCTION_RETURNS] = { "returns", TABLE_COUNT, .spare = 1 },
	[FUNCTION_NAME] = { "function", TABLE_TEXT, false, true },
	[FUNCTION_MODULE] = { "module", TABLE_TEXT, .spare = 2 },
	[FUNCTION_PATH] = { "path", TABLE_TEXT, true },
};

/* A branch at first, and after fold_functions() a function. */
struct function_tally {
	uint32_t function;
	struct bpred_tally all;
	uint64_t missed[KINDS];
};

static int by_function(const void *a, const void *b)
{
	const struct function_tally *x = a, *y = b;

	return x->function < y->function ? -1 : x->function > y->function;
}

/*
 * Adds up the branches of each function, in place. Returns how many functions there are.
 * Example: functions 4 2 4 become 2 4.
 */
static size_t fold_functions(struct function_tally *all, size_t n)
{
	size_t kept = 0;

	if (n)
		qsort(all, n, sizeof(*all), by_function);
	for (size_t i = 0; i < n; i++) {
		if (!kept || by_function(&all[kept - 1], &all[i])) {
			all[kept++] = all[i];
			continue;
		}
		bpred_add(&all[kept - 1].all, &all[i].all);
		for (unsigned kind = 0; kind < KINDS; kind++)
			all[kept - 1].missed[kind] += all[i].missed[kind];
	}
	return kept;
}

static void put_function(struct table *table, const struct counted *counted,
			 const struct totals *totals, const struct function_tally *tally)
{
	const struct function *function =
		/* Direct jumps and calls have no column: their target is always right. */
		functions_get(counted->functions, tally->function);

	put_common(table, totals, &tally->all);
	table_count(table, FUNCTION_CONDITIONAL, tally->missed[WM_FLOW_BRANCH]);
	table_count(table, FUNCTION_INDIRECT,
		    tally->missed[WM_FLOW_CALL_INDIRECT] +
			    tally->missed[WM_FLOW_JUMP_INDIRECT]);
	table_count(table, FUNCTION_RETURNS, tally->missed[WM_FLOW_RETURN]);
	table_text(table, FUNCTION_NAME, function->name);
	table_text(table, FUNCTION_MODULE, counted_base_name(function->module));
	table_text(table, FUNCTION_PATH, function->module);
}

/* A row for each function with a branch that ran. */
static int fill_functions(struct table *table, const struct counted *counted,
			  const struct bpred *bpred, struct wm_error *err)
{
	struct totals totals = totals_of(counted, bpred);
	/* One more, because calloc(0) may return NULL. */
	struct function_tally *all = calloc(bpred->n + 1, sizeof(*all));
	size_t n = 0;

	for (size_t i = 0; all && i < bpred->n; i++) {
		const struct bpred_branch *branch = &bpred->branches[i];

		all[i] = (struct function_tally){
			.function = functions_at(counted->functions, branch->space,
						 branch->address, branch->id, NULL),
			.all = branch->tally,
		};
		all[i].missed[branch->flow] = branch->tally.missed;
		/* The number 0 is a lack of memory. */
		n += all[i].function != 0;
	}
	if (!all || n < bpred->n) {
		free(all);
		return wm_fail_nomem(err, "branches");
	}
	n = fold_functions(all, n);
	/* Selected last, because shares are of all functions. */
	for (size_t i = 0; i < n; i++)
		if (counted_wants(counted, all[i].function))
			put_function(table, counted, &totals, &all[i]);
	free(all);
	return 0;
}

/* ---- by branch ----------------------------------------------------------- */

enum {
	BRANCH_TAKEN = COMMON,
	BRANCH_KIND,
	BRANCH_ADDRESS,
	BRANCH_PLACE,
	BRANCH_LINE,
	BRANCH_MODULE,
	BRANCH_FUNCTION,
	BRANCH_OFFSET,
	BRANCH_PATH,
	BRANCH_COLUMNS
};

static const struct table_column branch_columns[BRANCH_COLUMNS] = {
	COMMON_COLUMNS,
	[BRANCH_TAKEN] = { "taken", TABLE_SHARE, .spare = 2 },
	[BRANCH_KIND] = { "kind", TABLE_TEXT, false },
	[BRANCH_ADDRESS] = { "address", TABLE_ADDRESS, .spare = 1 },
	[BRANCH_PLACE] = { "place", TABLE_TEXT, false, true },
	[BRANCH_LINE] = { "line", TABLE_TEXT, .spare = 2 },
	[BRANCH_MODULE] = { "module", TABLE_TEXT, .spare = 2 },
	[BRANCH_FUNCTION] = { "function", TABLE_TEXT, true, true },
	[BRANCH_OFFSET] = { "offset", TABLE_COUNT, true },
	[BRANCH_PATH] = { "path", TABLE_TEXT, true },
};

/* As function_tally, with an instruction in place of the function. */
struct branch_tally {
	struct insn_count insn; /* its place; the counts are not used */
	uint32_t flow;
	struct bpred_tally tally;
};

static int by_insn(const void *a, const void *b)
{
	const struct branch_tally *x = a, *y = b;

	return insn_count_compare(&x->insn, &y->insn);
}

/* As fold_functions(): the same instruction in several blocks or spaces becomes one. */
static size_t fold_branches(struct branch_tally *all, size_t n)
{
	size_t kept = 0;

	if (n)
		qsort(all, n, sizeof(*all), by_insn);
	for (size_t i = 0; i < n; i++)
		if (kept && !by_insn(&all[kept - 1], &all[i]))
			bpred_add(&all[kept - 1].tally, &all[i].tally);
		else
			all[kept++] = all[i];
	return kept;
}

static void put_branch(struct table *table, const struct counted *counted,
		       const struct totals *totals, const struct branch_tally *branch,
		       const struct function *function, uint64_t offset)
{
	const struct insn_count *insn = &branch->insn;
	struct srcline line;

	put_common(table, totals, &branch->tally);
	table_real(table, BRANCH_TAKEN,
		   share(branch->tally.taken, branch->tally.executions));
	table_text(table, BRANCH_KIND, kind_names[branch->flow]);
	table_count(table, BRANCH_ADDRESS, insn->address);
	counted_put_place(table, BRANCH_PLACE, function, offset);
	/* Code that the program generated has no file, and so no lines. */
	if (insn->origin.file != INSN_NO_FILE &&
	    srclines_at(counted->lines, &insn->origin, &line))
		counted_put_line(counted, table, BRANCH_LINE, &line);
	table_text(table, BRANCH_MODULE, counted_base_name(function->module));
	table_text(table, BRANCH_FUNCTION, function->name);
	table_count(table, BRANCH_OFFSET, offset);
	table_text(table, BRANCH_PATH, function->module);
}

/* Functions are looked up only now, because rows were made by place. */
static int put_branches(struct table *table, const struct counted *counted,
			const struct totals *totals, const struct branch_tally *all,
			size_t n, struct wm_error *err)
{
	for (size_t i = 0; i < n; i++) {
		const struct insn_count *insn = &all[i].insn;
		uint64_t offset;
		uint32_t number = functions_at(counted->functions, insn->space,
					       insn->address, insn->id, &offset);

		if (!number)
			return wm_fail_nomem(err, "branches");
		if (counted_wants(counted, number))
			put_branch(table, counted, totals, &all[i],
				   functions_get(counted->functions, number), offset);
	}
	return 0;
}

/* A row for each branch instruction that ran. */
static int fill_branches(struct table *table, const struct counted *counted,
			 const struct bpred *bpred, struct wm_error *err)
{
	struct totals totals = totals_of(counted, bpred);
	struct branch_tally *all = calloc(bpred->n + 1, sizeof(*all));
	struct wm_block block;
	size_t n = 0;
	int ret;

	if (!all)
		return wm_fail_nomem(err, "branches");
	for (size_t i = 0; i < bpred->n; i++) {
		const struct bpred_branch *branch = &bpred->branches[i];

		/* Only a damaged trace has an id without a block. */
		if (wm_trace_block(counted->trace, branch->id, &block))
			continue;
		insn_count_at(&all[n].insn, &block, counted->symbols, branch->space,
			      branch->id, branch->index);
		all[n].flow = branch->flow;
		all[n++].tally = branch->tally;
	}
	n = fold_branches(all, n);
	ret = put_branches(table, counted, &totals, all, n, err);
	free(all);
	return ret;
}

/* ---- by kind ------------------------------------------------------------- */

enum {
	KIND_KIND,
	KIND_EXECUTIONS,
	KIND_TAKEN,
	KIND_MISSED,
	KIND_RATE,
	KIND_MPKI,
	KIND_COLUMNS
};

static const struct table_column kind_columns[KIND_COLUMNS] = {
	[KIND_KIND] = { "kind", TABLE_TEXT, false },
	[KIND_EXECUTIONS] = { "executions", TABLE_COUNT, false },
	[KIND_TAKEN] = { "taken", TABLE_COUNT, false },
	[KIND_MISSED] = { "mispredicted", TABLE_COUNT, false },
	[KIND_RATE] = { "rate", TABLE_SHARE, false },
	[KIND_MPKI] = { "mpki", TABLE_REAL, false },
};

/* Direct jumps and calls have rows too: they show how often each kind ran. */
static void put_kind(struct table *table, const char *name, uint64_t insns,
		     const struct bpred_tally *tally)
{
	table_row(table);
	table_text(table, KIND_KIND, name);
	table_count(table, KIND_EXECUTIONS, tally->executions);
	table_count(table, KIND_TAKEN, tally->taken);
	table_count(table, KIND_MISSED, tally->missed);
	table_real(table, KIND_RATE, share(tally->missed, tally->executions));
	table_real(table, KIND_MPKI, 1000 * share(tally->missed, insns));
}

/* All kinds, those that did not run too, and their sum. */
static int fill_kinds(struct table *table, const struct counted *counted,
		      const struct bpred *bpred, struct wm_error *err)
{
	struct bpred_tally tallies[KINDS] = { { 0 } }, all = { 0 };

	/* There are few kinds, so the rows are added to directly. */
	for (size_t i = 0; i < bpred->n; i++) {
		const struct bpred_branch *branch = &bpred->branches[i];
		uint32_t function;

		/* The function only decides whether the branch counts. */
		function = functions_at(counted->functions, branch->space,
					branch->address, branch->id, NULL);
		if (!function)
			return wm_fail_nomem(err, "branches");
		if (!counted_wants(counted, function))
			continue;
		bpred_add(&tallies[branch->flow], &branch->tally);
		bpred_add(&all, &branch->tally);
	}
	for (unsigned kind = WM_FLOW_BRANCH; kind < KINDS; kind++)
		put_kind(table, kind_names[kind], counted->counts->insns, &tallies[kind]);
	/* The sum of what is shown, so it follows --function, too. */
	put_kind(table, "all", counted->counts->insns, &all);
	return 0;
}

/* ---- which table --------------------------------------------------------- */

/* By enum bpred_by. */
static const struct {
	const struct table_column *columns;
	unsigned n;
	int (*fill)(struct table *table, const struct counted *counted,
		    const struct bpred *bpred, struct wm_error *err);
} tables[] = {
	[BPRED_FUNCTION] = { function_columns, FUNCTION_COLUMNS, fill_functions },
	[BPRED_BRANCH] = { branch_columns, BRANCH_COLUMNS, fill_branches },
	[BPRED_KIND] = { kind_columns, KIND_COLUMNS, fill_kinds },
};

/* The order of columns is that of the enumerations above. */
const struct table_column *bpred_columns(enum bpred_by by, unsigned *n)
{
	*n = tables[by].n;
	return tables[by].columns;
}

int bpred_fill(struct table *table, const struct counted *counted,
	       const struct bpred *bpred, enum bpred_by by, struct wm_error *err)
{
	return tables[by].fill(table, counted, bpred, err);
}
