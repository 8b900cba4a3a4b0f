/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where the instructions of a run were executed: by function, block, line or loop; of a
 * managed program by method, bytecode or line of its source.
 */
#ifndef ANALYSIS_HOT_HOT_H
#define ANALYSIS_HOT_HOT_H

#include "analysis/counted.h"
#include "out/table.h"

enum hot_by {
	HOT_FUNCTION,
	HOT_BLOCK,
	HOT_LINE,
	HOT_LOOP,
	HOT_METHOD,
	HOT_BYTECODE,
	HOT_SOURCE
};
/* Their names in that order, NULL-terminated. */
extern const char *const hot_names[];

/* The columns of the table by `by`. */
const struct table_column *hot_columns(enum hot_by by, unsigned *n);

/*
 * Fills in the table, in no order. Shares are of all instructions in hot->counts. The
 * tables of loops and of managed programs need the order of blocks, for which the selection is
 * retraced. Errors: WM_E_NOMEM, for loops those of edges_gather(), for methods those of
 * sites_new() and calltrace_run(), for the last three those of walk_stream(), and
 * WM_E_RANGE without bytecodes.
 */
int hot_fill(struct table *table, const struct counted *hot, enum hot_by by,
	     struct wm_error *err);

#endif
