// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A sink between a table and its reader: selects columns, sorts, and limits the number of
 * rows. Without a column to sort by, rows pass through and nothing is kept. With one, rows
 * that are certain to come after the wanted ones are dropped now and then.
 *
 * Running sums go down the rows in the order in which they are shown, so they are
 * computed after sorting, and from the complete row: "cumulative" may be selected without
 * "share". Sorted by insns:
 *
 *	insns  share  cumulative
 *	   60    .60         .60
 *	   30    .30         .90
 */
#include "out/view.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/nearest.h"

enum { PRUNED_ROWS = 4096 }; /* fewer rows are all kept */

/* ---- which columns ------------------------------------------------------- */

/* The error lists the columns there are, as far as they fit. */
static int no_column(const struct table_column *columns, unsigned n, const char *name,
		     size_t length, struct wm_error *err)
{
	const char *names[TABLE_COLUMNS_MAX];
	char all[160] = "", typed[41], near[NEAREST_HINT];
	size_t used = 0;

	snprintf(typed, sizeof(typed), "%.*s", (int)(length > 40 ? 40 : length), name);
	for (unsigned i = 0; i < n && i < TABLE_COLUMNS_MAX; i++)
		names[i] = columns[i].name;
	for (unsigned i = 0; i < n && used < sizeof(all); i++)
		used += (size_t)snprintf(all + used, sizeof(all) - used, "%s%s",
					 i ? ", " : "", columns[i].name);
	/* The list may be cut, and a user who mistyped a name does not read it. */
	if (*nearest_hint(near, typed, names,
			  n < TABLE_COLUMNS_MAX ? n : TABLE_COLUMNS_MAX))
		return wm_fail(err, WM_E_RANGE, 0, "there is no column \"%s\"%s", typed,
			       near);
	return wm_fail(err, WM_E_RANGE, 0, "there is no column \"%s\"; there are %s",
		       typed, all);
}

/* The index of the column with the name name[length]; n when there is none. */
static unsigned find_column(const struct table_column *columns, unsigned n,
			    const char *name, size_t length)
{
	unsigned i = 0;

	while (i < n &&
	       (strncmp(columns[i].name, name, length) != 0 || columns[i].name[length]))
		i++;
	return i;
}

/*
 * Lists the selected columns in indexes[TABLE_COLUMNS_MAX]. A column may be named twice.
 */
static int choose_columns(const struct table_column *columns, unsigned n,
			  const char *names, unsigned *indexes, unsigned *n_chosen,
			  struct wm_error *err)
{
	*n_chosen = 0;
	for (unsigned i = 0; !names && i < n; i++)
		if (!columns[i].extra)
			indexes[(*n_chosen)++] = i;
	/* More names than TABLE_COLUMNS_MAX are ignored. */
	while (names && *n_chosen < TABLE_COLUMNS_MAX) {
		size_t length = strcspn(names, ",");
		unsigned i = find_column(columns, n, names, length);

		if (i == n)
			return no_column(columns, n, names, length, err);
		indexes[(*n_chosen)++] = i;
		names = names[length] ? names + length + 1 : NULL;
	}
	return 0;
}

/* The column to sort by into *column; n when the rows are not sorted. */
static int choose_order(const struct table_column *columns, unsigned n, const char *name,
			unsigned *column, struct wm_error *err)
{
	*column = name ? find_column(columns, n, name, strlen(name)) : n;
	return name && *column == n ? no_column(columns, n, name, strlen(name), err) : 0;
}

int table_check(const struct table_column *columns, unsigned n,
		const struct table_view *view, struct wm_error *err)
{
	unsigned indexes[TABLE_COLUMNS_MAX], n_chosen, column;
	int ret = choose_order(columns, n, view->sort, &column, err);

	return ret ? ret :
		     choose_columns(columns, n, view->columns, indexes, &n_chosen, err);
}

/* ---- order --------------------------------------------------------------- */

/* The absolute value; defined for INT64_MIN too. */
static uint64_t size_of(int64_t change)
{
	return change < 0 ? -(uint64_t)change : (uint64_t)change;
}

