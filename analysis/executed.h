/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The rows and parts of counts in one form: stretches of blocks that ran. */
#ifndef ANALYSIS_EXECUTED_H
#define ANALYSIS_EXECUTED_H

#include "analysis/counts.h"

/* Instructions begin <= index < end of a block ran `count` times. */
struct executed {
	uint32_t space, id;
	struct wm_block block;
	uint32_t begin, end;
	uint32_t uncertain; /* the last `uncertain` of these may not have run */
	uint64_t count;
};

/*
 * Calls `take` for all rows and then all parts. Returns its first result that is not 0,
 * or 0.
 */
int executed_each(const struct counts *counts, const struct wm_trace *trace,
		  int (*take)(void *cookie, const struct executed *executed),
		  void *cookie);

#endif
