// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Rows of several traces, added. What becomes of a column is its role (query/question.h):
 * numbers are added, names are the key, and what is derived from sums, such as a share, is
 * derived again from the sums of all traces. So the answer about one trace is the same
 * whether it is asked this way or not.
 *
 * Invariant: a row has an id of `keys`, which is its number plus one, so adding a row is
 * one search. A cell of ROLE_MEAN holds the sum until the end: a mean times its weight is
 * a whole number again, exactly below 2^50.
 */
#include "query/several.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/append.h"
#include "base/error.h"

static int no_memory(struct wm_error *err)
{
	return wm_fail_nomem(err, "an answer about several traces");
}

/* ---- roles --------------------------------------------------------------- */

/* What a column is when the question says nothing. */
static enum question_role role_of_type(enum table_type type)
{
	switch (type) {
	case TABLE_TEXT:
	case TABLE_ADDRESS:
		return ROLE_KEY;
	case TABLE_COUNT:
		return ROLE_ADD;
	case TABLE_RUNNING:
		return ROLE_RUNNING;
	default:
		return ROLE_NONE;
	}
}

static unsigned find_column(const struct table_column *columns, unsigned n,
			    const char *name)
{
	for (unsigned i = 0; name && i < n; i++)
		if (!strcmp(columns[i].name, name))
			return i;
	return TABLE_COLUMNS_MAX;
}

/* A rule may name a column that this table of the question lacks: it has no effect. */
static void make_plans(const struct query *query, const struct table_column *columns,
		       unsigned n, struct several_plan *plans)
{
	const struct question_sum *sum = query->question->sums(query);

	for (unsigned i = 0; i < n; i++)
		plans[i] = (struct several_plan){ .role = role_of_type(columns[i].type) };
	for (; sum->column; sum++) {
		unsigned i = find_column(columns, n, sum->column);

		if (i < n)
			plans[i] = (struct several_plan){
				sum->role,
				find_column(columns, n, sum->of),
				find_column(columns, n, sum->per),
				find_column(columns, n, sum->also),
			};
	}
}

/*
 * Whether a column makes sense for a trace as a whole. A running sum is over all rows, so it
 * does not where the shares before it are those of each trace.
 */
static bool stays(const struct several_plan *plans, unsigned column)
{
	const struct several_plan *plan = &plans[column];

	switch (plan->role) {
	case ROLE_KIND:
	case ROLE_ADD:
		return true;
	case ROLE_RUNNING:
		return !column || plans[column - 1].role != ROLE_PART;
	case ROLE_SHARE:
	case ROLE_MPKI:
	case ROLE_PART:
	case ROLE_RATIO:
		return stays(plans, plan->of);
	default:
		return false;
	}
}

/* The name comes first, then what stays. */
static void choose_columns(struct query *query, const struct several_plan *plans)
{
	struct table_column asked[TABLE_COLUMNS_MAX];
	unsigned n = query_columns(query, asked);

	query->columns[0] = (struct table_column){ "trace", TABLE_TEXT, false };
	query->n_columns = 1;
	for (unsigned i = 0; i < n && query->n_columns < TABLE_COLUMNS_MAX; i++)
		if (stays(plans, i))
			query->columns[query->n_columns++] = asked[i];
}

int several_settle(struct query *query, struct wm_error *err)
{
	struct several_plan plans[TABLE_COLUMNS_MAX];
	const struct question *question = query->question;

	if (!question->sums || !question->sums(query))
		return wm_fail(err, WM_E_RANGE, 0,
			       "this answer is about one trace: name one FILE");
	make_plans(query, query->columns, query->n_columns, plans);
	if (query->traces == TRACES_APART)
		choose_columns(query, plans);
	return 0;
}

void several_init(struct several *several, struct query *query)
{
	*several = (struct several){
		.query = query,
		.keys = INTERNER_INIT,
		.groups = INTERNER_INIT,
	};
	several->n = query_columns(query, several->asked);
	make_plans(query, several->asked, several->n, several->plans);
}

void several_fini(struct several *several)
{
	for (size_t i = 0; i < several->n_rows * several->n; i++)
		if (several->asked[i % several->n].type == TABLE_TEXT &&
		    several->cells[i].filled)
			free((char *)several->cells[i].text);
	free(several->cells);
	free(several->rows);
	interner_fini(&several->keys);
	interner_fini(&several->groups);
	buf_fini(&several->key);
}

