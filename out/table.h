/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tables as streams of rows: an analysis fills a table cell by cell, and each row goes
 * to a sink as soon as it is complete. What a sink does with rows is its own affair: sort
 * them (out/view.h), write them (out/table_writer.h), or hand them to a caller.
 *
 * Names of columns are a contract with scripts: kept and only added to.
 */
#ifndef OUT_TABLE_H
#define OUT_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "waymark.h"

enum { TABLE_COLUMNS_MAX = 64 };

enum table_type {
	TABLE_TEXT,    /* a string; to the left */
	TABLE_COUNT,   /* a whole number; 1,234,567 in text */
	TABLE_ADDRESS, /* a whole number in hexadecimal */
	TABLE_REAL,    /* with two digits after the point in text */
	TABLE_SIGNED,  /* a whole number, which may be negative */
	TABLE_CHANGE,  /* a whole number with its sign; sorted by its size */
	TABLE_SHARE,   /* 0 to 1; 12.34% in text */
	TABLE_RUNNING, /* not filled: the sum of the last TABLE_SHARE column down to here */
	TABLE_DOUBLE, /* as TABLE_REAL in text, with all of its digits in CSV and JSON */
};

struct table_column {
	const char *name; /* in text, options, CSV and JSON: "self_insns" */
	enum table_type type;
	bool extra; /* printed only when -f names it */
	bool code; /* TABLE_TEXT of a name in the program: shortened where there is no room */
	uint8_t spare; /* left out where there is still no room: first those of 1, then of 2 */
	bool hexadecimal; /* TABLE_TEXT of "0x" and digits, as many as they may be: a number */
};

struct table_cell {
	bool filled; /* else there is no value: "" or null */
	union {
		const char *text; /* of TABLE_TEXT, and with is_text */
		uint64_t count;	  /* of TABLE_COUNT and TABLE_ADDRESS */
		int64_t change;	  /* of TABLE_SIGNED and TABLE_CHANGE */
		double real;	  /* of the others */
	};
	bool is_text; /* a text, whatever type the column has */
};

/*
 * Where rows go: the first member of a struct of the sink's own. Each returns 0 or an error,
 * after which nothing more is called.
 */
struct table_sink {
	/*
	 * Once, before any row, and not at all when there is an error before the first row.
	 * columns[n] outlive the last call.
	 */
	int (*begin)(struct table_sink *sink, const struct table_column *columns,
		     unsigned n, struct wm_error *err);
	/*
	 * cells[n], in the order of the columns; texts are valid during the call. WM_END: no
	 * further row is wanted, and end() comes next.
	 */
	int (*row)(struct table_sink *sink, const struct table_cell *cells,
		   struct wm_error *err);
	/* Once, after all rows. */
	int (*end)(struct table_sink *sink, struct wm_error *err);
};

/*
 * A table on its way to a sink. A failure is kept and reported by table_end(), and what is
 * filled after it is dropped: filling a table needs no checks.
 */
struct table {
	struct table_sink *sink;
	const struct table_column *columns;
	unsigned n_columns;
	bool begun, in_row;
	uint64_t rows; /* so far, with those that were dropped */
	int code;      /* what the sink last returned: not 0, and rows are dropped */
	struct wm_error err;
	struct table_cell cells[TABLE_COLUMNS_MAX];
	struct table_text {
		char *bytes; /* [room] of the text in the cell */
		size_t room;
	} texts[TABLE_COLUMNS_MAX];
};

/* columns[n] and the sink must outlive the table. n is TABLE_COLUMNS_MAX at most. */
void table_begin(struct table *table, const struct table_column *columns, unsigned n,
		 struct table_sink *sink);
/*
 * Sends the last row and ends the sink, or with an error of the caller's in `code` neither;
 * frees what the table holds. Returns `code`, or else the first error of the sink.
 */
int table_end(struct table *table, int code, struct wm_error *err);
/* Whether further rows would be dropped: the sink has enough, or failed. */
bool table_is_full(const struct table *table);

/* Begins a row and sends the previous one. Cells that are not put stay empty. */
void table_row(struct table *table);
/* Copied. NULL leaves the cell empty. In a column of numbers: only for sinks that write. */
void table_text(struct table *table, unsigned column, const char *text);
void table_count(struct table *table, unsigned column,
		 uint64_t value);				     /* addresses too */
void table_real(struct table *table, unsigned column, double value); /* shares too */
void table_change(struct table *table, unsigned column, int64_t value); /* signed too */

#endif
