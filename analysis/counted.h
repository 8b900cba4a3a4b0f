/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A part of a run, counted, and what knows its code: where tables of it begin. */
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