/* ---- keys ---------------------------------------------------------------- */

/* A path stands for its file: the same build is the same file, wherever it was. */
static const char *build_of(const struct several *several, const char *path)
{
	const struct answer *answer = several->answer;

	for (size_t i = 0; i < answer->n_files; i++)
		if (!strcmp(answer->files[i].path, path))
			return answer->files[i].build_id;
	return path;
}

static void put_key(struct several *several, unsigned column,
		    const struct table_cell *cell)
{
	struct buf *key = &several->key;

	buf_put_u8(key, cell->filled);
	if (!cell->filled)
		return;
	if (several->asked[column].type != TABLE_TEXT)
		buf_put_u64(key, cell->count);
	else if (several->plans[column].role == ROLE_PATH)
		buf_put_string(key, build_of(several, cell->text));
	else
		buf_put_string(key, cell->text);
}

/* `kinds`: the row's own key; else that of its group, of which it is a part. */
static void make_key(struct several *several, const struct table_cell *cells, bool kinds)
{
	several->key.len = 0;
	if (several->query->traces == TRACES_APART)
		buf_put(&several->key, &several->trace, sizeof(several->trace));
	for (unsigned i = 0; i < several->n; i++) {
		enum question_role role = several->plans[i].role;
		bool place = role == ROLE_KEY || role == ROLE_PATH;

		if ((kinds && role == ROLE_KIND) ||
		    (place && several->query->traces != TRACES_APART))
			put_key(several, i, &cells[i]);
	}
}

static uint32_t intern_key(const struct several *several, struct interner *keys,
			   bool *fresh)
{
	/* An empty key, of an answer with one row, is a key like any other. */
	return several->key.failed ? 0 :
				     intern(keys, several->key.len, several->key.data,
					    (uint32_t)several->key.len, fresh);
}

/* ---- adding -------------------------------------------------------------- */

static double weight_of(const struct several_plan *plan, const struct table_cell *cells)
{
	uint64_t less = plan->also < TABLE_COLUMNS_MAX ? cells[plan->also].count : 0;

	return plan->of < TABLE_COLUMNS_MAX ? (double)(cells[plan->of].count - less) : 0;
}

static void add_number(struct table_cell *to, const struct table_cell *from,
		       enum question_role role)
{
	if (role == ROLE_ADD || role == ROLE_NEST)
		to->count += from->count;
	else if (role == ROLE_MEAN)
		to->real += from->real;
	else if ((role == ROLE_LEAST && from->count < to->count) ||
		 (role == ROLE_MOST && from->count > to->count))
		to->count = from->count;
}

/* A text is copied when the row has none. False: no memory. */
static bool add_cell(struct several *several, unsigned column, struct table_cell *to,
		     struct table_cell from)
{
	bool text = several->asked[column].type == TABLE_TEXT;

	if (!from.filled)
		return true;
	if (to->filled && !text)
		add_number(to, &from, several->plans[column].role);
	if (to->filled)
		return true;
	*to = from;
	if (text)
		to->text = strdup(from.text);
	to->filled = !text || to->text;
	return to->filled;
}

static bool add_cells(struct several *several, struct table_cell *row,
		      const struct table_cell *cells)
{
	bool good = true;

	for (unsigned i = 0; i < several->n; i++) {
		const struct several_plan *plan = &several->plans[i];
		struct table_cell cell = cells[i];

		if (plan->role == ROLE_MEAN)
			cell.real = round(cell.real * weight_of(plan, cells));
		good = add_cell(several, i, &row[i], cell) && good;
	}
	return good;
}

/* An empty row at the end. NULL: no memory. The capacity of both arrays is one. */
static struct table_cell *append_row(struct several *several)
{
	size_t room = several->room * 2 + 64;
	struct table_cell *cells, *row;
	struct several_row *rows;

