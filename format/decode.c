// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The decoder: copies what the model repeats.
 *
 * A code says how many forks the next run passes; the run ends at the fork after them.
 * Entries, ids with their marks, are copied from the source in one walk, four at a time;
 * the marks are taken off at the end. Everything read is untrusted: a run may not leave
 * the chunk, an id must be known, and each string must be used up exactly.
 */
#include "format/codec.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "format/model.h"
#include "format/step.h"

struct decoder {
	struct model model;
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
	if (!model->ids || model->capacity < blocks) {
		model_fini(model);
		if (!model_init(model, blocks))
			return false;
	} else {
		model_reset(model);
	}
	if (!model_know(model, known))
		return false;
	model->known = known; /* less than an earlier chunk's, perhaps */
	return true;
}

/* Copies n entries from `distance` back; when the ranges overlap, they repeat. */
static void copy_run(uint32_t *to, uint32_t distance, uint32_t n)
{
	uint32_t back = distance, i = 0;

	/* Short loops: once they have gone round, they are copied from rounds back. */
	while (back < 2 * STEP)
		back += distance;
	for (; back != distance && i < n && i < back; i++)
		to[i] = *(to + i - distance);
	for (; i + STEP <= n; i += STEP)
		step_store(to + i, step_load(to + i - back));
	for (; i < n; i++)
		to[i] = *(to + i - back);
}

/* Where in four bits the n-th one set is, from 0. */
static inline unsigned place_of(unsigned bits, uint64_t n)
{
	for (; n; n--)
		bits &= bits - 1;
	return (unsigned)__builtin_ctz(bits);
}

/*
 * Copies the run from `from` that passes `forks` forks and ends before the next one, and
 * returns its length; more than `room` when it is longer than that. Writes a step too
 * far: what comes there is written later, or it is slack.
 */
static uint32_t copy_past_forks(uint32_t *to, const uint32_t *from, uint64_t forks,
				uint32_t room)
{
	uint32_t n = 0;

	for (; to - from >= STEP && n + STEP <= room; n += STEP) {
		step_t entries = step_load(from + n);
		unsigned tops = step_tops(entries), passed = step_count(tops);

		step_store(to + n, entries);
		if (passed > forks)
			return n + place_of(tops, forks);
		forks -= passed;
	}
	for (; n <= room; n++) {
		if (from[n] & MODEL_FORK && forks-- == 0)
			return n;
		to[n] = from[n];
	}
	return room + 1;
}

/* Copies the run before the next miss and returns its length; more than room: damaged. */
static uint32_t take_run(struct model *model, uint8_t code, struct span *longs,
			 uint32_t position, uint32_t source, uint32_t room)
{
	uint64_t value = code < CODE_LONG ? code / 4 : span_varint(longs);

	if (value > room) /* a run has no more forks than blocks */
		return room + 1;
	if (code >= CODE_OFF) {
		copy_run(model->ids + position, position - source, (uint32_t)value);
		return (uint32_t)value;
	}
	if (code >= CODE_LONG)
		value += CODE_FORKS;
	return copy_past_forks(model->ids + position, model->ids + source, value, room);
}

/* The id that came at a miss, or 0 when the strings are wrong. */
static uint32_t take_id(struct model *model, unsigned rank, struct span *escapes,
			uint32_t before, uint32_t predicted)
{
	const struct successors *last = &model->successors[before];
	uint64_t value;
	int64_t id;

	if (rank < CODE_ESCAPE)
		return model_ranked(last, rank, predicted);
	value = span_varint(escapes);
	if (value > UINT32_MAX * 2ull)
		return 0;
	id = value ? before + unzigzag(value - 1) : (int64_t)model->highest + 1;
	return id > 0 && id <= model->known ? (uint32_t)id : 0;
}

static bool decode(struct model *model, const struct codes *codes)
{
	struct span longs = span_of(codes->longs, codes->longs_len);
	struct span escapes = span_of(codes->escapes, codes->escapes_len);
	uint32_t position = MODEL_PAD, source = 0;
	uint32_t end = MODEL_PAD + codes->blocks;

	for (size_t i = 0; i < codes->codes_len; i++) {
		uint8_t code = codes->codes[i];
		uint32_t run, room = end - position, id;

		if (!room || code >= CODE_OFF + 4)
			return false;
		run = take_run(model, code, &longs, position, source, room - 1);
		if (run >= room || (run && !source))
			return false;
		position += run;
		source += run;
		id = take_id(model, code & 3, &escapes,
			     model->ids[position - 1] & MODEL_ID,
			     model->ids[source] & MODEL_ID);
		if (!id)
			return false;
		model->ids[position] = id;
		source = model_miss(model, position, source);
		position++;
	}
	if (position < end && !source)
		return false;
	copy_run(model->ids + position, position - source, end - position);
	return !longs.failed && !escapes.failed && !span_left(&longs) &&
	       !span_left(&escapes);
}

int decoder_run(struct decoder *decoder, const struct codes *codes, uint32_t known,
		const uint32_t **ids, struct wm_error *err)
{
	struct model *model = &decoder->model;

	if (codes->blocks > CODEC_BLOCKS_MAX || known >= CODEC_IDS_MAX ||
	    codes->highest > known)
		return wm_fail(err, WM_E_DAMAGED, 0, "a chunk's sizes are out of range");
	if (!prepare(model, codes->blocks, known))
		return wm_fail_nomem(err, "decoding a chunk");
	model->highest = codes->highest;
	if (!decode(model, codes))
		return wm_fail(err, WM_E_DAMAGED, 0, "a chunk's codes are inconsistent");
	for (uint32_t i = MODEL_PAD; i < MODEL_PAD + codes->blocks; i++)
		model->ids[i] &= MODEL_ID;
	*ids = model->ids + MODEL_PAD;
	return 0;
}
