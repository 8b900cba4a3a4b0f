// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The encoder: compares what comes with what the model repeats.
 *
 * Ids are copied behind the chunk's earlier ones, so that encoding is mostly one
 * comparison of two places of one array, four ids a step; then the fork marks of the
 * repeated run are copied and its blocks counted. Only a miss costs more. All output
 * space is allocated at the start: the loop never fails.
 *
 * Invariant: position - start ids of the current run are equal to those from the run's
 * source, and `forks` of them were marked when they were compared.
 */
#include "format/codec.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "format/model.h"

struct encoder {
	struct model model;
	uint32_t *counts; /* [counted] executions by id in this chunk */
	uint32_t counted;
	uint32_t first_highest; /* model.highest when the chunk began */
	uint32_t position;	/* next id to compare */
	uint32_t source;	/* what it is compared with */
	uint32_t end;		/* ids of the chunk end here */
	uint32_t run;		/* ids since the last miss */
	uint64_t forks;		/* forks among them */
	uint32_t misses;
	bool foreign; /* the next id is not a known one */
	uint8_t *codes, *longs, *escapes;
	uint8_t *code_at, *long_at, *escape_at;
};

struct encoder *encoder_new(uint32_t blocks)
{
	struct encoder *encoder = calloc(1, sizeof(*encoder));

	if (!encoder)
		return NULL;
	encoder->codes = malloc(CODEC_MISSES_MAX);
	encoder->longs = malloc(CODEC_LONGS_MAX);
	encoder->escapes = malloc(CODEC_ESCAPES_MAX);
	if (!encoder->codes || !encoder->longs || !encoder->escapes ||
	    !model_init(&encoder->model, blocks) || encoder_know(encoder, 0) < 0) {
		encoder_free(encoder);
		return NULL;
	}
	encoder_reset(encoder);
	return encoder;
}

void encoder_free(struct encoder *encoder)
{
	if (!encoder)
		return;
	model_fini(&encoder->model);
	free(encoder->counts);
	free(encoder->codes);
	free(encoder->longs);
	free(encoder->escapes);
	free(encoder);
}

int encoder_know(struct encoder *encoder, uint32_t known)
{
	if (!model_know(&encoder->model, known))
		return -1;
	if (encoder->model.allocated > encoder->counted) {
		uint32_t n = encoder->model.allocated;
		uint32_t *grown = realloc(encoder->counts, n * sizeof(*grown));

		if (!grown)
			return -1;
		memset(grown + encoder->counted, 0,
		       (n - encoder->counted) * sizeof(*grown));
		encoder->counts = grown;
		encoder->counted = n;
	}
	return 0;
}

bool encoder_full(const struct encoder *encoder)
{
	return encoder->end - MODEL_PAD == encoder->model.capacity ||
	       encoder->misses == CODEC_MISSES_MAX;
}

uint32_t encoder_blocks(const struct encoder *encoder)
{
	return encoder->end - MODEL_PAD;
}

const uint32_t *encoder_counts(const struct encoder *encoder)
{
	return encoder->counts;
}

void encoder_reset(struct encoder *encoder)
{
	model_reset(&encoder->model);
	memset(encoder->counts, 0, encoder->counted * sizeof(*encoder->counts));
	encoder->first_highest = encoder->model.highest;
	encoder->position = encoder->end = MODEL_PAD;
	encoder->source = encoder->run = encoder->misses = 0;
	encoder->forks = 0;
	encoder->code_at = encoder->codes;
	encoder->long_at = encoder->longs;
	encoder->escape_at = encoder->escapes;
}

void encoder_finish(struct encoder *encoder, struct codes *codes)
{
	*codes = (struct codes){
		.blocks = encoder_blocks(encoder),
		.highest = encoder->first_highest,
		.codes = encoder->codes,
		.longs = encoder->longs,
		.escapes = encoder->escapes,
		.codes_len = (size_t)(encoder->code_at - encoder->codes),
		.longs_len = (size_t)(encoder->long_at - encoder->longs),
		.escapes_len = (size_t)(encoder->escape_at - encoder->escapes),
	};
}

