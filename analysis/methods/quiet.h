/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Threads of a managed program that execute no bytecode, as those of a JVM that compile or
 * collect garbage, which may be most of a run. Their histograms say so: nobody need follow them.
 */
#ifndef ANALYSIS_METHODS_QUIET_H
#define ANALYSIS_METHODS_QUIET_H

#include "analysis/counts.h"
#include "managed/units.h"

/*
 * Sets *quiet when no block that ran in the selected part of a thread is of an interpreter with
 * pieces, or of code that a runtime compiled. A short thread is never quiet, and none is when the
 * selection has excerpts. Of a quiet thread *counts has what ran. The caller frees *counts with
 * counts_fini(). Errors are those of counts_gather(); then *counts is empty.
 */
int quiet_thread(bool *quiet, struct counts *counts, const struct units *units,
		 const struct wm_trace *trace, const struct selection *selection,
		 unsigned stream, struct wm_error *err);

#endif
