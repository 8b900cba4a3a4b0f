/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The spaces of a trace by what people call them: processes, and the machine. */
#ifndef QUERY_PROCESSES_H
#define QUERY_PROCESSES_H

#include <stdbool.h>

#include "query/scope.h"
#include "waymark.h"

/*
 * Chooses the spaces that scope->process and scope->pid select: *chosen has a flag for each
 * space and is the caller's to free(); NULL when neither is given. A process is a number, as
 * `info` prints it, or else a pid, or a pattern (of fnmatch) for the name of its program, the
 * folders left out. WM_E_RANGE, with the names that there are, when none is selected.
 */
int processes_choose(bool **chosen, const struct wm_trace *trace,
		     const struct scope *scope, struct wm_error *err);

#endif
