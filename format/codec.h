/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The codec: a sequence of block ids as a few bytes, and back. It knows nothing of QEMU
 * or files.
 *
 * A chunk of a stream becomes three byte strings: `codes`, one byte for each miss of the
 * model; `longs`, varints for run lengths that do not fit a code; `escapes`, varints for
 * ids that a context does not know. See format/model.h and FORMAT.md.
 */
#ifndef FORMAT_CODEC_H
#define FORMAT_CODEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* The most blocks of a chunk, in any file. */
#define CODEC_BLOCKS_MAX (1u << 24)
/* The most misses of a chunk, so that its strings stay small. */
#define CODEC_MISSES_MAX (1u << 20)
#define CODEC_LONGS_MAX (CODEC_MISSES_MAX * 4)	 /* bytes; each is below 2^25 */
#define CODEC_ESCAPES_MAX (CODEC_MISSES_MAX * 5) /* bytes; each is below 2^34 */
/* Block ids are below this. */
#define CODEC_IDS_MAX (1u << 29)

/*
 * The byte of a code:
 *
 *	0..239             4 * forks passed + rank
 *	CODE_LONG + rank   forks passed, minus CODE_FORKS, is the next varint of `longs`
 *	CODE_OFF + rank    the miss was not at a fork: the next varint of `longs` is the
 *	                   length of the run in blocks
 *
 * With rank CODE_ESCAPE the next varint of `escapes` gives the id:
 *
 *	ESCAPE_NEW         the greatest id so far, and 1
 *	ESCAPE_WAY + rank  the way with that rank behind the block before, of WAYS
 *	ESCAPE_ID + n      the id of the block before, and the integer whose zigzag is n
 */
enum {
	CODE_FORKS = 60,
	CODE_LONG = 4 * CODE_FORKS,
	CODE_OFF = CODE_LONG + 4,
	CODE_ESCAPE = 3,
};
enum {
	ESCAPE_NEW = 0,
	ESCAPE_WAY = 1,
	ESCAPE_ID = 5,
};

/* The strings of one chunk, owned by the encoder or by a reader. */
struct codes {
	uint32_t blocks;  /* ids in the chunk */
	uint32_t highest; /* greatest id of the stream before this chunk */
	bool ways;	  /* false: of the automaton of old files (FORMAT.md, 7.5) */
	const uint8_t *codes, *longs, *escapes;
	size_t codes_len, longs_len, escapes_len;
};

/* ---- encoder ------------------------------------------------------------- */

struct encoder;

/* For chunks of at most `blocks` ids, at most CODEC_BLOCKS_MAX. NULL: no memory. */
struct encoder *encoder_new(uint32_t blocks);
void encoder_free(struct encoder *encoder);
/* Accepts ids 1..known from now on; -1 when there is no memory. */
int encoder_know(struct encoder *encoder, uint32_t known);
/*
 * Appends ids[0..n) to the chunk and returns how many it took: fewer than n when the
 * chunk is full, or when the next id is not one of 1..known.
 */
size_t encoder_feed(struct encoder *encoder, const uint32_t *ids, size_t n);
/* True when the chunk is full: encoder_finish() must come before more ids. */
bool encoder_full(const struct encoder *encoder);
/* Number of ids in the current chunk. */
uint32_t encoder_blocks(const struct encoder *encoder);
/* Bytes of the current chunk's strings so far. */
size_t encoder_bytes(const struct encoder *encoder);
/* Executions of each id in the current chunk: counts[0..known]. */
const uint32_t *encoder_counts(const struct encoder *encoder);
/*
 * The last id of the chunk, which must have one. It is the encoder's copy: the memory
 * that was fed may have changed since.
 */
uint32_t encoder_last(const struct encoder *encoder);
/* Copies the chunk's last n ids into ids[n]. The chunk must have at least n. */
void encoder_last_ids(const struct encoder *encoder, uint32_t *ids, size_t n);
/*
 * Which blocks are marked: marks[id] is 1 or 0, for each id that is fed until the next call; NULL:
 * none is. A block's mark must be the same in all of a chunk.
 */
void encoder_mark(struct encoder *encoder, const uint8_t *marks);
/*
 * Of the n ids that begin `back` before the chunk's end, those of marked blocks, in ids[n], and
 * their places among the n, in places[n]. n is at most 65,536. Returns how many.
 */
size_t encoder_marked(const struct encoder *encoder, size_t back, size_t n, uint32_t *ids,
		      uint16_t *places);
/*
 * Removes the last id of the chunk, which must have one, and returns it. encoder_finish()
 * and encoder_reset() must come before more is fed.
 */
uint32_t encoder_take_back(struct encoder *encoder);
/* Adds the executions of each id to totals[0..known]. */
void encoder_add_up(const struct encoder *encoder, uint64_t *totals);
/* The sum of weights[id] over the chunk's ids. */
uint64_t encoder_weigh(const struct encoder *encoder, const uint16_t *weights);
/* The chunk's strings. They belong to the encoder and are valid until encoder_reset(). */
void encoder_finish(struct encoder *encoder, struct codes *codes);
/* Starts the next chunk. After a short chunk it clears only what that chunk touched. */
void encoder_reset(struct encoder *encoder);
/*
 * Between two chunks only: continues with a stream whose greatest id so far is `highest`.
 */
void encoder_turn_to(struct encoder *encoder, uint32_t highest);
/* The stream's greatest id so far. */
uint32_t encoder_highest(const struct encoder *encoder);
/* Bytes of memory that it has touched since it was made, approximately. */
size_t encoder_memory(const struct encoder *encoder);
/* The part of encoder_memory() that every chunk needs, however short. */
size_t encoder_memory_least(const struct encoder *encoder);
/* encoder_memory_least() of a new encoder for ids 1..known. */
size_t encoder_memory_first(uint32_t known);

/* ---- decoder ------------------------------------------------------------- */

struct decoder;

/* Most ids that a decoder returns at once. */
#define DECODER_PIECE (1u << 14)

/* NULL: no memory. Grows to the largest chunk it meets. */
struct decoder *decoder_new(void);
void decoder_free(struct decoder *decoder);
/*
 * Begins a chunk whose ids are all in 1..known. The strings must stay valid until the
 * next chunk begins. WM_E_DAMAGED: impossible sizes, or strings for an empty chunk.
 */
int decoder_begin(struct decoder *decoder, const struct codes *codes, uint32_t known,
		  struct wm_error *err);
/*
 * The chunk's ids from index `first` on, which must be below its blocks. *ids[*n] are
 * some of them; they belong to the decoder and are valid until the next call. The chunk
 * is decoded up to there and no further. What was decoded earlier is copied, and what the
 * last call returned is not even copied, so moving about in a chunk is cheap.
 *
 * WM_E_DAMAGED, from then on, when the strings cannot come from an encoder. Ids may have
 * been returned before that shows; all checks are done before the last id is returned.
 */
int decoder_get(struct decoder *decoder, uint32_t first, const uint32_t **ids,
		uint32_t *n, struct wm_error *err);
/*
 * The ids that the next decoder_get() returns lie at the start of the decoder's piece, and not
 * where an earlier call has put them.
 */
void decoder_forget(struct decoder *decoder);

#endif