	if (several->n_rows == several->room) {
		cells = reallocarray(several->cells, room,
				     several->n * sizeof(*several->cells));
		if (cells)
			several->cells = cells;
		rows = reallocarray(several->rows, room, sizeof(*rows));
		if (rows)
			several->rows = rows;
		if (!cells || !rows)
			return NULL;
		several->room = room;
	}
	row = several->cells + several->n_rows++ * several->n;
	memset(row, 0, several->n * sizeof(*row));
	return row;
}

/* Which build of a module the last row is of, where there is one. */
static void note_build(struct several *several, const struct table_cell *cells)
{
	struct several_row *row = &several->rows[several->n_rows - 1];

	for (unsigned i = 0; i < several->n; i++) {
		const char *path = cells[i].text, *build;

		if (several->plans[i].role != ROLE_PATH || !cells[i].filled)
			continue;
		build = build_of(several, path);
		if (build != path)
			snprintf(row->build, sizeof(row->build), "%s", build);
	}
}

/* Of the last row: where it is from. Its keys are known only while the trace is at hand. */
static bool note_row(struct several *several, const struct table_cell *cells)
{
	struct several_row *row = &several->rows[several->n_rows - 1];
	bool fresh;
	uint32_t id;

	make_key(several, cells, false);
	id = intern_key(several, &several->groups, &fresh);
	*row = (struct several_row){ several->trace, id - 1, "" };
	note_build(several, cells);
	return id;
}

/* ---- the rows of a trace ------------------------------------------------- */

int several_ask(const struct several *several, struct query *query, struct answer *answer,
		struct wm_error *err)
{
	return answer_find(answer, several->asked, several->n, query, err);
}

static int add_row(struct several *several, const struct table_cell *cells,
		   struct wm_error *err)
{
	struct table_cell *row;
	bool fresh = false;
	uint32_t id;

	make_key(several, cells, true);
	id = intern_key(several, &several->keys, &fresh);
	if (!id)
		return no_memory(err);
	row = fresh ? append_row(several) : several->cells + (id - 1ul) * several->n;
	if (!row || (fresh && !note_row(several, cells)))
		return no_memory(err);
	return add_cells(several, row, cells) ? 0 : no_memory(err);
}

int several_take(struct several *several, const struct answer *answer, const char *name,
		 struct wm_error *err)
{
	int ret = 0;

	several->trace = name;
	several->answer = answer;
	several->whole += answer->whole;
	for (size_t i = 0; !ret && i < answer->rows.n; i++)
		ret = add_row(several, rows_at(&answer->rows, i), err);
	return ret;
}

/* ---- the table of all ---------------------------------------------------- */

static const struct table_cell *row_at(const struct several *several, size_t row)
{
	return several->cells + row * several->n;
}

/* For ROLE_PART: the sum of each column over each group. NULL: no memory. */
static uint64_t *sum_groups(const struct several *several)
{
	uint64_t *sums = calloc(several->groups.count + 1ul, several->n * sizeof(*sums));

	for (size_t i = 0; sums && i < several->n_rows; i++) {
		const struct table_cell *row = row_at(several, i);
		uint64_t *to = sums + (size_t)several->rows[i].group * several->n;

		for (unsigned k = 0; k < several->n; k++)
			if (several->plans[k].role == ROLE_ADD && row[k].filled)
				to[k] += row[k].count;
	}
	return sums;
}

/* Modules of which several builds are in the table. */
struct modules {
	unsigned column; /* that has their names; several->n: none */
	struct interner names;
	struct module {
		const char *build; /* of the first row */
		bool several;
	} * all; /* [n] by id - 1 */
	size_t n;
};

/* The id of a row's module; 0: it has none. */
static uint32_t module_of(const struct several *several, const struct modules *modules,
			  size_t row)
{
	const struct table_cell *cell;

	if (modules->column == several->n)
		return 0;
	cell = &row_at(several, row)[modules->column];
	return cell->filled ? intern_find(&modules->names, 0, (const uint8_t *)cell->text,
					  (uint32_t)strlen(cell->text)) :
			      0;
}

static bool add_module(struct modules *modules, const char *name, const char *build)
{
	const struct module module = { build, false };
	bool fresh;
	uint32_t id = intern(&modules->names, 0, (const uint8_t *)name,
			     (uint32_t)strlen(name), &fresh);

	if (!id || (fresh && !APPEND(modules->all, modules->n, module)))
		return false;
	modules->all[id - 1].several |= strcmp(modules->all[id - 1].build, build) != 0;
	return true;
}

