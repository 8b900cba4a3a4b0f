/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whole executions of blocks pass the caches, the short way; for analysis/cache/ alone. */
#ifndef ANALYSIS_CACHE_WHOLE_H
#define ANALYSIS_CACHE_WHOLE_H

#include "analysis/cache/feed-data.h"

/* Where a part of a run is: the block at `i`, its first instruction, the next access. */
struct passing {
	const struct stretch *part;
	size_t i;
	uint64_t ordinal;
	const struct wm_access *next, *end;
};

/*
 * Passes blocks as long as they are whole, lie in the current interval and have a list of
 * fetches; so none, if the first is not such a block. WM_E_NOMEM.
 */
int cache_feed_whole(struct cache_feed *feed, struct passing *at, struct wm_error *err);

#endif
