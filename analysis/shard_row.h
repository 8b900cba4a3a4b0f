/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Shards of an analysis that is `streamed` (analysis.h). Each of their groups is one segment, or
 * a piece of one, or in order all that a part has of a stream, in pieces. So whoever answers holds
 * the state up to there, without what it has handed out, and one group. The shards of all may be
 * larger than memory: they are spooled.
 */
#ifndef ANALYSIS_SHARD_ROW_H
#define ANALYSIS_SHARD_ROW_H

#include "analysis/shard.h"
#include "base/spool.h"

struct shard_source {
	struct span shard;
	struct spool *spool; /* that it is in; NULL: it is in memory */
};

/* Puts the shard of the segments first <= i < end. Errors of analysis_segments(), spool_put(). */
int shard_row_make(const struct shard_question *question, size_t first, size_t end,
		   struct spool *out, struct wm_error *err);
/* Puts the shard of all sources[n], which have no segment in common. Errors of shard_merge(). */
int shard_row_join(const struct shard_question *question,
		   const struct shard_source *sources, size_t n, struct spool *out,
		   struct wm_error *err);

/* Who answers. */
struct shard_row {
	const struct shard_question *question;
	void *state; /* of the segments [begin, end) of a stream; NULL: of none */
	size_t begin, end;
	bool over; /* no more is wanted */
};

void shard_row_init(struct shard_row *row, const struct shard_question *question);
void shard_row_fini(struct shard_row *row);
/*
 * Hands out what sources[n] have, which together are the segments that come next. Errors of
 * shard_merge() and of the analysis.
 */
int shard_row_add(struct shard_row *row, const struct shard_source *sources, size_t n,
		  struct wm_error *err);
/* All were added; WM_E_FORMAT: not so. */
int shard_row_end(const struct shard_row *row, struct wm_error *err);

#endif
