/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A last cache that all threads share, of threads that were simulated one by one. */
#ifndef ANALYSIS_CACHE_LAST_H
#define ANALYSIS_CACHE_LAST_H

#include "analysis/cache/below.h"
#include "analysis/cache/profile.h"
#include "analysis/pieces.h"

/* What a thread has asked. */
struct cache_asks {
	unsigned stream;
	struct pieces pieces; /* of the items of a struct cache_below; read once */
};

/*
 * Puts what asks[n] have to the last level of `cache`, in the order of trace/merge.h, and adds
 * what it misses to the profile, whose sites and intervals are sorted. WM_E_NOMEM; WM_E_FORMAT:
 * they are not of this trace.
 */
int cache_last_ask(struct cache *cache, struct cache_asks *asks, size_t n,
		   struct cache_profile *profile, const struct wm_trace *trace,
		   struct wm_error *err);

#endif
