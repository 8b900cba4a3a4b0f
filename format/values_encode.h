/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Encodes the values of a chunk's blocks: words of a ring become the strings of VALS. */
#ifndef FORMAT_VALUES_ENCODE_H
#define FORMAT_VALUES_ENCODE_H

#include "format/values_model.h"
#include "format/values_strings.h"

struct values_encoder;

/* A chunk with so many bytes of values is full. */
#define VALUES_CHUNK_BYTES (16u << 20)

/* Words to be taken, from `at` up to `end`. Each is read once. */
struct value_words {
	const uint64_t *ring;
	uint64_t mask; /* of an index of the ring: its size in words less 1 */
	uint64_t at, end;
};

enum values_result {
	VALUES_DONE = 0,
	VALUES_SHORT = -1, /* there are not enough words */
	VALUES_NOMEM = -2, /* no memory, or more than a chunk can have */
	VALUES_WRONG = -3, /* a firing that cannot be there */
};

/* `programs` outlive it, and may become more. NULL: no memory. */
struct values_encoder *values_encoder_new(const struct value_programs *programs);
void values_encoder_free(struct values_encoder *encoder);
/* Blocks that were ended in this chunk. */
uint32_t values_encoder_blocks(const struct values_encoder *encoder);
/* Whether the chunk should end with the block that was ended last. */
bool values_encoder_full(const struct values_encoder *encoder);
/* Bytes of its strings so far, and of its memory. */
size_t values_encoder_bytes(const struct values_encoder *encoder);
size_t values_encoder_memory(const struct values_encoder *encoder);

/*
 * The chunk's next blocks ids[n], all of them with programs, which ran to their ends and
 * fired nothing. After another result than VALUES_DONE, here and below, the chunk's values
 * are of no use.
 */
enum values_result values_encoder_take(struct values_encoder *encoder,
				       const uint32_t *ids, size_t n,
				       struct value_words *words);

/* Of some blocks in a row, those that have steps. */
struct values_picked {
	const uint32_t *ids;	/* [count] */
	const uint16_t *places; /* [count] of each among them, ascending */
	size_t count;
};
/* Whether values_encoder_take_picked() is possible: fetches are recorded, and nothing fired. */
bool values_encoder_picks(const struct values_encoder *encoder);
/* The same for n blocks, of which those with steps are picked; n is at most 65,536. */
enum values_result values_encoder_take_picked(struct values_encoder *encoder,
					      const struct values_picked *picked,
					      size_t n, struct value_words *words);

/*
 * The same for one block whose execution is not so plain: begin, its firings in order,
 * end.
 */
enum values_result values_encoder_begin(struct values_encoder *encoder, uint32_t id);
/* Takes its accesses before the firing, and the firing. */
enum values_result values_encoder_fire(struct values_encoder *encoder,
				       const struct value_firing *firing,
				       struct value_words *words);
/*
 * Its other accesses, up to so many of its program's in all: value_program.accesses when it
 * ran to its end.
 */
enum values_result values_encoder_end(struct values_encoder *encoder, uint32_t accesses,
				      struct value_words *words);
/*
 * How many accesses of the block that was begun these words allow, at most, together with
 * those that were taken.
 */
uint32_t values_encoder_allow(const struct values_encoder *encoder,
			      const struct value_words *words);

/* The chunk's strings, until the next call; path_off is the caller's. */
void values_encoder_finish(struct values_encoder *encoder,
			   struct values_strings *strings);
/* Starts the next chunk. A block that is not ended is forgotten. */
void values_encoder_reset(struct values_encoder *encoder);

#endif
