/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The instructions of functions, with how often each ran and which way branches went. Of a
 * function that is in the program only where it was inlined, they are those that the
 * compiler says come from it.
 */
#ifndef ANALYSIS_HOT_ANNOTATE_H
#define ANALYSIS_HOT_ANNOTATE_H

#include "analysis/counted.h"
#include "out/table.h"
#include "program/inlines.h"

/* What is looked at; all of it the caller's. */
struct annotate {
	struct counted of; /* of.function: whose, a pattern */
	/* The text of a line of a source file, valid until the next call; NULL: none. */
	const char *(*text)(void *cookie, const char *path, uint32_t line);
	/* Told when a function has no code of its own that ran, and is shown inlined. */
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
