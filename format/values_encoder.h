/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files of the encoder of values have in common: values_encode.h is for others. */
#ifndef FORMAT_VALUES_ENCODER_H
#define FORMAT_VALUES_ENCODER_H

#include "format/values_encode.h"
#include "format/values_patterns.h"
#include "format/values_plans.h"
#include "format/values_shape.h"

struct values_encoder {
	struct values_model model; /* first: see VALUE_WORD */
	struct value_words *from;  /* while words are taken */
	uint64_t words, after;	   /* taken; and of these, up to the last miss */
	uint32_t position;	   /* of the current block, or the next one */
	struct plans plans;
	struct value_shape
		*shapes; /* [shapes_room] by block id, where fetches are recorded */
	uint32_t shapes_room, shapes_known; /* from that on none is */

	/* Of the current block: */
	uint32_t id;
	uint32_t accesses; /* taken */
	uint16_t insn;	   /* of the firing before */
	uint32_t expected; /* firings that equal its pattern's first ones */
	bool differs;	   /* then all of them are gathered */

	struct value_patterns patterns;

	uint32_t last_change, last_short; /* positions */
	struct buf strings[VALUES_STRINGS];
};

static inline uint64_t value_words_left(const struct value_words *words)
{
	return words->end - words->at;
}

/* Reads a word once: its writer may be a guest that changes it. */
static inline uint64_t value_next_word(struct value_words *words)
{
	return *(const volatile uint64_t *)&words->ring[words->at++ & words->mask];
}

/* Word `number` of the chunk is this far from where it was told from. */
void values_put_miss(struct values_encoder *encoder, uint64_t number, uint64_t distance);
/* Takes a block that fired nothing step by step. */
enum values_result values_take_steps(struct values_encoder *encoder, uint32_t id,
				     struct value_words *words);
/*
 * The same for blocks ids[n] that have nothing but an interpreter's fetches, where none in this
 * chunk has fired.
 */
enum values_result values_take_fetches(struct values_encoder *encoder,
				       const uint32_t *ids, size_t n,
				       struct value_words *words);
enum values_result values_take_picked_fetches(struct values_encoder *encoder,
					      const struct values_picked *picked,
					      size_t n, struct value_words *words);

#endif
