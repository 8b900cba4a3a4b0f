// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * "lines" and "loops", and for methods.c and memory.c others: the tables of commands, the first
 * ROWS_MAX rows of each. The table goes through a view, which sorts and cuts it, into a sink
 * that writes JSON. So a column here has the name, the meaning and the numbers that it has on
 * the command line.
 *
 * Each is an object: "columns", pairs of a name and a type, and "rows", arrays of cells.
 * Addresses are strings, because numbers in JavaScript are exact up to 2^53 only.
 *
 * Example: {"columns": [["line", "text"], ["insns", "count"]], "rows": [["list.c:12",
 * 4096]]}.
 */
#include <inttypes.h>
#include <stdio.h>

#include "base/error.h"
#include "out/view.h"
#include "report/section.h"

enum { ROWS_MAX = 500 };

/* `sink` comes first: the callbacks get a pointer to it and cast. */
struct json_sink {
	struct table_sink sink;
	struct json *json;
	const struct table_column *columns;
	unsigned n;
};

/* The types that the page's formatter knows; all counts are the default. */
static const char *type_name(enum table_type type)
{
	switch (type) {
	case TABLE_TEXT:
		return "text";
	case TABLE_ADDRESS:
		return "address";
	case TABLE_SHARE:
	case TABLE_RUNNING:
		return "share";
	case TABLE_REAL:
		return "real";
	default:
		return "count";
	}
}

/* Leaves the array "rows" open for put_row(); end() closes it. */
static int begin(struct table_sink *sink, const struct table_column *columns, unsigned n,
		 struct wm_error *err)
{
	struct json_sink *to = (struct json_sink *)sink;

	(void)err;
	to->columns = columns;
	to->n = n;
	json_array(to->json, "columns");
	for (unsigned i = 0; i < n; i++) {
		json_array(to->json, NULL);
		json_string(to->json, NULL, columns[i].name);
		json_string(to->json, NULL, type_name(columns[i].type));
		json_close(to->json);
	}
	json_close(to->json);
	json_array(to->json, "rows");
	return 0;
}

/*
 * A cell that is not filled is null. The types that are not named here are all real
 * numbers.
 */
static void put_cell(struct json *json, enum table_type type,
		     const struct table_cell *cell)
{
	char text[LABEL_BYTES_MAX + 4];

	if (!cell->filled) {
		json_null(json, NULL);
	} else if (type == TABLE_TEXT) {
		json_string(json, NULL, label_name(text, cell->text));
	} else if (type == TABLE_ADDRESS) {
		snprintf(text, sizeof(text), "0x%" PRIx64, cell->count);
		json_string(json, NULL, text);
	} else if (type == TABLE_COUNT) {
		json_uint(json, NULL, cell->count);
	} else {
		json_real(json, NULL, cell->real, 6);
	}
}

static int put_row(struct table_sink *sink, const struct table_cell *cells,
		   struct wm_error *err)
{
	struct json_sink *to = (struct json_sink *)sink;

	(void)err;
	json_array(to->json, NULL);
	for (unsigned i = 0; i < to->n; i++)
		put_cell(to->json, to->columns[i].type, &cells[i]);
	json_close(to->json);
	return 0;
}

static int end(struct table_sink *sink, struct wm_error *err)
{
	(void)err;
	json_close(((struct json_sink *)sink)->json);
	return 0;
}

int report_table(struct report *report, const char *key, const struct report_rows *rows,
		 struct wm_error *err)
{
	const struct table_view wanted = { .columns = rows->columns,
					   .sort = rows->sort,
					   .rows = ROWS_MAX };
	struct json_sink to = { .sink = { begin, put_row, end }, .json = &report->json };
	struct table table;
	struct view view;
	int ret;

	json_object(&report->json, key);
	view_init(&view, &wanted, &to.sink);
	table_begin(&table, rows->all, rows->n, &view.sink);
	ret = table_end(&table, rows->fill(rows->cookie, &table, err), err);
	view_fini(&view);
	json_close(&report->json);
	return ret;
}

/* ---- tables of `waymark hot` --------------------------------------------------------- */

struct counted report_counted(const struct report *report)
{
	const struct report_ask *ask = report->ask;

	return (struct counted){ .trace = ask->trace,
				 .inlined = !ask->no_inline,
				 .selection = ask->selection,
				 .counts = report->counts,
				 .edges = &report->edges,
				 .insns = report->insns,
				 .symbols = ask->symbols,
				 .functions = ask->functions,
				 .lines = ask->lines };
}

struct hot_ask {
	struct counted counted;
	enum hot_by by;
};

static int fill_hot(void *cookie, struct table *table, struct wm_error *err)
{
	const struct hot_ask *ask = cookie;

	return hot_fill(table, &ask->counted, ask->by, err);
}

/*
 * `columns` selects what a page has room for; sorting by instructions makes the cut keep
 * the most important rows.
 */
int report_hot(struct report *report, const char *key, enum hot_by by,
	       const char *columns, const struct tallies *tallies, struct wm_error *err)
{
	struct hot_ask ask = { report_counted(report), by };
	struct report_rows rows = {
		.columns = columns, .sort = "insns", .fill = fill_hot, .cookie = &ask
	};

	ask.counted.tallies = tallies;
	rows.all = hot_columns(by, &rows.n);
	return report_table(report, key, &rows, err);
}

int report_tables(struct report *report, struct wm_error *err)
{
	int ret = report_hot(report, "lines", HOT_LINE,
			     "line,function,insns,share,executions,path", NULL, err);

	return ret ? ret :
		     report_hot(
			     report, "loops", HOT_LOOP,
			     "place,function,line,depth,insns,share,iterations,entries,trips",
			     NULL, err);
}
