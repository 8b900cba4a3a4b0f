/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tables: filled cell by cell, sorted, and written as text for people, as CSV (RFC 4180)
 * or as JSON. Names of columns are a contract with scripts: kept and only added to.
 */
#ifndef OUT_TABLE_H
#define OUT_TABLE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "waymark.h"

enum table_type {
	TABLE_TEXT,    /* a string; to the left */
	TABLE_COUNT,   /* a whole number; 1,234,567 in text */
	TABLE_ADDRESS, /* a whole number in hexadecimal */
	TABLE_REAL,    /* with two digits after the point in text */
	TABLE_CHANGE,  /* a whole number with its sign; sorted by its size */
	TABLE_SHARE,   /* 0 to 1; 12.34% in text */
	TABLE_RUNNING, /* not filled: the sum of the last TABLE_SHARE column down to here */
};

struct table_column {
	const char *name;    /* of options, CSV and JSON: "self_insns" */
	const char *heading; /* in text: "self" */
	enum table_type type;
	bool extra; /* printed only when -f names it */
};

enum table_format { TABLE_AS_TEXT, TABLE_AS_CSV, TABLE_AS_JSON };
/* Their names in that order, NULL-terminated. */
extern const char *const table_formats[];

/* What of a table is wanted, and how. */
struct table_view {
	const char *columns; /* names with commas between them; NULL: all but extra ones */
	const char *sort;    /* a column's name; NULL: as the rows came */
	uint64_t rows;	     /* to print at most */
	enum table_format format;
	bool colour; /* text: headings and high shares stand out */
};

struct table;

/* columns[n] must outlive the table. NULL: no memory. */
struct table *table_new(const struct table_column *columns, unsigned n);
void table_free(struct table *table);

/* WM_E_RANGE, with a sentence, when the view names a column that there is not. */
int table_check(const struct table_column *columns, unsigned n,
		const struct table_view *view, struct wm_error *err);

/* Begins a row; cells that are not put are empty: "" or null. */
void table_row(struct table *table);
/* Copied; control characters become "?". NULL leaves the cell empty. */
void table_text(struct table *table, unsigned column, const char *text);
void table_count(struct table *table, unsigned column,
		 uint64_t value);				     /* addresses too */
void table_real(struct table *table, unsigned column, double value); /* shares too */
void table_change(struct table *table, unsigned column, int64_t value);

/*
 * Sorts by the view's column: numbers from the highest, text from the lowest; what is
 * equal there, by all columns from the left, so that the order is always the same. Then
 * writes it. WM_E_NOMEM when memory ran out here or while it was filled; what the stream
 * says is the caller's to check.
 */
int table_write(struct table *table, FILE *out, const struct table_view *view,
		struct wm_error *err);

/* A cell, for those who do something else with a table than write it. */
struct table_cell {
	bool filled;
	const char *text; /* of TABLE_TEXT, the table's; "" when not filled */
	uint64_t count;	  /* of TABLE_COUNT and TABLE_ADDRESS */
	double real;	  /* of the others */
};
/*
 * Calls `row` with the cells of the view's columns, in its order, for each row that would
 * be written.
 */
int table_visit(struct table *table, const struct table_view *view,
		void (*row)(void *cookie, const struct table_cell *cells), void *cookie,
		struct wm_error *err);

/*
 * The same inside JSON of the caller's: an array of objects, sorted, the first view->rows
 * rows.
 */
struct json;
int table_write_json(struct table *table, struct json *json, const char *key,
		     const struct table_view *view, struct wm_error *err);

#endif
