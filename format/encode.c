// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The encoder: compares what comes with what the model repeats.
 *
 * Ids are copied behind the chunk's earlier ones, so that encoding is mostly one walk
 * that compares two places of one array, four ids a step, and copies fork marks and
 * counts blocks on its way. Only a miss costs more. All output space is allocated at the
 * start: the loop never fails.
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

/* What a walk along a run found. */
struct walk {
	uint32_t n;	/* its length */
	uint64_t forks; /* forks in it */
};

#define IDS ((uint64_t)MODEL_ID << 32 | MODEL_ID) /* the ids in a pair of entries */
#define STEP 4					  /* entries: two words of two */

static inline uint64_t load(const uint32_t *at)
{
	uint64_t pair;

	memcpy(&pair, at, sizeof(pair));
	return pair;
}

static inline void store(uint32_t *at, uint64_t pair)
{
	memcpy(at, &pair, sizeof(pair));
}

/* The marks of two pairs, counted in each half of the word. */
static inline uint64_t count_marks(uint64_t a, uint64_t b)
{
	return ((a & ~IDS) >> 31) + ((b & ~IDS) >> 31);
}

static inline uint64_t add_halves(uint64_t sum)
{
	return (sum >> 32) + (uint32_t)sum;
}

/*
 * Ends a walk: up to three entries that are equal, and the one that is not. Where in a
 * step the run ends is a coin toss, so it is worked out without branches. May touch a
 * step beyond the sequence: the model has slack.
 */
static inline void walk_rest(uint32_t *to, const uint32_t *from, uint32_t most,
			     uint32_t *counts, struct walk *walk)
{
	uint32_t going = 1;

	for (unsigned i = 0; i < STEP - 1; i++) {
		uint32_t entry = from[i], id = to[i];

		going &= (uint32_t)((entry & MODEL_ID) == id) & (uint32_t)(i < most);
		to[i] = going ? entry : id;
		counts[going ? id : 0]++; /* id 0 is nobody's */
		walk->forks += going & entry >> 31;
		walk->n += going;
	}
}

/*
 * Walks the run of ids at `to` that equal those at `from`, at most n of them: marks the
 * same forks in it, and counts its forks and its blocks. This is where encoding spends
 * its time. For sources at least a few steps behind.
 */
static struct walk walk_run(uint32_t *to, const uint32_t *from, uint32_t n, uint32_t *counts)
{
	struct walk walk = { 0, 0 };
	uint64_t marks = 0;
	uint32_t i = 0;

	for (; i + STEP <= n; i += STEP) {
		uint64_t a0 = load(from + i), a1 = load(from + i + 2);
		uint64_t b0 = load(to + i), b1 = load(to + i + 2);

		if (((a0 & IDS) ^ b0) | ((a1 & IDS) ^ b1))
			break;
		counts[(uint32_t)b0]++;
		counts[b0 >> 32]++;
		counts[(uint32_t)b1]++;
		counts[b1 >> 32]++;
		store(to + i, a0);
		store(to + i + 2, a1);
		marks += count_marks(a0, a1);
	}
	walk.n = i;
	walk.forks = add_halves(marks);
	walk_rest(to + i, from + i, n - i, counts, &walk);
	return walk;
}

#define LOOP 16 /* sources nearer than this are the loops of walk_loop() */

/*
 * The same for a source `period` behind, a short loop. Its entries repeat, so once it has
 * gone round a few times it is compared with what is several periods back: reading what
 * was just written would wait for it. Each of its blocks is counted once for all rounds.
 */
static struct walk walk_loop(uint32_t *to, uint32_t period, uint32_t n, uint32_t *counts)
{
	struct walk walk = { 0, 0 };
	uint32_t back = period, i = 0;
	uint64_t marks = 0;

	while (back < LOOP)
		back += 2 * period;
	for (; i < n && i < back && (to[(int)(i - period)] & MODEL_ID) == to[i]; i++) {
		walk.forks += to[(int)(i - period)] >> 31;
		to[i] = to[(int)(i - period)];
	}
	for (; i >= back && i + STEP <= n; i += STEP) {
		const uint32_t *from = to + i - back;
		uint64_t a0 = load(from), a1 = load(from + 2);

		if (((a0 & IDS) ^ load(to + i)) | ((a1 & IDS) ^ load(to + i + 2)))
			break;
		store(to + i, a0);
		store(to + i + 2, a1);
		marks += count_marks(a0, a1);
	}
	for (; i >= back && i < n && (to[i - back] & MODEL_ID) == to[i]; i++) {
		walk.forks += to[i - back] >> 31;
		to[i] = to[i - back];
	}
	walk.n = i;
	walk.forks += add_halves(marks);
	for (uint32_t j = 0; j < period && j < i; j++)
		counts[to[j] & MODEL_ID] += (i - j + period - 1) / period;
	return walk;
}

/* The place of id among the successors that were not predicted, or CODE_ESCAPE. */
static inline unsigned rank_of(const struct successors *before, uint32_t id,
			       uint32_t predicted)
{
	unsigned second = before->latest[0] != predicted;
	unsigned third = second + (before->latest[1] != predicted);
	unsigned rank = CODE_ESCAPE;

	rank = before->latest[2] == id ? third : rank;
	rank = before->latest[1] == id ? second : rank;
	return before->latest[0] == id ? 0 : rank;
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
	bool at_fork = encoder->model.ids[encoder->source] & MODEL_FORK;

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
	uint32_t before = model->ids[encoder->position - 1] & MODEL_ID;
	unsigned rank = rank_of(&model->successors[before], id,
				model->ids[encoder->source] & MODEL_ID);

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

/* Walks from the current position as far as the model repeats. */
static inline struct walk walk_on(struct encoder *encoder)
{
	uint32_t *to = encoder->model.ids + encoder->position;
	uint32_t back = encoder->position - encoder->source;
	uint32_t n = encoder->end - encoder->position;

	return back < LOOP ? walk_loop(to, back, n, encoder->counts) :
			     walk_run(to, to - back, n, encoder->counts);
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
		struct walk walk = walk_on(encoder);

		encoder->forks += walk.forks;
		encoder->position += walk.n;
		encoder->source += walk.n;
		encoder->run += walk.n;
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
