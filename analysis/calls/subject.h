/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The calls of which part of which trace, with what is needed to name them. */
#ifndef ANALYSIS_CALLS_SUBJECT_H
#define ANALYSIS_CALLS_SUBJECT_H

#include "analysis/selection.h"
#include "program/functions.h"
#include "program/srclines.h"

/* All of it the caller's. */
struct calls_subject {
	const struct wm_trace *trace;
	struct symbols *symbols;
	struct functions *functions;
	struct srclines *lines;
	const struct selection *selection;
};

#endif
