/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A sequence of block ids as a few bytes, and back. Knows nothing of QEMU or files.
 *
 * A chunk of a stream becomes three byte strings: `codes`, one byte for each miss of
 * the model; `longs`, varints for what does not fit there; `escapes`, varints for ids
 * that the model could not rank. See format/model.h and FORMAT.md.
 */
#ifndef FORMAT_CODEC_H
#define FORMAT_CODEC_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* A chunk ends at this many blocks at the latest, whoever wrote it. */
#define CODEC_BLOCKS_MAX (1u << 24)
/* ... or at this many misses, so that its strings stay small. */
#define CODEC_MISSES_MAX (1u << 20)
#define CODEC_LONGS_MAX (CODEC_MISSES_MAX * 4)	 /* bytes; each is below 2^25 */
#define CODEC_ESCAPES_MAX (CODEC_MISSES_MAX * 5) /* bytes; each is below 2^34 */
/* Block ids are below this. */
#define CODEC_IDS_MAX (1u << 29)

/*
 * A code's byte: 0..239 is 4 * forks passed + rank; LONG + rank: the forks, less
 * CODE_FORKS, are the next of `longs`; OFF + rank: the miss was not at a fork, and the
 * next of `longs` is the run's length in blocks. Rank CODE_ESCAPE: the next of
 * `escapes` tells the id.
 */
enum {
	CODE_FORKS = 60,
	CODE_LONG = 4 * CODE_FORKS,
	CODE_OFF = CODE_LONG + 4,
	CODE_ESCAPE = 3,
};

/* One chunk's strings; inside the encoder, or wherever a reader has them. */
struct codes {
	uint32_t blocks;  /* ids in the chunk */
	uint32_t highest; /* greatest id of the stream before this chunk */
	const uint8_t *codes, *longs, *escapes;
	size_t codes_len, longs_len, escapes_len;
};

/* ---- encoder ---------------------------------------------------------------- */

struct encoder;

/* For chunks of at most `blocks` ids (at most CODEC_BLOCKS_MAX). NULL: no memory. */
struct encoder *encoder_new(uint32_t blocks);
void encoder_free(struct encoder *encoder);
/* Ids 1..known may come from now on; -1 when there is no memory for them. */
int encoder_know(struct encoder *encoder, uint32_t known);
/*
 * Appends ids[0..n) to the chunk and returns how many it took: fewer than n when the
 * chunk is full, or when the next id is not one of 1..known.
 */
size_t encoder_feed(struct encoder *encoder, const uint32_t *ids, size_t n);
/* True when encoder_finish() must come before more ids are taken. */
bool encoder_full(const struct encoder *encoder);
/* Ids in the current chunk. */
uint32_t encoder_blocks(const struct encoder *encoder);
/* Bytes of its strings so far. */
size_t encoder_bytes(const struct encoder *encoder);
/* Executions of each id in the current chunk: counts[0..known]. */
const uint32_t *encoder_counts(const struct encoder *encoder);
/* The last id of the chunk, which must have one: what was fed may have changed since. */
uint32_t encoder_last(const struct encoder *encoder);
/*
 * Takes the last id of the chunk, which must have one, out of it, and returns it.
 * encoder_finish() and encoder_reset() must come before more is fed.
 */
uint32_t encoder_take_back(struct encoder *encoder);
/* Adds the executions of each id to totals[0..known]. */
void encoder_add_up(const struct encoder *encoder, uint64_t *totals);
/* The sum of weights[id] over the chunk's ids. */
uint64_t encoder_weigh(const struct encoder *encoder, const uint16_t *weights);
/* The chunk's strings, the encoder's until encoder_reset(), which begins the next one. */
void encoder_finish(struct encoder *encoder, struct codes *codes);
/* What a short chunk touched is all that is cleared after it. */
void encoder_reset(struct encoder *encoder);
/* Between two chunks: what follows is of a stream whose greatest id so far is `highest`. */
void encoder_turn_to(struct encoder *encoder, uint32_t highest);
/* The stream's greatest id so far. */
uint32_t encoder_highest(const struct encoder *encoder);
/* Bytes of memory that it has touched, about, since it was made. */
size_t encoder_memory(const struct encoder *encoder);
/* ... of which it needs so many for any chunk. */
size_t encoder_memory_least(const struct encoder *encoder);
/* What that is for another one, when ids 1..known may come. */
size_t encoder_memory_first(uint32_t known);

/* ---- decoder ---------------------------------------------------------------- */

struct decoder;

/* Ids that a decoder hands out at once. */
#define DECODER_PIECE (1u << 14)

/* NULL: no memory. Grows to the largest chunk it meets. */
struct decoder *decoder_new(void);
void decoder_free(struct decoder *decoder);
/*
 * Begins a chunk whose ids are all in 1..known. Its strings stay where they are until the
 * next one. WM_E_DAMAGED: its sizes cannot be, or it is empty and its strings are not.
 */
int decoder_begin(struct decoder *decoder, const struct codes *codes, uint32_t known,
		  struct wm_error *err);
/*
 * The chunk's ids from the one at `first` on, which is below its blocks: *ids[*n], some of
 * them, the decoder's until the next call. The chunk is decoded as far as that and no
 * further; what was decoded before is only copied, and of what was handed out last nothing
 * is done again, so that going about in a chunk costs little.
 *
 * WM_E_DAMAGED, from then on, when the strings cannot come from an encoder: ids may have
 * been handed out before that shows. All is checked before the last id is handed out.
 */
int decoder_get(struct decoder *decoder, uint32_t first, const uint32_t **ids,
		uint32_t *n, struct wm_error *err);

#endif
