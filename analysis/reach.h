/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where a sequence of instructions reaches the places that bound a part of it. The part
 * begins where a place of the first kind is reached for the `from_times`-th time. It ends
 * before the first place of the second kind after that which is at least the
 * `to_times`-th of all.
 */
#ifndef ANALYSIS_REACH_H
#define ANALYSIS_REACH_H

#include "analysis/diff/source.h"

enum { REACH_FROM = 1, REACH_TO = 2 };

struct reach {
	/*
	 * The bits of REACH_* for the instruction at an address; `unit` is the source's.
	 */
	unsigned (*look)(void *cookie, uint32_t unit, uint64_t address);
	void *cookie;
	uint32_t from_times, to_times; /* 0: that bound is known */

	/*
	 * Ordinals, and whether they are known. The caller sets those that need no
	 * search.
	 */
	uint64_t from, to;
	bool opened, closed;
	uint64_t from_hits, to_hits; /* hits until the bound was known */
};

/*
 * Reads a source, whose places are addresses, until both bounds are known or the source
 * ends. Errors: WM_E_NOMEM, and those of the source.
 */
int reach_run(struct reach *reach, struct diff_source *source, struct wm_error *err);

#endif
