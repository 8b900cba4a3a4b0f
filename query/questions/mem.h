/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The parts of the question "mem", which query/questions/mem.c puts together. */
#ifndef QUERY_QUESTIONS_MEM_H
#define QUERY_QUESTIONS_MEM_H

#include "analysis/mem/listed.h"
#include "query/query.h"

/*
 * The options. Those before MEM_INTERVAL select an answer and exclude each other, but MEM_BY may
 * be about what MEM_WATCH has.
 */
enum {
	MEM_WATCH,
	MEM_LAST_WRITER,
	MEM_BY,
	MEM_WORKING_SET,
	MEM_REUSE,
	MEM_REGISTERS,
	MEM_INTERVAL,
	MEM_OPTIONS,
};

enum mem_by {
	MEM_BY_FUNCTION,
	MEM_BY_LINE,
	MEM_BY_OBJECT,
	MEM_BY_PAGE,
	MEM_BY_METHOD,
	MEM_BY_SOURCE
};

static inline enum mem_by mem_by_of(const struct query *query)
{
	return (enum mem_by)query_number(query, MEM_BY);
}

/*
 * Each part has its own columns, with the contract of columns() of struct question, and
 * its own function that fills the table.
 */
unsigned mem_list_columns(struct table_column *columns);
int mem_list_fill(struct query *query, struct table *table, struct wm_error *err);
unsigned mem_by_columns(enum mem_by by, struct table_column *columns);
int mem_by_fill(struct query *query, struct table *table, struct wm_error *err);
unsigned mem_workset_columns(struct table_column *columns);
int mem_workset_fill(struct query *query, struct table *table, struct wm_error *err);
unsigned mem_reuse_columns(struct table_column *columns);
int mem_reuse_fill(struct query *query, struct table *table, struct wm_error *err);
unsigned mem_registers_columns(struct table_column *columns);
int mem_registers_fill(struct query *query, struct table *table, struct wm_error *err);

/*
 * For lists: hands the wanted accesses of all selected threads to `take`, found by the query's
 * runner: mem_listed().
 */
int mem_list_shared(const struct query *query, const struct mem_wanted *wanted,
		    int (*take)(void *cookie, const struct mem_access *access,
				struct wm_error *err),
		    void *cookie, struct wm_error *err);

#endif
