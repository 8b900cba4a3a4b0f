/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where a sequence of instructions comes to the places that bound a part of it. The part
 * begins where one of the first kind is reached for the `from_times`-th time, and ends
 * before one of the second behind that, the `to_times`-th of all or a later one.
 */
#ifndef ANALYSIS_REACH_H
#define ANALYSIS_REACH_H

#include "analysis/diff/source.h"

enum { REACH_FROM = 1, REACH_TO = 2 };

struct reach {
	/* Which of the two the instruction at an address is; `unit` is the source's. */
	unsigned (*look)(void *cookie, uint32_t unit, uint64_t address);
	void *cookie;
	uint32_t from_times, to_times; /* 0: that bound is known */

	/* Ordinals, and whether they are known: set before when there is nothing to find. */
	uint64_t from, to;
	bool opened, closed;
	uint64_t from_hits, to_hits; /* how often it came there, until it was known */
};

/*
 * Goes through a source, whose places are addresses, until both bounds are known or to its
 * end. WM_E_NOMEM, and errors of the source.
 */
int reach_run(struct reach *reach, struct diff_source *source, struct wm_error *err);

#endif
