/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The instructions of functions, with how often each ran and which way branches went. Where
 * a function was inlined into others, the instructions that the compiler attributes to it
 * there are its own, too.
 */
#ifndef ANALYSIS_HOT_ANNOTATE_H
#define ANALYSIS_HOT_ANNOTATE_H

#include "analysis/counted.h"
#include "out/table.h"
#include "program/inlines.h"

/* A function that is listed where it was inlined. */
struct annotate_inlined {
	const char *name;
	const char *places; /* such as "into main (list.c:12) and at 3 more places" */
	bool also;	    /* code of its own is listed, too; `places` is one of them */
};

/* What to list; all of it is the caller's. */
struct annotate {
	struct counted of; /* of.function: whose, a pattern */
	/* The text of a line of a source file, valid until the next call; NULL: none. */
	const char *(*text)(void *cookie, const char *path, uint32_t line);
	/* Called when code of other functions is listed, because a call is inlined there. */
	void (*inlined)(void *cookie, const struct annotate_inlined *inlined);
	void *cookie;
};

/*
 * The same of methods that an interpreter ran, by bytecode: with all that did not run, the
 * ways of branches, and shares of instructions. WM_E_RANGE when no such method ran, WM_E_NOMEM,
 * and those of bytecodes_gather(). *hinted: the error names a method that may be meant.
 */
int annotate_methods(struct table *table, const struct annotate *annotate, bool *hinted,
		     struct wm_error *err);

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
