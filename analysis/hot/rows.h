/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the kinds of hot tables have in common; for analysis/hot*.c alone. */
#ifndef ANALYSIS_HOT_ROWS_H
#define ANALYSIS_HOT_ROWS_H

#include "analysis/hot/hot.h"
#include "analysis/methods/tallies.h"

/* The first columns of each. */
enum { HOT_INSNS, HOT_SHARE, HOT_CUMULATIVE, HOT_EXECUTIONS, HOT_UNCERTAIN, HOT_COMMON };

#define HOT_COLUMNS                                                     \
	[HOT_INSNS] = { "insns", TABLE_COUNT, false },                  \
	[HOT_SHARE] = { "share", TABLE_SHARE, false },                  \
	[HOT_CUMULATIVE] = { "cumulative", TABLE_RUNNING, .spare = 1 }, \
	[HOT_EXECUTIONS] = { "executions", TABLE_COUNT, false },        \
	[HOT_UNCERTAIN] = { "uncertain", TABLE_COUNT, true }

struct hot_kind {
	const struct table_column *columns;
	unsigned n;
	int (*fill)(struct table *table, const struct counted *hot, struct wm_error *err);
};

extern const struct hot_kind hot_functions, hot_blocks, hot_lines, hot_loops, hot_methods,
	hot_bytecodes, hot_sources;

/*
 * A method of an interpreter; or of what was before any a native function, or "[runtime]", which
 * did not run.
 */
struct hot_interpreted {
	const char *name, *file; /* until the call is over */
	uint32_t line;
	struct code_tally sum; /* its executions are calls */
	bool ran;
};

/* Calls take() for each. WM_END: the trace has no bytecodes. Errors: of walk_stream(). */
int hot_interpreted_each(const struct counted *hot,
			 void (*take)(void *cookie, const struct hot_interpreted *method),
			 void *cookie, struct wm_error *err);

struct hot_tally {
	uint64_t insns, executions;
	uint64_t uncertain; /* instructions of these that are uncertain */
};

void hot_add(struct hot_tally *to, const struct hot_tally *tally);
/* Starts a row with the tally; leaves executions empty. */
void hot_put_tally(const struct counted *hot, struct table *table,
		   const struct hot_tally *tally);
/* The share of `insns` in all instructions. */
double hot_share(const struct counted *hot, uint64_t insns);
/*
 * Makes the error of executed_each() and similar functions, which return a code without a
 * message.
 */
int hot_fail(struct wm_error *err, int code);
#endif
