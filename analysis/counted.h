/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The counts of a part of a run, with the symbols and lines that tables of them need. */
#ifndef ANALYSIS_COUNTED_H
#define ANALYSIS_COUNTED_H

#include "analysis/counts.h"
#include "program/functions.h"
#include "program/srclines.h"

/* All of it the caller's. */
struct counted {
	const struct wm_trace *trace;
	const struct selection *selection; /* for what must be retraced */
	const struct counts *counts;	   /* of the same */
	struct symbols *symbols;
	struct functions *functions;
	struct srclines *lines;
	const char *function; /* only what is of functions of such a name; NULL: all */
};

#endif
