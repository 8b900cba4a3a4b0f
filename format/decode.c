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

/* Copies n entries from `distance` back; when the ranges overlap, they repeat. */
static void copy_run(uint32_t *to, uint32_t distance, uint32_t n)
{
	const uint32_t *from = to - distance;
	uint32_t i = 0;

	/* Short loops: once repeated to eight entries, they are copied from further back. */
	for (; distance < 8 && i < n; i++) {
		to[i] = from[i];
		if (to + i + 1 - from >= 2 * (ptrdiff_t)distance &&
		    (to + i + 1 - from) % (ptrdiff_t)distance == 0 &&
		    to + i + 1 - from >= 8) {
			distance = (uint32_t)(to + i + 1 - from);
			i++;
			break;
		}
	}
	for (; i + 4 <= n; i += 4)
		memcpy(to + i, to + i - distance, 16);
	for (; i < n; i++)
		to[i] = to[i - (ptrdiff_t)distance];
}

/*
 * Copies the run from `from` that passes `forks` forks and ends before the next one, and
 * returns its length; more than `room` when it is longer than that.
 */
static uint32_t copy_past_forks(uint32_t *to, const uint32_t *from, uint64_t forks,
				uint32_t room)
{
	const uint64_t marks = (uint64_t)MODEL_FORK << 32 | MODEL_FORK;
	uint32_t n = 0;

	for (; to - from >= 4 && n + 4 <= room; n += 4) {
		uint64_t a, b, sum;

		memcpy(&a, from + n, 8);
		memcpy(&b, from + n + 2, 8);
		sum = ((a & marks) >> 31) + ((b & marks) >> 31);
		sum = (sum >> 32) + (uint32_t)sum;
		if (sum > forks)
			break;
		forks -= sum;
		memcpy(to + n, &a, 8);
		memcpy(to + n + 2, &b, 8);
	}
	for (; n <= room; n++) {
		if (from[n] & MODEL_FORK && forks-- == 0)
			return n;
		to[n] = from[n]; /* at n == room: into the slack, or where an id will come */
	}
	return room + 1;
}

/* Copies the run before the next miss and returns its length; more than room: damaged. */
static uint32_t take_run(struct model *model, uint8_t code, struct span *longs,
			 uint32_t position, uint32_t source, uint32_t room)
{
	uint64_t value = code < CODE_LONG ? code / 4 : span_varint(longs);

	if (code >= CODE_OFF) {
		if (value > room)
			return room + 1;
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
	for (uint32_t i = MODEL_PAD; i < MODEL_PAD + codes->blocks; i++)
		model->ids[i] &= MODEL_ID;
	*ids = model->ids + MODEL_PAD;
	return 0;
}
