/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The predictor that encoder and decoder share.
 *
 * A program repeats itself: what followed here last time is likely to follow again. The
 * model keeps the chunk's block ids as they come, and a *source*: an earlier position
 * from which the sequence is being repeated. As long as ids[position] equals ids[source],
 * both advance and nothing is stored. When they differ (a *miss*), the actual id is
 * stored as its rank among the latest successors of the block before it, and a new source
 * is looked up: the position after the latest miss that ended in the same 12 ids, else
 * the same 4, else the same 1.
 *
 * A position is a *fork* when a prediction failed at it, or at the position it was copied
 * from, although a successor was known. Misses are nearly always at forks, so the length
 * of a run is stored as the number of forks it passed.
 *
 * Everything here happens once per miss: once in about 30 to 10,000 blocks. Both sides
 * must make exactly the same changes in the same order, so this code is here and not in
 * encode.c and decode.c. FORMAT.md, section "The automaton", is the normative text.
 */
#ifndef FORMAT_MODEL_H
#define FORMAT_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MODEL_FAR 12  /* ids in the long context */
#define MODEL_NEAR 4  /* ids in the short context */
#define MODEL_PAD 16  /* zero ids before position MODEL_PAD, the first one */
#define MODEL_BITS 18 /* entries of a context table: 2^18 */
#define MODEL_RANKS 3 /* successors kept for each block; codes rely on 3 */

struct successors {
	uint32_t seen; /* position after the latest miss that came to this block */
	uint32_t latest[MODEL_RANKS]; /* its successors at misses, latest first; 0: none */
};

/*
 * An entry of the sequence: an id, whether its position is a fork, and the mark of the block
 * (encoder_mark()), which the decoder has not.
 */
#define MODEL_FORK 0x80000000u
#define MODEL_MARK 0x40000000u
#define MODEL_ID 0x3fffffffu

struct model {
	uint32_t *ids;	/* [MODEL_PAD + capacity + slack] entries; ids[0] is MODEL_FORK */
	uint32_t *far;	/* [2^MODEL_BITS] context -> position, 0: none */
	uint32_t *near; /* the same for the short context; one huge page with `far` */
	struct successors *successors; /* [known + 1] by id */
	uint32_t capacity;	       /* ids a chunk may hold */
	uint32_t known;		       /* ids 1..known may occur */
	uint32_t allocated;	       /* entries of successors */
	uint32_t highest;	       /* greatest id of the stream so far */
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

/*
 * Learns the miss at `position`: ids[position], not yet marked, came where ids[source]
 * was predicted. Marks both entries if they are forks. Returns the source for position +
 * 1, which is at most `position`, or 0 for none.
 */
uint32_t model_miss(struct model *model, uint32_t position, uint32_t source);

/*
 * The rank of id among the successors other than the predicted one, or MODEL_RANKS when
 * it is not among them. The result is unpredictable, so it is computed without branches.
 * Example: successors 5 6 7 with 5 predicted: 6 has rank 0, 7 rank 1.
 */
static inline unsigned model_rank(const struct successors *before, uint32_t id,
				  uint32_t predicted)
{
	const uint32_t *latest = before->latest;
	unsigned second = latest[0] != predicted;
	unsigned third = second + (latest[1] != predicted);
	unsigned is_first = latest[0] == id, is_second = latest[1] == id;
	unsigned is_third = latest[2] == id;

	return (second & -is_second) + (third & -is_third) +
	       (MODEL_RANKS & -!(is_first | is_second | is_third));
}

/* The inverse of model_rank(): the successor with that rank; 0 when there is none. */
static inline uint32_t model_ranked(const struct successors *before, unsigned rank,
				    uint32_t predicted)
{
	const uint32_t *latest = before->latest;
	unsigned i = rank;

	/* Skip the predicted successor when it is at or before index i. */
	i += latest[0] == predicted;
	i += i >= 1 && latest[0] != predicted && latest[1] == predicted;
	i += i >= 2 && latest[0] != predicted && latest[1] != predicted &&
	     latest[2] == predicted;
	return i < MODEL_RANKS ? latest[i] : 0;
}

#endif
