/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A relation: a table of SQL whose rows are computed from a trace while SQLite asks for
 * them. To add one, write its struct relation, declare it in sql/relations.h and put it
 * into tables[] of sql/sql.c.
 *
 * The conditions of a query on key columns arrive as a range. A relation may use the
 * range to skip rows, or ignore it, because SQLite checks every row against every
 * condition again. A range affects speed, never results.
 */
#ifndef SQL_RELATION_H
#define SQL_RELATION_H

#include "sql/range.h"
#include "sql/sqlite.h"
#include "sql/subject.h"

/* An iteration over rows: the first member of the relation's own struct. */
struct rows {
	const struct relation *relation;
	struct subject *subject;
	struct range range;
	/*
	 * Of the current row, in all iterations the same, because SQLite goes through the rows
	 * of "A or B" twice and knows by it which ones it had. Rows of a relation without keys
	 * are counted; one with keys, which skips rows, sets it in next().
	 */
	uint64_t number;
	bool ended;
};

struct relation {
	const char *name;
	const char *columns; /* as in CREATE TABLE: "thread INTEGER, name TEXT" */
	/* Which column each kind of key is in, plus 1; 0: in none. */
	uint8_t keys[RANGE_KEYS];
	const char *address_name; /* of the column of RANGE_ADDRESS; NULL: "address" */
	/* Rows come by thread, and of a thread neither its block nor its insn goes back. */
	bool in_order;
	/*
	 * The current row's insn, of a relation in order whose rows can be copied (sql/backward.h);
	 * else NULL.
	 */
	uint64_t (*ordinal)(const struct rows *rows);
	const void *setup; /* a constant for open(), whose type the relation defines */
	size_t rows_bytes; /* of the relation's struct, all zeros before open() */
	/* An estimate of the rows without any condition, for SQLite's planner. */
	uint64_t (*count)(const struct subject *subject);
	/* Moves before the first row of rows->range. */
	int (*open)(struct rows *rows, struct wm_error *err);
	/* Moves to the next row, or sets `ended`. */
	int (*next)(struct rows *rows, struct wm_error *err);
	/* Puts a column's value into the context; a value that is not put is NULL. */
	int (*column)(struct rows *rows, sqlite3_context *context, int column,
		      struct wm_error *err);
	void (*close)(struct rows *rows); /* frees; also after open() failed */
};

/* The text, or NULL for a null pointer. SQLite copies it. */
void put_text(sqlite3_context *context, const char *text);
/* SQL's integers have a sign: an address of 2^63 or more becomes negative. */
void put_number(sqlite3_context *context, uint64_t number);
/* Nanoseconds since the recording began, of a time as the library has it; NULL of 0, unknown. */
void put_time(sqlite3_context *context, const struct subject *subject, uint64_t ns);

#endif
