// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The decoder: copies what the model repeats.
 *
 * A code is the number of forks that the next run passes; the run ends at the fork after
 * them. Entries, which are ids with their marks, are copied from the source in one walk,
 * four at a time. A chunk's sequence is larger than the caches, so it is decoded on
 * demand, in pieces: a piece is still in the cache when its caller reads the copy without
 * marks. format/encode.c has an example, which the decoder follows in the same order.
 *
 * Everything read is untrusted. A run must not leave the chunk, an id must be known, and
 * each string must be used up exactly, which is checked with the last piece.
 *
 * Invariant: entries before `position` are decoded, and the run after the latest miss
 * continues there. `run` is its rest; `codes` begins with the code after the one of
 * `run`.
 */
#include "format/codec.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "format/model.h"
#include "format/step.h"

/*
 * A run ends at the fork after `forks` forks, or after `entries` entries, whichever is
 * first.
 */
struct run {
	uint64_t forks;
	uint32_t entries;
	unsigned rank; /* of the id at the miss that ends the run */
	bool last;     /* ends with the chunk: no miss follows */
};

#define NO_FORK UINT64_MAX /* forks of a run whose length is given in entries */

/* The decoder's position in a chunk. */
struct place {
	struct span codes, longs, escapes; /* the unread parts */
	uint32_t position, source, end;
	struct run run;
	bool failed;
};

struct decoder {
	struct model model;
	struct place place;
	uint32_t piece_first, piece_n; /* ids of the chunk that are in `piece` */
	uint32_t piece[DECODER_PIECE + STEP];
};

struct decoder *decoder_new(void)
{
	return calloc(1, sizeof(struct decoder));
}

void decoder_free(struct decoder *decoder)
{
	if (!decoder)
		return;
	model_fini(&decoder->model);
	free(decoder);
}

static bool prepare(struct model *model, uint32_t blocks, uint32_t known)
{
	/* The arrays of a large chunk serve smaller ones, too. */
	if (!model->ids || model->capacity < blocks) {
		model_fini(model);
		if (!model_init(model, blocks))
			return false;
	} else {
		model_reset(model);
	}
	if (!model_know(model, known))
		return false;
	model->known = known; /* model_know() never lowers it; this chunk's may be less */
	return true;
}

/* The position of the n-th set bit of four, n from 0. */
static inline unsigned place_of(unsigned bits, uint64_t n)
{
	for (; n; n--)
		bits &= bits - 1;
	return (unsigned)__builtin_ctz(bits);
}

/*
 * Copies single entries from `distance` back, from to[n] up to to[most] or the end of the
 * run. Returns how many entries of `to` are there then. Correct for any distance from 1.
 */
static uint32_t copy_singly(uint32_t *to, uint32_t distance, uint32_t n, uint32_t most,
			    uint64_t *forks)
{
	for (; n < most; n++) {
		uint32_t entry = *(to + n - distance);

		if (entry & MODEL_FORK && (*forks)-- == 0)
			break;
		to[n] = entry;
	}
	return n;
}

/*
 * Copies a run's entries from `distance` back, at most `most`, and returns how many. It
 * returns fewer when the run ends at a fork. It may write up to STEP - 1 entries too
 * many: later entries overwrite these, or they are slack after the chunk.
 */
static uint32_t copy_run(uint32_t *to, uint32_t distance, uint32_t most, uint64_t *forks)
{
	uint64_t left = *forks;
	uint32_t n = 0, back = distance;

	if (distance < STEP) {
		/*
		 * A step would read entries that it is about to write. The copy is
		 * periodic, so any multiple of the distance is as good a source. Example:
		 * distance 3 becomes 9; the first 9 entries are copied singly, all others
		 * in steps from 9 back. At 2 * STEP a load does not wait for the store
		 * just before it, either.
		 */
		while (back < 2 * STEP)
			back += distance;
		n = copy_singly(to, distance, 0, most < back ? most : back, forks);
		if (n < back)
			return n;
		left = *forks;
	}
	for (; n + STEP <= most; n += STEP) {
		step_t entries = step_load(to + n - back);
		unsigned tops = step_tops(entries), passed = step_count(tops);

		step_store(to + n, entries);
		/* The run ends within this step, at the fork after `left` others. */
		if (passed > left)
			return n + place_of(tops, left);
		left -= passed;
	}
	*forks = left;
	return copy_singly(to, back, n, most, forks);
}

/*
 * Begins the run of the next code, or the last run. False when it is malformed.
 *
 * Only an empty run may have no source: entry 0 is a fork, so a run of 0 forks from there
 * ends at once.
 */
static inline bool begin_run(struct place *place)
{
	uint32_t room = place->end - place->position;
	uint64_t value;
	uint8_t code;

	/* The rest of the chunk repeats the source, without a miss at its end. */
	if (place->codes.at == place->codes.end) {
		place->run = (struct run){ NO_FORK, room, 0, true };
		return place->source || !room;
	}
	code = *place->codes.at++;
	value = code < CODE_LONG ? code / 4 : span_varint(&place->longs);
	/* Forks are entries, and the miss needs one more. */
	if (value >= room || code >= CODE_OFF + 4)
		return false;
	if (code >= CODE_OFF)
		place->run = (struct run){ NO_FORK, (uint32_t)value, code & 3, false };
	else
		place->run = (struct run){ value + (code >= CODE_LONG ? CODE_FORKS : 0),
					   room, code & 3, false };
	/*
	 * Without a source: no entries, no forks. CODE_LONG stands for at least
	 * CODE_FORKS.
	 */
	return place->source || (!value && !(code >= CODE_LONG && code < CODE_OFF));
}

