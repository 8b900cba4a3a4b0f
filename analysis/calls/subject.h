/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The calls of which part of which trace, with what is needed to name them. */
#ifndef ANALYSIS_CALLS_SUBJECT_H
#define ANALYSIS_CALLS_SUBJECT_H

#include "analysis/calls/sites.h"
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
	bool methods; /* those of a managed program alone: sites_hide_natives() */
};

/* The sites of a subject, which the caller frees. Errors are those of sites_new(). */
int subject_sites(const struct calls_subject *subject, struct sites **sites,
		  struct wm_error *err);

#endif