/* The larger change first, whatever its sign; of +5 and -5 the positive one. */
static int compare_changes(int64_t a, int64_t b)
{
	if (size_of(a) != size_of(b))
		return size_of(a) > size_of(b) ? -1 : 1;
	return a > b ? -1 : a < b;
}

/* The larger number first, of texts such as "0x00ff": they may have more than 64 bits. */
static int compare_hexadecimal(const char *a, const char *b)
{
	size_t a_digits, b_digits;

	a += strspn(a, "0x");
	b += strspn(b, "0x");
	a_digits = strlen(a);
	b_digits = strlen(b);
	if (a_digits != b_digits)
		return a_digits > b_digits ? -1 : 1;
	return strcmp(b, a);
}

/* Negative when a comes first. Empty cells come last, in every order. */
static int compare_cells(const struct table_column *column, const struct table_cell *a,
			 const struct table_cell *b)
{
	enum table_type type = column->type;

	if (a->filled != b->filled)
		return a->filled ? -1 : 1;
	if (!a->filled)
		return 0;
	if (column->hexadecimal)
		return compare_hexadecimal(a->text, b->text);
	if (type == TABLE_TEXT)
		return strcmp(a->text, b->text);
	if (type == TABLE_ADDRESS)
		return a->count < b->count ? -1 : a->count > b->count;
	if (type == TABLE_COUNT)
		return a->count > b->count ? -1 : a->count < b->count;
	if (type == TABLE_SIGNED)
		return a->change > b->change ? -1 : a->change < b->change;
	if (type == TABLE_CHANGE)
		return compare_changes(a->change, b->change);
	return a->real > b->real ? -1 : a->real < b->real;
}

/*
 * By the column to sort by, then by all columns from the left, so that the order does not
 * depend on the order of arrival.
 */
static int compare(const struct view *view, const struct table_cell *x,
		   const struct table_cell *y)
{
	unsigned first = view->sorted_by;
	int ret = compare_cells(&view->columns[first], &x[first], &y[first]);

	for (unsigned k = 0; !ret && k < view->n_columns; k++)
		ret = compare_cells(&view->columns[k], &x[k], &y[k]);
	return ret;
}

static int compare_rows(const void *a, const void *b, void *cookie)
{
	const struct view *view = cookie;
	uint32_t i = *(const uint32_t *)a, j = *(const uint32_t *)b;
	int ret = compare(view, rows_at(&view->kept, i), rows_at(&view->kept, j));

	/* Rows that are equal in all columns keep their order. */
	return ret ? ret : i < j ? -1 : 1;
}

/* ---- rows that are passed on --------------------------------------------- */

/* A running sum adds up the nearest share column on its left. */
static void find_summed(struct view *view)
{
	unsigned share = view->n_columns;

	for (unsigned i = 0; i < view->n_columns; i++) {
		view->summed[i] =
			view->columns[i].type == TABLE_RUNNING ? share : view->n_columns;
		if (view->columns[i].type == TABLE_SHARE)
			share = i;
	}
}

/*
 * The cell of a column: as it came, or the sum down to this row. It was just filled member by
 * member, and is copied so: a load of all of it would wait for the stores of all of them.
 */
static void take_cell(struct table_cell *to, const struct view *view,
		      const struct table_cell *cells, unsigned column)
{
	const struct table_cell *cell = &cells[column];

	if (view->summed[column] < view->n_columns) {
		*to = (struct table_cell){ .filled = true, .real = view->sums[column] };
		return;
	}
	to->filled = cell->filled;
	to->count = cell->count;
	to->is_text = cell->is_text;
}

static void add_shares(struct view *view, const struct table_cell *cells)
{
	for (unsigned i = 0; i < view->n_columns; i++) {
		unsigned of = view->summed[i];

		if (of < view->n_columns && cells[of].filled)
			view->sums[i] += cells[of].real;
	}
}

/*
 * The sums include this row: they are added before its cells are selected. WM_END after
 * the last wanted row, so that the analysis can stop.
 */
static int pass_on(struct view *view, const struct table_cell *cells,
		   struct wm_error *err)
{
	struct table_cell chosen[TABLE_COLUMNS_MAX];
	int ret;

