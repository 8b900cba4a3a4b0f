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
	struct wm_cursor *
		*cursor; /* optional, from shard to shard: see struct analysis_sink */
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

/*
 * A shard that grows in the order of the segments, of an analysis that is `in_order` and has
 * append(). What this process computes continues the state that is there, which costs less than
 * a state of its own that is then appended.
 */
struct shard_chain;
/* NULL: no memory. The question must outlive it. */
struct shard_chain *shard_chain_new(const struct shard_question *question);
void shard_chain_free(struct shard_chain *chain); /* takes NULL */
/* Computes the segments first <= i < end, which come next. */
int shard_chain_walk(struct shard_chain *chain, size_t first, size_t end,
		     struct wm_error *err);
/* Adds a shard whose segments come next. Errors of shard_merge(). */
int shard_chain_add(struct shard_chain *chain, struct span shard, struct wm_error *err);
/* Appends the shard of all; the chain can only be freed afterwards. */
int shard_chain_put(struct shard_chain *chain, struct buf *out, struct wm_error *err);

/* Calls stream() for each stream. WM_E_FORMAT also when segments are missing. */
int shard_finish(const struct shard_question *question, struct span shard,
		 struct wm_error *err);

#endif