/* How many of the n ids at a and b are equal from the start. */
static uint32_t equal_run(const uint32_t *a, const uint32_t *b, uint32_t n)
{
	uint32_t i = 0;

	for (; i + 4 <= n; i += 4) {
		uint64_t a0, a1, b0, b1;

		memcpy(&a0, a + i, 8);
		memcpy(&a1, a + i + 2, 8);
		memcpy(&b0, b + i, 8);
		memcpy(&b1, b + i + 2, 8);
		if ((a0 ^ b0) | (a1 ^ b1))
			break;
	}
	while (i < n && a[i] == b[i])
		i++;
	return i;
}

/* Counts the n ids at `ids`, which repeat with the given period. */
static void count_run(uint32_t *counts, const uint32_t *ids, uint32_t n, uint32_t period)
{
	if (n >= 2 * period) { /* a loop: each of its blocks n / period times */
		for (uint32_t i = 0; i < period; i++)
			counts[ids[i]] += n / period;
		n %= period;
	}
	for (uint32_t i = 0; i < n; i++)
		counts[ids[i]]++;
}

/* The place of id among the successors that were not predicted, or CODE_ESCAPE. */
static unsigned rank_of(const struct successors *before, uint32_t id, uint32_t predicted)
{
	unsigned rank = 0;

	for (unsigned i = 0; i < MODEL_RANKS; i++) {
		if (before->latest[i] == id)
			return rank;
		rank += before->latest[i] != predicted;
	}
	return CODE_ESCAPE;
}

static void put_escape(struct encoder *encoder, uint32_t id, uint32_t before)
{
	uint64_t value = 0; /* the id after the greatest so far: code that is new */

	if (id != encoder->model.highest + 1)
		value = 1 + zigzag((int64_t)id - before);
	encoder->escape_at = put_varint(encoder->escape_at, value);
}

static void put_code(struct encoder *encoder, unsigned rank)
{
	bool at_fork = encoder->model.forks[encoder->source];

	if (at_fork && encoder->forks < CODE_FORKS) {
		*encoder->code_at++ = (uint8_t)(4 * encoder->forks + rank);
	} else if (at_fork) {
		*encoder->code_at++ = (uint8_t)(CODE_LONG + rank);
		encoder->long_at = put_varint(encoder->long_at, encoder->forks - CODE_FORKS);
	} else {
		*encoder->code_at++ = (uint8_t)(CODE_OFF + rank);
		encoder->long_at = put_varint(encoder->long_at, encoder->run);
	}
}

static void miss(struct encoder *encoder)
{
	struct model *model = &encoder->model;
	uint32_t id = model->ids[encoder->position];
	uint32_t before = model->ids[encoder->position - 1];
	unsigned rank = rank_of(&model->successors[before], id, model->ids[encoder->source]);

	if (rank == CODE_ESCAPE)
		put_escape(encoder, id, before);
	put_code(encoder, rank);
	encoder->counts[id]++;
	encoder->source = model_miss(model, encoder->position, encoder->source);
	encoder->position++;
	encoder->misses++;
	encoder->run = 0;
	encoder->forks = 0;
}

size_t encoder_feed(struct encoder *encoder, const uint32_t *ids, size_t n)
{
	struct model *model = &encoder->model;
	uint32_t room = model->capacity - encoder_blocks(encoder);

	if (n > room)
		n = room;
	if (encoder->misses == CODEC_MISSES_MAX)
		return 0;
	memcpy(model->ids + encoder->end, ids, n * sizeof(*ids));
	encoder->end += (uint32_t)n;
	while (encoder->position < encoder->end) {
		uint32_t run = equal_run(model->ids + encoder->source,
					 model->ids + encoder->position,
					 encoder->end - encoder->position);

		encoder->forks += model_copy_forks(model, encoder->position,
						   encoder->source, run);
		count_run(encoder->counts, model->ids + encoder->position, run,
			  encoder->position - encoder->source);
		encoder->position += run;
		encoder->source += run;
		encoder->run += run;
		if (encoder->position == encoder->end)
			break;
		if (model->ids[encoder->position] - 1 >= model->known ||
		    encoder->misses == CODEC_MISSES_MAX)
			break;
		miss(encoder);
	}
	n -= encoder->end - encoder->position;
	encoder->end = encoder->position;
	return n;
}