	if (!view->left)
		return WM_END;
	if (!view->as_they_are) {
		add_shares(view, cells);
		for (unsigned i = 0; i < view->n_chosen; i++)
			take_cell(&chosen[i], view, cells, view->indexes[i]);
		cells = chosen;
	}
	ret = view->to->row(view->to, cells, err);
	return !ret && !--view->left ? WM_END : ret;
}

/* ---- the sink ------------------------------------------------------------ */

static int begin(struct table_sink *sink, const struct table_column *columns, unsigned n,
		 struct wm_error *err)
{
	struct view *view = (struct view *)sink;
	int ret = choose_order(columns, n, view->wanted->sort, &view->sorted_by, err);

	view->columns = columns;
	view->n_columns = n;
	find_summed(view);
	rows_init(&view->kept, columns, n);
	if (!ret)
		ret = choose_columns(columns, n, view->wanted->columns, view->indexes,
				     &view->n_chosen, err);
	if (ret)
		return ret;
	view->as_they_are = view->n_chosen == n;
	for (unsigned i = 0; i < view->n_chosen; i++) {
		view->chosen[i] = columns[view->indexes[i]];
		view->as_they_are &= view->indexes[i] == i && view->summed[i] == n;
	}
	/* Sorted rows are passed on at the end: a failed analysis shows nothing. */
	return view->sorted_by < n ?
		       0 :
		       view->to->begin(view->to, view->chosen, view->n_chosen, err);
}

/* Row numbers are sorted, not rows: a row has up to TABLE_COLUMNS_MAX cells. NULL: no memory. */
static uint32_t *sort_kept(struct view *view, struct wm_error *err)
{
	uint32_t *order = calloc(view->kept.n + 1, sizeof(*order));

	if (!order) {
		wm_fail_nomem(err, "a table");
		return NULL;
	}
	for (size_t i = 0; i < view->kept.n; i++)
		order[i] = (uint32_t)i;
	qsort_r(order, view->kept.n, sizeof(*order), compare_rows, view);
	return order;
}

/* Drops what comes after the rows that are wanted. */
static int prune(struct view *view, struct wm_error *err)
{
	uint32_t *order = sort_kept(view, err);
	int ret = order ? rows_keep(&view->kept, order, view->left, err) : WM_E_NOMEM;

	view->pruned = !ret;
	free(order);
	return ret;
}

/* Of millions of rows few may be wanted. */
static int keep(struct view *view, const struct table_cell *cells, struct wm_error *err)
{
	int ret;

	if (!view->left)
		return 0;
	/* Of equal rows the first comes first. */
	if (view->pruned &&
	    compare(view, cells, rows_at(&view->kept, view->left - 1)) >= 0)
		return 0;
	ret = rows_add(&view->kept, cells, err);
	if (ret || view->kept.n < PRUNED_ROWS || view->kept.n / 2 < view->left)
		return ret;
	return prune(view, err);
}

static int take_row(struct table_sink *sink, const struct table_cell *cells,
		    struct wm_error *err)
{
	struct view *view = (struct view *)sink;

	return view->sorted_by < view->n_columns ? keep(view, cells, err) :
						   pass_on(view, cells, err);
}

static int pass_sorted(struct view *view, struct wm_error *err)
{
	uint32_t *order = sort_kept(view, err);
	int ret;

	if (!order)
		return WM_E_NOMEM;
	ret = view->to->begin(view->to, view->chosen, view->n_chosen, err);
	for (size_t i = 0; !ret && i < view->kept.n; i++)
		ret = pass_on(view, rows_at(&view->kept, order[i]), err);
	free(order);
	return ret;
}

static int end(struct table_sink *sink, struct wm_error *err)
{
	struct view *view = (struct view *)sink;
	int ret = view->sorted_by < view->n_columns ? pass_sorted(view, err) : 0;

	return ret < 0 ? ret : view->to->end(view->to, err);
}

void view_init(struct view *view, const struct table_view *wanted, struct table_sink *to)
{
	*view = (struct view){
		.sink = { begin, take_row, end },
		.wanted = wanted,
		.to = to,
		.left = wanted->rows,
	};
}

void view_fini(struct view *view)
{
	rows_fini(&view->kept);
}
