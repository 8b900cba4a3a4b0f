/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What shard.c and shard_row.c share: the groups that a shard has. */
#ifndef ANALYSIS_SHARD_DATA_H
#define ANALYSIS_SHARD_DATA_H

#include "analysis/shard.h"

/*
 * Segments [begin, end) of a stream. With begin == end, of an analysis that is `streamed`: a piece
 * of the segment `begin`, and the next group goes on with it. Its last piece ends it.
 */
struct group {
	size_t begin, end;
	struct span bytes;
};

/* Reads the groups of a shard, one after the other. */
struct groups {
	struct span in;
	uint64_t left; /* pieces with more behind them do not count */
	size_t behind; /* end of the last group read; the next one may not begin below
		        * it */
	bool inside;   /* the next one must begin there */
};

/* Always WM_E_FORMAT, with its sentence. */
int shard_malformed(const struct shard_question *question, struct wm_error *err);

/* Writes a shard's head, which has the number of groups that follow it. */
void shard_put_head(const struct shard_question *question, uint64_t groups,
		    struct buf *out);
void shard_put_group(struct buf *out, const struct group *group);
void shard_put_group_head(struct buf *out, const struct group *group);
int shard_get_head(const struct shard_question *question, struct span in,
		   struct groups *groups, struct wm_error *err);
/* 0, WM_END, WM_E_FORMAT. */
int shard_next_group(const struct shard_question *question, struct groups *groups,
		     struct group *group, struct wm_error *err);

/*
 * The state of a group, for the caller to shard_free_state(), also after an error. To begin() the
 * group is one segment; get() must use up all its bytes.
 */
int shard_get_state(const struct shard_question *question, const struct group *group,
		    void **state, struct wm_error *err);
void shard_free_state(const struct shard_question *question, void *state);

#endif
