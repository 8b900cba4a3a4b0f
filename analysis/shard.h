/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The part of an analysis that one of several processes computed, as bytes: the states of
 * some segments. Shards of the same question can be merged in any order and grouping.
 * When all segments are in one shard, it is the answer.
 */
#ifndef ANALYSIS_SHARD_H
#define ANALYSIS_SHARD_H

#include "analysis/analysis.h"

/* One question: the arguments of an analysis' run. All of it the caller's. */
struct shard_question {
	const struct analysis *analysis;
	void *setup;
	const struct wm_trace *trace;
	const struct selection *selection;
	const struct segments *segments;
};

/* Appends the shard of the segments first <= i < end. Errors of analysis_segments(). */
int shard_make(const struct shard_question *question, size_t first, size_t end,
	       struct buf *out, struct wm_error *err);
/*
 * Appends the shard of both, which have no segment in common. WM_E_FORMAT: one is of another
 * question, or malformed. WM_E_NOMEM.
 */
int shard_merge(const struct shard_question *question, struct span a, struct span b,
		struct buf *out, struct wm_error *err);
/* Calls stream() for each stream. WM_E_FORMAT also when segments are missing. */
int shard_finish(const struct shard_question *question, struct span shard,
		 struct wm_error *err);

#endif
