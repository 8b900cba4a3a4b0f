/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The predictor of chunks without ways (FORMAT.md, 7.5): for reading old files only.
 *
 * It differs from format/model.h in how a miss is learned. An id is ranked among the latest three
 * successors of the block before it; a new source is looked up by two contexts, 12 and 4 ids that
 * end with the id itself, else by the id.
 */
#ifndef FORMAT_OLD_MODEL_H
#define FORMAT_OLD_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define OLD_RANKS 3 /* successors kept for each block */

struct old_successors {
	uint32_t seen; /* position after the latest miss that came to this block */
	uint32_t latest[OLD_RANKS]; /* its successors at misses, latest first; 0: none */
};

struct old_model {
	uint32_t *far;	/* context -> position, 0: none */
	uint32_t *near; /* the same for the short context; behind `far` */
	struct old_successors *successors; /* [allocated] by id */
	uint32_t allocated;
};

/* The state at the first id of a chunk of ids 1..known; false when there is no memory. */
bool old_model_begin(struct old_model *model, uint32_t known);
void old_model_fini(struct old_model *model);
/*
 * The latest successors of block `before` are ranked from 0, without `predicted`. Returns the id of
 * this rank, or 0 if there are fewer. Which one it is is unpredictable, so nothing branches.
 */
static inline uint32_t old_model_ranked(const struct old_model *model, uint32_t before,
					unsigned rank, uint32_t predicted)
{
	const uint32_t *latest = model->successors[before].latest;
	unsigned i = rank;

	/* Skip the predicted successor when it is at or before index i. */
	i += latest[0] == predicted;
	i += i >= 1 && latest[0] != predicted && latest[1] == predicted;
	i += i >= 2 && latest[0] != predicted && latest[1] != predicted &&
	     latest[2] == predicted;
	return i < OLD_RANKS ? latest[i] : 0;
}

/*
 * Learns the miss at `position` of the sequence `ids`, in whose place ids[source] was predicted,
 * and marks both entries if they are forks. Returns the source for position + 1, or 0 for none.
 */
uint32_t old_model_miss(struct old_model *model, uint32_t *ids, uint32_t position,
			uint32_t source);

#endif