/* The id at a miss, or 0 when the strings are malformed. */
static inline uint32_t take_id(const struct model *model, unsigned rank,
			       struct span *escapes, uint32_t before, uint32_t predicted)
{
	const struct successors *last = &model->successors[before];
	uint64_t value;
	int64_t id;

	if (rank < CODE_ESCAPE)
		return model_ranked(last, rank, predicted);
	value = span_varint(escapes);
	/* Larger than any distance between two ids, so the sum below cannot overflow. */
	if (value > UINT32_MAX * 2ull)
		return 0;
	/* 0 is the common case of new code: the id after the greatest so far. */
	id = value ? before + unzigzag(value - 1) : (int64_t)model->highest + 1;
	return id > 0 && id <= model->known ? (uint32_t)id : 0;
}

/* Decodes the miss at the end of a run and begins the next run. False: malformed. */
static inline bool take_miss(struct model *model, struct place *place)
{
	uint32_t *at = model->ids + place->position;
	uint32_t id = take_id(model, place->run.rank, &place->escapes, at[-1] & MODEL_ID,
			      model->ids[place->source] & MODEL_ID);

	if (!id)
		return false;
	/* model_miss() marks this entry and the source, as it did in the encoder. */
	*at = id;
	place->source = model_miss(model, place->position, place->source);
	place->position++;
	return begin_run(place);
}

/* Whether the chunk used up all of its strings. */
static bool used_up(const struct place *place)
{
	return place->run.last && !place->longs.failed && !place->escapes.failed &&
	       !span_left(&place->longs) && !span_left(&place->escapes);
}

/* Decodes up to the entry at `until`. False when the strings are malformed. */
static bool decode(struct model *model, struct place *at, uint32_t until)
{
	struct place place = *at; /* a local copy: the stores below cannot alias it */
	bool good = true;

	while (good) {
		uint32_t most = until - place.position, n;

		if (most > place.run.entries)
			most = place.run.entries;
		n = copy_run(model->ids + place.position, place.position - place.source,
			     most, &place.run.forks);
		place.run.entries -= n;
		place.position += n;
		place.source += n;
		/*
		 * A run that ends exactly here has its miss with the next piece: the next
		 * call copies nothing and takes the miss first.
		 */
		if (place.position == until)
			break;
		good = take_miss(model, &place);
	}
	*at = place;
	return good && (until < place.end || used_up(&place));
}

static int fail(struct decoder *decoder, struct wm_error *err)
{
	decoder->place.failed = true;
	decoder->piece_n = 0;
	return wm_fail(err, WM_E_DAMAGED, 0, "a chunk's codes are inconsistent");
}

/* Until all checks have passed, decoder_get() must fail. */
int decoder_begin(struct decoder *decoder, const struct codes *codes, uint32_t known,
		  struct wm_error *err)
{
	struct place *place = &decoder->place;

	place->failed = true;
	decoder->piece_n = 0;
	if (codes->blocks > CODEC_BLOCKS_MAX || known >= CODEC_IDS_MAX ||
	    codes->highest > known)
		return wm_fail(err, WM_E_DAMAGED, 0, "a chunk's sizes are out of range");
	if (!prepare(&decoder->model, codes->blocks, known))
		return wm_fail_nomem(err, "decoding a chunk");
	decoder->model.highest = codes->highest;
	*place = (struct place){
		.codes = span_of(codes->codes, codes->codes_len),
		.longs = span_of(codes->longs, codes->longs_len),
		.escapes = span_of(codes->escapes, codes->escapes_len),
		.position = MODEL_PAD,
		.end = MODEL_PAD + codes->blocks,
	};
	if (!begin_run(place) || (!codes->blocks && !used_up(place)))
		return fail(decoder, err);
	return 0;
}

/* Makes the piece of the ids from `first` on, without marks. */
static int cut_piece(struct decoder *decoder, uint32_t first, struct wm_error *err)
{
	struct place *place = &decoder->place;
	uint32_t from = MODEL_PAD + first, until = place->end;

	if (until - from > DECODER_PIECE)
		until = from + DECODER_PIECE;
	if (place->failed ||
	    (until > place->position && !decode(&decoder->model, place, until)))
		return fail(decoder, err);
	/*
	 * Reads and writes up to STEP - 1 entries too many: the model has slack, and so
	 * has the piece.
	 */
	for (uint32_t i = from; i < until; i += STEP)
		step_store(decoder->piece + (i - from),
			   step_load(decoder->model.ids + i) & MODEL_ID);
	decoder->piece_first = first;
	decoder->piece_n = until - from;
	return 0;
}

void decoder_forget(struct decoder *decoder)
{
	decoder->piece_n = 0;
}

int decoder_get(struct decoder *decoder, uint32_t first, const uint32_t **ids,
		uint32_t *n, struct wm_error *err)
{
	int ret = 0;

	/* Unsigned: true for ids before the piece as well. */
	if (first - decoder->piece_first >= decoder->piece_n)
		ret = cut_piece(decoder, first, err);
	if (ret)
		return ret;
	*ids = decoder->piece + (first - decoder->piece_first);
	*n = decoder->piece_n - (first - decoder->piece_first);
	return 0;
}
