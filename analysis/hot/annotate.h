/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The instructions of functions, with how often each ran and which way branches went. A
 * function that exists only where it was inlined is listed by the instructions that the
 * compiler attributes to it.
 */
#ifndef ANALYSIS_HOT_ANNOTATE_H
#define ANALYSIS_HOT_ANNOTATE_H

#include "analysis/counted.h"
#include "out/table.h"
#include "program/inlines.h"

/* What to list; all of it is the caller's. */
struct annotate {
	struct counted of; /* of.function: whose, a pattern */
	/* The text of a line of a source file, valid until the next call; NULL: none. */
	const char *(*text)(void *cookie, const char *path, uint32_t line);
	/* Called when no code of the function's own ran and its inlined code is shown. */
	void (*inlined)(void *cookie, const struct inlines *inlines);
	void *cookie;
};

extern const struct table_column annotate_columns[];
extern const unsigned annotate_n_columns;

/*
 * Fills in the table, in the order of files and addresses. Of RISC-V code whose file is there
 * and what ran, it also has the instructions that did not run. WM_E_RANGE when no such
 * function ran, WM_E_NOMEM, and those of edges_gather().
 */
int annotate_fill(struct table *table, const struct annotate *annotate,
		  struct wm_error *err);

#endif
