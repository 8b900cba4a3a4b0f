/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A report: the results of the analyses of a trace, reduced to what a page can show, in
 * one HTML file that needs nothing else.
 *
 * What is reduced or cut depends only on the trace and the selection, and the page
 * states it.
 */
#ifndef REPORT_REPORT_H
#define REPORT_REPORT_H

#include <stdio.h>

#include "analysis/selection.h"
#include "program/functions.h"
#include "program/srclines.h"

/* What the report is made from; all of it is the caller's. */
struct report_ask {
	const struct wm_trace *trace;
	const struct selection *selection;
	struct symbols *symbols;
	struct functions *functions;
	struct srclines *lines;
	/* The text of a line of a source file, valid for a moment; NULL: there is none. */
	const char *(*source_line)(void *cookie, const char *path, uint32_t line);
	void *cookie;
	double seconds; /* duration of the recording; negative: not known */
	bool no_inline; /* inlined functions count in those around them; so does `functions` */
};

/* Whether this build has the page: it lacks it without the chart library. */
bool report_is_built(void);

/*
 * Writes the page; the caller checks the stream for errors. Errors: WM_E_NOMEM, and those
 * of the analyses. Nothing is written before all of them have succeeded.
 */
int report_write(const struct report_ask *ask, FILE *out, struct wm_error *err);

#endif
