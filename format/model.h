/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The predictor that encoder and decoder share.
 *
 * A program repeats itself: what followed here last time is likely to follow again. The
 * model keeps the chunk's block ids as they come, and a *source*: an earlier position
 * from which the sequence is being repeated. As long as ids[position] equals ids[source],
 * both advance and nothing is stored. When they differ (a *miss*), the last 10 ids before it, the
 * miss's *context*, say which other ways the program went from such a place, and where each goes
 * on: the actual id is stored as its rank among these ways, and the way's position is the new
 * source. A miss whose context does not know the id is stored as its rank among the ways that
 * such misses took behind the block before it, or by the id itself.
 *
 * A position is a *fork* when a prediction failed at it, or at the position it was copied
 * from, although another way was known. Misses are nearly always at forks, so the length
 * of a run is stored as the number of forks it passed.
 *
 * Everything here happens once per miss: once in about 13 to 40,000 blocks. A miss that its
 * context knows reads two places that are not in the caches: the context's ways, one line, and
 * the new source.
 *
 * Both sides must make exactly the same changes in the same order, so this code is here and
 * not in encode.c and decode.c. FORMAT.md, section "The automaton", is the normative text.
 */
#ifndef FORMAT_MODEL_H
#define FORMAT_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format/context.h"
#include "format/entry.h"
#include "format/ways.h"

#define MODEL_CONTEXT 10 /* ids of a context */
#define MODEL_PAD 16	 /* zero ids before position MODEL_PAD, the first one */
#define MODEL_BITS 15	 /* contexts: 2^15 */

#define MODEL_ENTRY_BYTES \
	(sizeof(struct ways) + sizeof(uint32_t)) /* of `after` and `seen` */

struct model {
	uint32_t *ids; /* [MODEL_PAD + capacity + slack] entries; ids[0] is MODEL_FORK */
	struct ways *contexts; /* [2^MODEL_BITS] by the slot of a context */
	struct ways *after; /* [allocated] by the block before; not of what contexts knew */
	uint32_t *seen; /* [allocated] by id: the position after its latest miss like that */
	uint32_t capacity;  /* ids a chunk may hold */
	uint32_t known;	    /* ids 1..known may occur */
	uint32_t allocated; /* entries of `after` and `seen` */
	uint32_t highest;   /* greatest id of the stream so far */
};

/* Allocates for chunks of at most `capacity` ids; false when there is no memory. */
bool model_init(struct model *model, uint32_t capacity);
void model_fini(struct model *model);
/* Allows ids up to `known`; false when there is no memory. Never shrinks. */
bool model_know(struct model *model, uint32_t known);
/* Forgets everything but `highest`: the state at the first id of a chunk. */
void model_reset(struct model *model);
/*
 * The same, faster after few misses: misses[n] are the positions of all misses since the
 * last reset, and ids[MODEL_PAD] up to `end` is the sequence.
 */
void model_forget(struct model *model, const uint32_t *misses, uint32_t n, uint32_t end);
/* Bytes of memory of the tables and of a sequence up to position `end`. */
size_t model_bytes(const struct model *model, uint32_t end);
/* Entries that a model allocates that has just been made and is to know ids 1..known. */
uint32_t model_entries(uint32_t known);

/* The ways of the context that ends before `position`. */
static inline struct ways *model_context(const struct model *model, uint32_t position)
{
	/*
	 * Odd constants with no pattern. They are part of the format: other ones predict
	 * differently. The high bits of a product are the well mixed ones.
	 */
	static const uint64_t multipliers[MODEL_CONTEXT / 2] = {
		0xff51afd7ed558ccd, 0xd6e8feb86659fd93, 0x94d049bb133111eb,
		0xbf58476d1ce4e5b9, 0x9e3779b97f4a7c15,
	};
	uint64_t sum = context_sum(model->ids + position, multipliers, MODEL_CONTEXT / 2);

	return &model->contexts[sum >> (64 - MODEL_BITS)];
}

/*
 * Learns the miss at `position`, whose id `context` knows at `index`. ids[position] has the id,
 * not yet marked. Marks it and the source. Returns the source for position + 1.
 */
static inline uint32_t model_follow(struct model *model, struct ways *context,
				    unsigned index, uint32_t position, uint32_t source)
{
	uint32_t id = model->ids[position], found = context->positions[index];

	model->ids[position] = id | MODEL_FORK;
	model->ids[source] |= MODEL_FORK;
	ways_to_front(context, index, id, position + 1);
	return found;
}

/*
 * The same for an id that was not coded as a way of its context. The source is 0 for none, at
 * most `position` otherwise.
 */
uint32_t model_learn(struct model *model, struct ways *context, uint32_t position,
		     uint32_t source);

#endif
