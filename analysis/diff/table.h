/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What two runs executed of each function or kind, or how often, side by side. */
#ifndef ANALYSIS_DIFF_TABLE_H
#define ANALYSIS_DIFF_TABLE_H

#include "analysis/diff/modules.h"
#include "analysis/selection.h"
#include "out/table.h"
#include "program/functions.h"
#include "program/srclines.h"

enum diff_by {
	DIFF_BY_FUNCTION, /* instructions */
	DIFF_BY_CALLS,	  /* of functions */
	DIFF_BY_CLASS,	  /* instructions, as in analysis/mix/kinds.h */
	DIFF_BY_MNEMONIC,
	DIFF_BY_EXTENSION,
	DIFF_BY_SIZE,
	DIFF_BY_LINE,	/* of source: instructions */
	DIFF_BY_METHOD, /* of managed programs: instructions */
	DIFF_BY_SOURCE, /* the lines of methods: instructions */
};

enum diff_column {
	DIFF_CHANGE, /* B - A */
	DIFF_COUNT_A,
	DIFF_COUNT_B,
	DIFF_RATIO, /* B / A; empty when A has none */
	DIFF_NAME,
	DIFF_MODULE, /* of functions and lines alone; of methods, their source */
	DIFF_PATH,   /* of the same, whole */
	DIFF_COLUMNS
};
/* The first ones are the columns of any table; n of them with functions or without. */
extern const struct table_column diff_columns[DIFF_COLUMNS];
static inline unsigned diff_columns_of(enum diff_by by)
{
	return by <= DIFF_BY_CALLS || by >= DIFF_BY_LINE ? DIFF_COLUMNS : DIFF_MODULE;
}

/* One of the two runs. */
struct diff_half {
	const struct wm_trace *trace;
	struct symbols *symbols;
	struct functions *functions;
	struct srclines *lines;
	const struct selection *selection;
	/* Functions that were inlined are functions, in tables of functions and their calls. */
	bool inlined;
};

/*
 * Fills in a table of diff_columns with the rows that differ, in the order of A.
 * `function`, when not NULL, is a pattern of functions that count. *differs: there is a
 * row. Uncertain instructions count as run. Errors are those of mix_gather(),
 * calls_gather() and tallies_gather(), about the run *at; WM_E_RANGE: it has no bytecodes.
 */
int diff_table_fill(struct table *table, enum diff_by by, const char *function,
		    const struct diff_half halves[2], const struct diff_modules *modules,
		    bool *differs, enum diff_side *at, struct wm_error *err);

#endif
