// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Relations that are answers to questions: "functions", "lines", "loops", "edges",
 * "calls", "profile" and "marks". The question runs when SQLite starts an iteration; its
 * rows are kept in memory until the iteration ends, because SQLite pulls rows and a
 * question pushes them. Conditions of the query are left to SQLite.
 *
 * The number of rows grows with the program, not with the length of the run; that of
 * "marks" grows with the markers executed.
 *
 * Example: "SELECT function FROM functions" asks the question "hot" with the option
 * "fields=" below. Cell c of row r is cells[r * columns + c].
 */
#include <stdlib.h>
#include <string.h>

#include "sql/relations.h"

enum { OPTIONS_MAX = 3 };

/* A cell that outlives its row; a text is owned by it. */
struct cell {
	enum wm_cell_type type;
	union {
		char *text;
		int64_t number;
		double real;
	};
};

struct answers {
	struct rows rows;
	struct cell *cells; /* [n * columns] row by row */
	size_t n, allocated;
	unsigned columns;
};

/* The question; its option "fields" has the columns of SQL in their order. */
struct asked {
	const char *question;
	const char *options[OPTIONS_MAX]; /* NULL after the last */
};

static void free_cells(struct answers *answers)
{
	for (size_t i = 0; i < answers->n * answers->columns; i++)
		if (answers->cells[i].type == WM_CELL_TEXT)
			free(answers->cells[i].text);
	free(answers->cells);
}

/* Copies a cell: a row is valid only during keep_row(). False: no memory. */
static bool keep_cell(struct cell *cell, const struct wm_row *row, unsigned column)
{
	cell->type = wm_row_has(row, column) ? wm_row_type(row, column) : WM_CELL_EMPTY;
	switch (cell->type) {
	case WM_CELL_TEXT:
		cell->text = strdup(wm_row_text(row, column));
		return cell->text;
	case WM_CELL_REAL:
	case WM_CELL_SHARE:
		cell->real = wm_row_real(row, column);
		return true;
	case WM_CELL_CHANGE:
		cell->number = wm_row_change(row, column);
		return true;
	default:
		cell->number = (int64_t)wm_row_count(row, column);
		return true;
	}
}

/* Makes room for one more row. Doubling keeps the cost of all copies linear. */
static bool grow(struct answers *answers)
{
	size_t n = answers->allocated ? 2 * answers->allocated : 64;
	struct cell *cells;

	if (answers->n < answers->allocated)
		return true;
	cells = reallocarray(answers->cells, n * answers->columns, sizeof(*cells));
	if (!cells)
		return false;
	answers->cells = cells;
	answers->allocated = n;
	return true;
}

static int keep_row(void *cookie, const struct wm_row *row)
{
	struct answers *answers = cookie;
	struct cell *cells;

	answers->columns = wm_row_columns(row);
	if (!grow(answers))
		return WM_E_NOMEM;
	cells = answers->cells + answers->n++ * answers->columns;
	/* free_cells() reads the type of each cell, also when the loop ends early. */
	memset(cells, 0, answers->columns * sizeof(*cells));
	for (unsigned i = 0; i < answers->columns; i++) {
		if (keep_cell(&cells[i], row, i))
			continue;
		/* A text that was not copied: there is nothing to free. */
		cells[i].type = WM_CELL_EMPTY;
		return WM_E_NOMEM;
	}
	return 0;
}

/* Computes the whole answer, so the first row takes as long as the command would. */
static int open_answer(struct rows *rows, struct wm_error *err)
{
	const struct asked *asked = rows->relation->setup;

	return wm_trace_ask(rows->subject->trace, asked->question, asked->options,
			    keep_row, rows, err);
}

/* Also called before the first row. sql/module.c counts the rows: `number` is 0 then. */
static int next_answer(struct rows *rows, struct wm_error *err)
{
	(void)err;
	rows->ended = (uint64_t)rows->number >= ((struct answers *)rows)->n;
	return 0;
}

static int put_cell(struct rows *rows, sqlite3_context *context, int column,
		    struct wm_error *err)
{
	const struct answers *answers = (struct answers *)rows;
	const struct cell *cell =
		&answers->cells[(size_t)rows->number * answers->columns + (size_t)column];

