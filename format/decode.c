// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The decoder: copies what the model repeats.
 *
 * A code says how many forks the next run passes; the run ends at the fork after them.
 * Its ids and marks are copied from the source in one walk over the marks, eight at a
 * time. Everything read is untrusted: a run may not leave the chunk, an id must be
 * known, and each string must be used up exactly.
 */
#include "format/codec.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "format/model.h"

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
	return model_know(model, known);
}

/* Copies n ids from `distance` back; the ranges may overlap, then the ids repeat. */
static void copy_ids(uint32_t *to, uint32_t distance, uint32_t n)
{
	uint32_t step = distance;

	for (uint32_t i = 0; distance < 4 && n; n--) {
		*to = to[-(ptrdiff_t)step];
		to++;
		if (++i % step == 0)
			distance += step;
	}
	for (; n >= 4; n -= 4, to += 4)
		memcpy(to, to - distance, 16);
	for (; n; n--, to++)
		*to = to[-(ptrdiff_t)distance];
}

/*
 * The length of the run from `source` that passes `forks` forks and ends before the
 * next one; more than `room` when there is none. Copies the marks it walks over.
 */
static uint32_t walk_forks(struct model *model, uint32_t position, uint32_t source,
			   uint64_t forks, uint32_t room)
{
	const uint8_t *from = model->forks + source;
	uint8_t *to = model->forks + position;
	uint32_t n = 0;

	for (; to - from >= 8 && n + 8 <= room; n += 8) {
		uint64_t marks, sum;

		memcpy(&marks, from + n, 8);
		sum = marks * 0x0101010101010101 >> 56;
		if (sum > forks)
			break;
		memcpy(to + n, &marks, 8);
		forks -= sum;
	}
	for (; n < room; n++) {
		if (from[n] && forks-- == 0)
			return n;
		to[n] = from[n];
	}
	/* What would come here is beyond the chunk, unless it ends in a miss right here. */
	return from[n] && forks == 0 ? n : room + 1;
}

/* The length of the run before the next miss, with its marks copied. */
static uint32_t take_run(struct model *model, uint8_t code, struct span *longs,
			 uint32_t position, uint32_t source, uint32_t room)
{
	uint64_t value = code < CODE_LONG ? code / 4 : span_varint(longs);

	if (code >= CODE_OFF) {
		if (value <= room)
			model_copy_forks(model, position, source, (uint32_t)value);
		return value <= room ? (uint32_t)value : room + 1;
	}
	if (code >= CODE_LONG)
		value += CODE_FORKS;
	return walk_forks(model, position, source, value, room);
}

/* The id that came at a miss, or 0 when the strings are wrong. */
static uint32_t take_id(struct model *model, unsigned rank, struct span *escapes,
			uint32_t before, uint32_t predicted)
{
	const struct successors *last = &model->successors[before];
	uint64_t value;
	int64_t id;

	if (rank < CODE_ESCAPE) {
		for (unsigned i = 0; i < MODEL_RANKS; i++)
			if (last->latest[i] != predicted && rank-- == 0)
				return last->latest[i];
		return 0;
	}
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
		if (run >= room)
			return false;
		copy_ids(model->ids + position, position - source, run);
		position += run;
		source += run;
		id = take_id(model, code & 3, &escapes, model->ids[position - 1],
			     model->ids[source]);
		if (!id)
			return false;
		model->ids[position] = id;
		source = model_miss(model, position, source);
		position++;
	}
	if (position < end && !source)
		return false;
	copy_ids(model->ids + position, position - source, end - position);
	return !longs.failed && !escapes.failed && !span_left(&longs) && !span_left(&escapes);
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
	*ids = model->ids + MODEL_PAD;
	return 0;
}
