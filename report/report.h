/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A page to look at: what the analyses say of a trace, folded to what a page can show, in
 * one HTML file that needs nothing else.
 *
 * What is folded or cut depends on nothing but the trace and what is asked for, and the
 * page says it.
 */
#ifndef REPORT_REPORT_H
#define REPORT_REPORT_H

#include <stdio.h>

#include "analysis/selection.h"
#include "program/functions.h"
#include "program/srclines.h"

/* What it is made from; all of it the caller's. */
struct report_ask {
	const struct wm_trace *trace;
	const struct selection *selection;
	struct symbols *symbols;
	struct functions *functions;
	struct srclines *lines;
	double seconds; /* that the recording took; negative: not known */
};

/* Whether this build has the page: it lacks it without the chart library. */
bool report_is_built(void);

/*
 * Writes the page; what the stream says is the caller's to check. WM_E_NOMEM, and errors
 * of the analyses. Nothing is written before all of them are through.
 */
int report_write(const struct report_ask *ask, FILE *out, struct wm_error *err);

#endif
