/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which of a trace's blocks a part executes. */
#ifndef CUT_NEEDED_H
#define CUT_NEEDED_H

#include <stdbool.h>

#include "cut/plan.h"

/*
 * *needed is [known + 1] by id, and the caller's to free(). Errors are those of cursors and of
 * wm_trace_histogram().
 */
int needed_find(bool **needed, const struct cut_plan *plan, const struct wm_trace *trace,
		struct wm_error *err);

#endif