/* False: no memory. The caller calls modules_fini() in any case. */
static bool modules_find(struct modules *modules, const struct several *several)
{
	bool good = true;

	*modules = (struct modules){
		.column = find_column(several->asked, several->n, "module"),
		.names = INTERNER_INIT,
	};
	if (modules->column >= several->n)
		modules->column = several->n;
	for (size_t i = 0; good && modules->column < several->n && i < several->n_rows;
	     i++) {
		const struct table_cell *cell = &row_at(several, i)[modules->column];

		if (cell->filled)
			good = add_module(modules, cell->text, several->rows[i].build);
	}
	return good;
}

static void modules_fini(struct modules *modules)
{
	interner_fini(&modules->names);
	free(modules->all);
}

static double divide(double part, double of)
{
	return of > 0 ? part / of : 0;
}

/* A column of the row by its index; 0 when the row lacks it. */
static double number_at(const struct table_cell *row, unsigned column)
{
	return column < TABLE_COLUMNS_MAX ? (double)row[column].count : 0;
}

/* What is derived from the row's sums. */
static double derive(const struct several *several, const uint64_t *sums, size_t number,
		     unsigned column)
{
	const struct several_plan *plan = &several->plans[column];
	const struct table_cell *row = row_at(several, number);
	double of = number_at(row, plan->of);

	switch (plan->role) {
	case ROLE_SHARE:
		return divide(of, (double)several->whole);
	case ROLE_MPKI:
		return 1000 * divide(of, (double)several->whole);
	case ROLE_PART:
		sums += (size_t)several->rows[number].group * several->n;
		return divide(of, (double)sums[plan->of]);
	case ROLE_RATIO:
		return divide(of, number_at(row, plan->per) + number_at(row, plan->also));
	default:
		return divide(row[column].real, weight_of(plan, row));
	}
}

/* What the table of all has besides the rows. */
struct totals {
	uint64_t *sums; /* of groups: sum_groups() */
	struct modules modules;
};

static void put_text(const struct several *several, const struct totals *totals,
		     size_t number, unsigned column, struct table *table, unsigned at)
{
	const char *text = row_at(several, number)[column].text;
	const char *build = several->rows[number].build;
	char named[PATH_MAX + 16];
	uint32_t id = column == totals->modules.column ?
			      module_of(several, &totals->modules, number) :
			      0;

	if (id && *build && totals->modules.all[id - 1].several) {
		snprintf(named, sizeof(named), "%s [%s]", text, build);
		text = named;
	}
	table_text(table, at, text);
}

static void put_cell(const struct several *several, const struct totals *totals,
		     size_t number, unsigned column, struct table *table, unsigned at)
{
	const struct table_cell *cell = &row_at(several, number)[column];

	/* What a trace left empty is empty; a running sum is the view's. */
	if (!cell->filled || several->plans[column].role == ROLE_NONE)
		return;
	if (several->asked[column].type == TABLE_TEXT)
		put_text(several, totals, number, column, table, at);
	else if (several->asked[column].type == TABLE_REAL ||
		 several->asked[column].type == TABLE_SHARE)
		table_real(table, at, derive(several, totals->sums, number, column));
	else
		table_count(table, at, cell->count);
}

static void put_row(const struct several *several, const struct totals *totals,
		    size_t number, struct table *table)
{
	bool apart = several->query->traces == TRACES_APART;
	unsigned at = 0;

	table_row(table);
	if (apart)
		table_text(table, at++, several->rows[number].trace);
	for (unsigned i = 0; i < several->n; i++)
		if (!apart || stays(several->plans, i))
			put_cell(several, totals, number, i, table, at++);
}

int several_fill(void *cookie, struct table *table, struct wm_error *err)
{
	struct several *several = cookie;
	struct totals totals = { .sums = sum_groups(several) };
	bool good = modules_find(&totals.modules, several) && totals.sums;

	for (size_t i = 0; good && i < several->n_rows && !table_is_full(table); i++)
		put_row(several, &totals, i, table);
	modules_fini(&totals.modules);
	free(totals.sums);
	return good ? 0 : no_memory(err);
}
