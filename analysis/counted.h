/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The counts of a part of a run, with the symbols and lines that tables of them need. */
#ifndef ANALYSIS_COUNTED_H
#define ANALYSIS_COUNTED_H

#include "analysis/counts.h"
#include "out/table.h"
#include "program/functions.h"
#include "program/srclines.h"

struct edges;
struct insn_counts;
struct tallies;

/* All of it the caller's. */
struct counted {
	const struct wm_trace *trace;
	const struct selection *selection; /* for what must be retraced */
	const struct counts *counts;	   /* of the same */
	struct symbols *symbols;
	struct functions *functions;
	struct srclines *lines;
	/* Of the same, for loops and for lines; NULL: not known yet. */
	const struct edges *edges;
	const struct insn_counts *insns;
	const struct tallies *tallies; /* for methods, with native functions; NULL */
	bool inlined;	      /* functions that were inlined have what is theirs */
	const char *function; /* only what is of functions of such a name; NULL: all */
};

/* "puts+0x1c" in a cell. */
void counted_put_place(struct table *table, unsigned column,
		       const struct function *function, uint64_t offset);
/* "work.c:12", without the directory. */
void counted_put_line(const struct counted *counted, struct table *table, unsigned column,
		      const struct srcline *line);
/* Whether a function matches the pattern. */
bool counted_wants(const struct counted *counted, uint32_t function);
/* The last part of a path, which may be NULL. */
const char *counted_base_name(const char *path);

#endif
