/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The blocks of threads that a scope selects by what they are: of a process, a mode, a hart, a
 * system call.
 */
#ifndef QUERY_PORTIONS_H
#define QUERY_PORTIONS_H

#include <stdbool.h>

#include "query/scope.h"
#include "query/threads.h"
#include "trace/excerpts.h"

/*
 * Finds them in *threads, of which those that have none are taken out. `chosen` has the spaces
 * that the scope selects, or is NULL. threads->excerpts stays NULL when all blocks are
 * selected. WM_E_RANGE when none is, or when the trace does not tell; else errors of cursors.
 */
int portions_find(struct threads *threads, const struct wm_trace *trace,
		  const struct scope *scope, const bool *chosen, struct wm_error *err);

#endif