	(void)err;
	switch (cell->type) {
	case WM_CELL_EMPTY:
		break;
	case WM_CELL_TEXT:
		put_text(context, cell->text);
		break;
	case WM_CELL_REAL:
	case WM_CELL_SHARE:
		sqlite3_result_double(context, cell->real);
		break;
	default:
		sqlite3_result_int64(context, cell->number);
	}
	return 0;
}

static void close_answers(struct rows *rows)
{
	free_cells((struct answers *)rows);
}

/* An estimate: answers grow with the code that ran. */
static uint64_t count(const struct subject *subject)
{
	return subject->summary.known_blocks;
}

/* ---- all of them -------------------------------------------------------------------- */

/*
 * The members that all have in common. In each relation the option "fields" must list the
 * question's columns in the order of `columns`, because put_cell() goes by the index
 * only.
 */
#define ANSWER                                                                     \
	.rows_bytes = sizeof(struct answers), .count = count, .open = open_answer, \
	.next = next_answer, .column = put_cell, .close = close_answers

/* Inlined functions count on their own, as in `waymark hot`. */
const struct relation relation_functions = {
	ANSWER,
	.name = "functions",
	.columns = "function TEXT, module TEXT, path TEXT, symbol TEXT, "
		   "start ADDRESS INTEGER, insns INTEGER, executions INTEGER",
	.setup =
		&(const struct asked){
			"hot",
			{ "fields=function,module,path,symbol,start,insns,executions" } },
};

/* "number" of the question is the number of the line. */
const struct relation relation_lines = {
	ANSWER,
	.name = "lines",
	.columns = "source TEXT, line INTEGER, function TEXT, module TEXT, "
		   "insns INTEGER, executions INTEGER",
	.setup =
		&(const struct asked){
			"hot",
			{ "by=line",
			  "fields=source,number,function,module,insns,executions" } },
};

const struct relation relation_loops = {
	ANSWER,
	.name = "loops",
	.columns = "function TEXT, \"offset\" INTEGER, address ADDRESS INTEGER, "
		   "depth INTEGER, line TEXT, module TEXT, insns INTEGER, "
		   "iterations INTEGER, entries INTEGER",
	.setup =
		&(const struct asked){
			"hot",
			{ "by=loop",
			  "fields=function,offset,address,depth,line,module,insns,"
			  "iterations,entries" } },
};

/* "from" and "to" are keywords of SQL, so the columns have other names. */
const struct relation relation_edges = {
	ANSWER,
	.name = "edges",
	.columns = "process INTEGER, source ADDRESS INTEGER, target ADDRESS INTEGER, "
		   "kind TEXT, count INTEGER, source_function TEXT, target_function TEXT",
	.setup =
		&(const struct asked){
			"cfg",
			{ "by=edge",
			  "fields=process,from,to,kind,count,from_function,to_function" } },
};

/* A row for each pair of caller and callee; a thread's first function has caller NULL. */
const struct relation relation_calls = {
	ANSWER,
	.name = "calls",
	.columns = "caller TEXT, callee TEXT, calls INTEGER, open INTEGER, "
		   "total_insns INTEGER, min_insns INTEGER, max_insns INTEGER",
	.setup =
		&(const struct asked){
			"calls",
			{ "by=graph",
			  "fields=caller,callee,calls,open,total_insns,min_insns,max_insns" } },
};

/* A row for each function, with the instructions of what it called. */
const struct relation relation_profile = {
	ANSWER,
	.name = "profile",
	.columns = "function TEXT, module TEXT, calls INTEGER, self_insns INTEGER, "
		   "total_insns INTEGER, min_insns INTEGER, max_insns INTEGER",
	.setup =
		&(const struct asked){
			"calls",
			{ "fields=function,module,calls,self_insns,total_insns,min_insns,"
			  "max_insns" } },
};

/* Markers in the order of the clock, not thread after thread as in "events". */
const struct relation relation_marks = {
	ANSWER,
	.name = "marks",
	.columns = "thread INTEGER, insn INTEGER, ns INTEGER, what TEXT, id INTEGER, "
		   "depth INTEGER, since_insns INTEGER, begin INTEGER, "
		   "region_insns INTEGER",
	.setup =
		&(const struct asked){
			"marks",
			{ "fields=thread,insn,ns,what,id,depth,since_insns,begin,"
			  "region_insns" } },
};
