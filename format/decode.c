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
#include "format/old_model.h"
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
	bool old; /* of the old automaton */
	bool failed;
};

struct decoder {
	struct model model;
	struct old_model old;
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
	old_model_fini(&decoder->old);
	free(decoder);
}

static bool prepare(struct decoder *decoder, const struct codes *codes, uint32_t known)
{
	struct model *model = &decoder->model;

	/* The arrays of a large chunk serve smaller ones, too. */
	if (!model->ids || model->capacity < codes->blocks) {
		model_fini(model);
		if (!model_init(model, codes->blocks))
			return false;
	} else if (codes->ways) {
		model_reset(model);
	}
	model->known = known;
	model->highest = codes->highest;
	return codes->ways ? model_know(model, known) :
			     old_model_begin(&decoder->old, known);
}

/* The position of the n-th set bit of four, n from 0: there are more than n. */
static inline unsigned place_of(unsigned bits, uint64_t n)
{
	/* Two bits for each n, by `bits`. Which it is is unpredictable, so no loop finds it. */
	static const uint8_t places[16] = {
		0,
		0,
		1,
		0 | 1 << 2,
		2,
		0 | 2 << 2,
		1 | 2 << 2,
		0 | 1 << 2 | 2 << 4,
		3,
		0 | 3 << 2,
		1 | 3 << 2,
		0 | 1 << 2 | 3 << 4,
		2 | 3 << 2,
		0 | 2 << 2 | 3 << 4,
		1 | 2 << 2 | 3 << 4,
		0 | 1 << 2 | 2 << 4 | 3 << 6,
	};

	return places[bits] >> 2 * n & 3;
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
static inline __attribute__((always_inline)) uint32_t
copy_run(uint32_t *to, uint32_t distance, uint32_t most, uint64_t *forks)
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

/* The id whose distance from `before` has this zigzag, or 0 when it is not known. */
static inline uint32_t id_at(const struct model *model, uint64_t distance,
			     uint32_t before)
{
	int64_t id;

	/* Larger than any distance between two ids, so the sum below cannot overflow. */
	if (distance > UINT32_MAX * 2ull)
		return 0;
	id = before + unzigzag(distance);
	return id > 0 && id <= model->known ? (uint32_t)id : 0;
}

/* New code, the common case: the id after the greatest so far, or 0 when it is not known. */
static inline uint32_t next_id(const struct model *model)
{
	return model->highest < model->known ? model->highest + 1 : 0;
}

/* The id of an escape, or 0 when it is malformed. */
static inline uint32_t take_escape(const struct model *model, struct span *escapes,
				   uint32_t before, uint32_t predicted)
{
	uint64_t value = span_varint(escapes);
	const struct ways *after = &model->after[before];
	unsigned index;

	if (value == ESCAPE_NEW)
		return next_id(model);
	if (value >= ESCAPE_ID)
		return id_at(model, value - ESCAPE_ID, before);
	index = ways_ranked(after, (unsigned)value - ESCAPE_WAY, predicted);
	return index < WAYS ? after->ids[index] : 0;
}

/*
 * Decodes the id at a miss and learns it. False: malformed. The model marks this entry and the
 * source, as it did in the encoder.
 */
static inline bool take_id(struct model *model, struct place *place)
{
	uint32_t *at = model->ids + place->position;
	uint32_t predicted = model->ids[place->source] & MODEL_ID;
	struct ways *context = model_context(model, place->position);

	if (place->run.rank < CODE_ESCAPE) {
		unsigned index = ways_ranked(context, place->run.rank, predicted);

		*at = context->ids[index];
		if (!*at)
			return false;
		place->source = model_follow(model, context, index, place->position,
					     place->source);
		return true;
	}
	*at = take_escape(model, &place->escapes, at[-1] & MODEL_ID, predicted);
	if (!*at)
		return false;
	place->source = model_learn(model, context, place->position, place->source);
	return true;
}

/* The same with the old automaton. */
static inline bool take_old_id(struct old_model *old, struct model *model,
			       struct place *place)
{
	uint32_t *at = model->ids + place->position;
	uint32_t before = at[-1] & MODEL_ID;

	if (place->run.rank < CODE_ESCAPE) {
		*at = old_model_ranked(old, before, place->run.rank,
				       model->ids[place->source] & MODEL_ID);
	} else {
		uint64_t value = span_varint(&place->escapes);

		*at = value ? id_at(model, value - 1, before) : next_id(model);
	}
	if (!*at)
		return false;
	if (*at > model->highest)
		model->highest = *at;
	place->source = old_model_miss(old, model->ids, place->position, place->source);
	return true;
}

/* Whether the chunk used up all of its strings. */
static bool used_up(const struct place *place)
{
	return place->run.last && !place->longs.failed && !place->escapes.failed &&
	       !span_left(&place->longs) && !span_left(&place->escapes);
}

/*
 * Decodes up to the entry at `until`. False when the strings are malformed. `old` is a constant
 * of each caller: all of a place's fields stay in registers.
 */
static inline __attribute__((always_inline)) bool decode_with(struct decoder *decoder,
							      uint32_t until, bool old)
{
	/* A local copy: the stores below cannot alias it. */
	struct place place = decoder->place;
	struct model *model = &decoder->model;
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
		good = old ? take_old_id(&decoder->old, model, &place) :
			     take_id(model, &place);
		place.position++;
		good = good && begin_run(&place);
	}
	decoder->place = place;
	return good && (until < place.end || used_up(&place));
}

static bool decode(struct decoder *decoder, uint32_t until)
{
	return decoder->place.old ? decode_with(decoder, until, true) :
				    decode_with(decoder, until, false);
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
	if (!prepare(decoder, codes, known))
		return wm_fail_nomem(err, "decoding a chunk");
	*place = (struct place){
		.codes = span_of(codes->codes, codes->codes_len),
		.longs = span_of(codes->longs, codes->longs_len),
		.escapes = span_of(codes->escapes, codes->escapes_len),
		.position = MODEL_PAD,
		.end = MODEL_PAD + codes->blocks,
		.old = !codes->ways,
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
	if (place->failed || (until > place->position && !decode(decoder, until)))
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
