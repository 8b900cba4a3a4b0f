// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The encoder: compares new ids with what the model repeats.
 *
 * Ids are appended to the chunk's earlier ones, so encoding is mostly one walk that
 * compares two places of one array, four ids a step, and copies fork marks on its way.
 * Only a miss costs more. All output space is allocated at the start: the loop never
 * fails.
 *
 * Example: blocks 1 2 3 run three times, then block 4, and all that three times: 30 ids.
 * New blocks 1, 2, 3 and 4, the jump back from 3 to 1 and the one from 4 to 1 are misses,
 * each with an escape. Then the end of the loop is marked as a fork, and two more misses
 * follow, one after 1 fork and one after 0, whose escapes are ways behind block 3. Altogether: 8
 * codes, 8 escapes, one length. No context of ten ids has come twice, so no code is a way's rank.
 *
 * Invariant: the `run` ids before `position` equal those before `source`, and `forks` of
 * them were marked when they were compared.
 */
#include "format/codec.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/huge.h"
#include "base/reserve.h"
#include "format/census.h"
#include "format/model.h"
#include "format/step.h"

_Static_assert(CODEC_IDS_MAX <= MODEL_ID, "ids leave room for marks");
_Static_assert(ESCAPE_ID - ESCAPE_WAY == WAYS, "each way has its escape");

#define STRINGS_BYTES (CODEC_MISSES_MAX + CODEC_LONGS_MAX + CODEC_ESCAPES_MAX)

#define NOTED 8192u	 /* most misses of a short chunk */
#define SHORT_IDS 32768u /* ... and most ids */

/* The encoder's position in a chunk. */
struct place {
	uint32_t position; /* next id to compare */
	uint32_t source;   /* what it is compared with */
	uint32_t run;	   /* ids since the last miss */
	uint64_t forks;	   /* forks among them */
};

struct encoder {
	struct model model;
	struct census census;	/* executions by id in this chunk */
	const uint8_t *marks;	/* by id; or NULL */
	uint32_t first_highest; /* model.highest when the chunk began */
	struct place place;
	uint32_t end; /* ids of the chunk end here */
	uint32_t misses;
	uint32_t noted[NOTED]; /* positions of the first NOTED misses */
	uint32_t most_end; /* greatest `position` and string bytes of earlier chunks */
	size_t most_bytes;
	uint8_t *codes, *longs, *escapes;
	uint8_t *code_at, *long_at, *escape_at;
	/* The state before the latest miss, for encoder_take_back(). */
	uint8_t *code_before, *long_before, *escape_before;
	uint32_t highest_before;
};

/* The state at the first id of a chunk; the model must be empty. */
static void begin(struct encoder *encoder)
{
	encoder->first_highest = encoder->model.highest;
	encoder->place = (struct place){ .position = MODEL_PAD };
	encoder->end = MODEL_PAD;
	encoder->misses = 0;
	encoder->code_at = encoder->codes;
	encoder->long_at = encoder->longs;
	encoder->escape_at = encoder->escapes;
}

struct encoder *encoder_new(uint32_t blocks)
{
	struct encoder *encoder = calloc(1, sizeof(*encoder));

	if (!encoder)
		return NULL;
	/* One reservation for the largest strings; only touched pages cost memory. */
	encoder->codes = reserve_alloc(STRINGS_BYTES);
	if (!encoder->codes || !model_init(&encoder->model, blocks) ||
	    encoder_know(encoder, 0) < 0) {
		encoder_free(encoder);
		return NULL;
	}
	encoder->longs = encoder->codes + CODEC_MISSES_MAX;
	encoder->escapes = encoder->longs + CODEC_LONGS_MAX;
	begin(encoder);
	return encoder;
}

void encoder_free(struct encoder *encoder)
{
	if (!encoder)
		return;
	model_fini(&encoder->model);
	census_fini(&encoder->census);
	reserve_free(encoder->codes, STRINGS_BYTES);
	free(encoder);
}

int encoder_know(struct encoder *encoder, uint32_t known)
{
	/* The census follows what the model allocated, so both grow at the same ids. */
	if (!model_know(&encoder->model, known) ||
	    !census_grow(&encoder->census, encoder->model.allocated))
		return -1;
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

size_t encoder_bytes(const struct encoder *encoder)
{
	return (size_t)(encoder->code_at - encoder->codes) +
	       (size_t)(encoder->long_at - encoder->longs) +
	       (size_t)(encoder->escape_at - encoder->escapes);
}

const uint32_t *encoder_counts(const struct encoder *encoder)
{
	return census_sums(&encoder->census, encoder->model.known);
}

uint32_t encoder_last(const struct encoder *encoder)
{
	return encoder->model.ids[encoder->end - 1] & MODEL_ID;
}

void encoder_last_ids(const struct encoder *encoder, uint32_t *ids, size_t n)
{
	const uint32_t *entries = encoder->model.ids + encoder->end - n;
	size_t i = 0;

	for (; i + STEP <= n; i += STEP)
		step_store(ids + i, step_load(entries + i) & MODEL_ID);
	for (; i < n; i++)
		ids[i] = entries[i] & MODEL_ID;
}

void encoder_mark(struct encoder *encoder, const uint8_t *marks)
{
	encoder->marks = marks;
}

/* Bit i is set when entries[i] is marked, of 4 * STEP: the mark is the bit below the top one. */
static inline unsigned marks_of(const uint32_t *entries)
{
	step_t a = step_load(entries), b = step_load(entries + STEP),
	       c = step_load(entries + 2 * STEP), d = step_load(entries + 3 * STEP);

	if (!step_tops((a | b | c | d) << 1))
		return 0;
	return step_tops(a << 1) | step_tops(b << 1) << STEP |
	       step_tops(c << 1) << 2 * STEP | step_tops(d << 1) << 3 * STEP;
}

/* Marks are rare in most programs, and every third entry's in an interpreter. */
size_t encoder_marked(const struct encoder *encoder, size_t back, size_t n, uint32_t *ids,
		      uint16_t *places)
{
	const uint32_t *entries = encoder->model.ids + encoder->end - back;
	size_t count = 0, i = 0;

	for (; i + 4 * STEP <= n; i += 4 * STEP) {
		for (unsigned marks = marks_of(entries + i); marks; marks &= marks - 1) {
			size_t place = i + (unsigned)__builtin_ctz(marks);

			ids[count] = entries[place] & MODEL_ID;
			places[count++] = (uint16_t)place;
		}
	}
	for (; i < n; i++) {
		ids[count] = entries[i] & MODEL_ID;
		places[count] = (uint16_t)i;
		count += (entries[i] & MODEL_MARK) != 0;
	}
	return count;
}

uint32_t encoder_take_back(struct encoder *encoder)
{
	uint32_t id = encoder_last(encoder);

	/*
	 * An id of a run has no code of its own. After a miss the codes of the miss go,
	 * too. The model keeps what it learned: encoder_reset() comes before it predicts
	 * again.
	 */
	if (!encoder->place.run) {
		encoder->code_at = encoder->code_before;
		encoder->long_at = encoder->long_before;
		encoder->escape_at = encoder->escape_before;
		encoder->model.highest = encoder->highest_before;
	}
	census_take_back(&encoder->census, id);
	encoder->end--;
	return id;
}

/* Whether the sequence is shorter than the array of counts. */
static bool is_short(const struct encoder *encoder)
{
	return encoder_blocks(encoder) < encoder->model.known;
}

void encoder_add_up(const struct encoder *encoder, uint64_t *totals)
{
	if (is_short(encoder)) {
		for (uint32_t i = MODEL_PAD; i < encoder->end; i++)
			totals[encoder->model.ids[i] & MODEL_ID]++;
		return;
	}
	for (uint32_t id = 1; id <= encoder->model.known; id++)
		totals[id] += census_of(&encoder->census, id);
}

uint64_t encoder_weigh(const struct encoder *encoder, const uint16_t *weights)
{
	uint64_t sum = 0;

	if (is_short(encoder)) {
		for (uint32_t i = MODEL_PAD; i < encoder->end; i++)
			sum += weights[encoder->model.ids[i] & MODEL_ID];
		return sum;
	}
	for (uint32_t id = 1; id <= encoder->model.known; id++)
		sum += (uint64_t)census_of(&encoder->census, id) * weights[id];
	return sum;
}

/*
 * Clears what a short chunk touched: clearing the whole tables takes longer than to
 * encode such a chunk. `position`, not `end`, bounds it: an id that was taken back was
 * counted and learned.
 */
static void clear_short(struct encoder *encoder)
{
	struct model *model = &encoder->model;

	model_forget(model, encoder->noted, encoder->misses, encoder->place.position);
	census_forget(&encoder->census, model->ids + MODEL_PAD,
		      encoder->place.position - MODEL_PAD);
}

/* Threads that run for a short time only have short chunks. */
static void clear(struct encoder *encoder)
{
	uint32_t n = encoder->place.position - MODEL_PAD;

	if (encoder->misses <= NOTED && n <= SHORT_IDS) {
		clear_short(encoder);
		return;
	}
	model_reset(&encoder->model);
	census_reset(&encoder->census);
}

static void note_most(struct encoder *encoder)
{
	size_t bytes = encoder_bytes(encoder);

	if (encoder->place.position > encoder->most_end)
		encoder->most_end = encoder->place.position;
	if (bytes > encoder->most_bytes)
		encoder->most_bytes = bytes;
}

void encoder_reset(struct encoder *encoder)
{
	clear(encoder);
	note_most(encoder);
	begin(encoder);
}

void encoder_turn_to(struct encoder *encoder, uint32_t highest)
{
	encoder->model.highest = encoder->first_highest = highest;
}

uint32_t encoder_highest(const struct encoder *encoder)
{
	return encoder->model.highest;
}

size_t encoder_memory(const struct encoder *encoder)
{
	uint32_t end = encoder->end;
	size_t bytes = encoder_bytes(encoder);

	/* Pages that an earlier, longer chunk touched stay. */
	if (end < encoder->most_end)
		end = encoder->most_end;
	if (bytes < encoder->most_bytes)
		bytes = encoder->most_bytes;
	return sizeof(*encoder) + model_bytes(&encoder->model, end) +
	       census_bytes(&encoder->census) + bytes;
}

size_t encoder_memory_least(const struct encoder *encoder)
{
	return sizeof(*encoder) + model_bytes(&encoder->model, 1) +
	       census_bytes(&encoder->census);
}

size_t encoder_memory_first(uint32_t known)
{
	/* Two: the ids, and the contexts. The census follows what the model allocates. */
	return 2 * huge_touched(1) +
	       model_entries(known) *
		       (MODEL_ENTRY_BYTES + CENSUS_LANES * sizeof(uint32_t));
}

void encoder_finish(struct encoder *encoder, struct codes *codes)
{
	*codes = (struct codes){
		.blocks = encoder_blocks(encoder),
		.highest = encoder->first_highest,
		.ways = true,
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
	uint32_t n;	/* entries */
	uint64_t forks; /* marked ones among them */
};

/*
 * Ends a walk in a step whose entries differ from `ids` somewhere: accepts those before
 * the first difference. Its place in the step is unpredictable, so a mask replaces a
 * branch.
 */
static inline void walk_last(uint32_t *to, step_t entries, step_t ids, unsigned differ,
			     struct walk *walk)
{
	static const step_t below[STEP] = {
		{ 0, 0, 0, 0 }, { ~0u, 0, 0, 0 }, { ~0u, ~0u, 0, 0 }, { ~0u, ~0u, ~0u, 0 }
	};
	unsigned n = (unsigned)__builtin_ctz(differ);

	/* The first of the rest is the id that was not predicted. */
	step_store(to, (entries & below[n]) | (ids & ~below[n]));
	walk->forks += step_count(step_tops(entries) & ((1u << n) - 1));
	walk->n += n;
}

/*
 * Continues a walk by single entries while the id equals the one `back` entries earlier.
 */
static inline void walk_singly(uint32_t *to, const uint32_t *ids, uint32_t back,
			       uint32_t most, struct walk *walk)
{
	for (; walk->n < most; walk->n++) {
		uint32_t entry = *(to + walk->n - back);
		uint32_t id = ((const volatile uint32_t *)ids)[walk->n];

		if ((entry & MODEL_ID) != id) {
			to[walk->n] = id;
			break;
		}
		walk->forks += entry >> 31;
		to[walk->n] = entry;
	}
}

/*
 * Walks the run of ids[n] that equal the entries `back` before `to`: stores those at `to`,
 * with their marks, and counts the marks. If the run ends before n, the id that ended it
 * is stored behind it. `back` must be at least LOOP, so that a step does not read what the
 * previous ones have just stored.
 *
 * Each id is read once: the guest can write to ids[].
 */
static struct walk walk_run(uint32_t *to, const uint32_t *ids, uint32_t back, uint32_t n)
{
	struct walk walk = { 0, 0 };
	step_t forks = { 0 };

	for (; walk.n + STEP <= n; walk.n += STEP) {
		step_t entries = step_load(to + walk.n - back);
		step_t some = step_load_once(ids + walk.n);
		unsigned differ = step_differ(entries & MODEL_ID, some);

		if (differ) {
			walk.forks = step_sum(forks);
			walk_last(to + walk.n, entries, some, differ, &walk);
			return walk;
		}
		step_store(to + walk.n, entries);
		forks += entries >> 31;
	}
	walk.forks = step_sum(forks);
	walk_singly(to, ids, back, n, &walk);
	return walk;
}

#define LOOP 16 /* nearer sources are walked by walk_loop() */

/*
 * The same for a source `period` entries back, a short loop. Its entries repeat, so after
 * a few rounds it is compared with what is several periods back: a read of what was just
 * written would wait for the store. Example: with period 3, 21 ids are compared singly,
 * the rest in steps with the ids 21 back.
 */
static struct walk walk_loop(uint32_t *to, const uint32_t *ids, uint32_t period,
			     uint32_t n)
{
	struct walk walk = { 0, 0 }, rest;
	uint32_t back = period;

	while (back < LOOP)
		back += 2 * period;
	walk_singly(to, ids, period, n < back ? n : back, &walk);
	if (walk.n < back)
		return walk;
	rest = walk_run(to + back, ids + back, back, n - back);
	return (struct walk){ back + rest.n, walk.forks + rest.forks };
}

/* What an id is stored as that its context does not know. */
static void put_escape(struct encoder *encoder, uint32_t id, uint32_t before,
		       uint32_t predicted)
{
	const struct ways *after = &encoder->model.after[before];
	unsigned index = ways_find(after, id);
	uint64_t value = ESCAPE_NEW; /* new code: the id after the greatest so far */

	if (index < WAYS)
		value = ESCAPE_WAY + ways_rank(after, index, predicted);
	else if (id != encoder->model.highest + 1)
		value = ESCAPE_ID + zigzag((int64_t)id - before);
	encoder->escape_at = put_varint(encoder->escape_at, value);
}

static inline void put_code(struct encoder *encoder, const struct place *place,
			    unsigned rank)
{
	bool at_fork = encoder->model.ids[place->source] & MODEL_FORK;

	/*
	 * Nearly every miss is at a fork, and the count of forks is much smaller than the
	 * length of the run. So one byte is enough for most codes.
	 */
	if (at_fork && place->forks < CODE_FORKS) {
		*encoder->code_at++ = (uint8_t)(4 * place->forks + rank);
	} else if (at_fork) {
		*encoder->code_at++ = (uint8_t)(CODE_LONG + rank);
		encoder->long_at =
			put_varint(encoder->long_at, place->forks - CODE_FORKS);
	} else {
		*encoder->code_at++ = (uint8_t)(CODE_OFF + rank);
		encoder->long_at = put_varint(encoder->long_at, place->run);
	}
}

static inline void miss(struct encoder *encoder, struct place *place)
{
	struct model *model = &encoder->model;
	uint32_t id = model->ids[place->position];
	uint32_t predicted = model->ids[place->source] & MODEL_ID;
	struct ways *context = model_context(model, place->position);
	unsigned index = ways_find(context, id);
	unsigned rank = ways_rank(context, index, predicted);

	/* Before anything is put: encoder_take_back() returns to here. */
	encoder->code_before = encoder->code_at;
	encoder->long_before = encoder->long_at;
	encoder->escape_before = encoder->escape_at;
	encoder->highest_before = model->highest;
	/* put_code() reads the source's mark, so it must come before the model sets it. */
	if (rank < CODE_ESCAPE) {
		put_code(encoder, place, rank);
		place->source = model_follow(model, context, index, place->position,
					     place->source);
	} else {
		put_code(encoder, place, CODE_ESCAPE);
		put_escape(encoder, id, model->ids[place->position - 1] & MODEL_ID,
			   predicted);
		place->source =
			model_learn(model, context, place->position, place->source);
	}
	if (encoder->misses < NOTED)
		encoder->noted[encoder->misses] = place->position;
	place->position++;
	encoder->misses++;
	place->run = 0;
	place->forks = 0;
}

static inline void mark(struct encoder *encoder, uint32_t position)
{
	uint32_t *entry = encoder->model.ids + position;

	*entry |= (uint32_t)encoder->marks[*entry & MODEL_ID] * MODEL_MARK;
}

/*
 * Walks from the current position as far as ids[n] repeat those at the source. If they end
 * before n, the next id is stored at the position behind them.
 */
static inline struct walk walk_on(const struct encoder *encoder,
				  const struct place *place, const uint32_t *ids,
				  uint32_t n)
{
	uint32_t *to = encoder->model.ids + place->position;
	uint32_t back = place->position - place->source;

	if (!place->source) { /* no prediction; a hostile id can equal the padding */
		*to = *(const volatile uint32_t *)ids;
		return (struct walk){ 0, 0 };
	}
	return back < LOOP ? walk_loop(to, ids, back, n) : walk_run(to, ids, back, n);
}

size_t encoder_feed(struct encoder *encoder, const uint32_t *ids, size_t n)
{
	/* A local copy: the stores below cannot alias it. */
	struct place place = encoder->place;
	struct model *model = &encoder->model;
	uint32_t room = model->capacity - encoder_blocks(encoder), done = 0;
	const uint32_t *fed = model->ids + encoder->end;

	if (n > room)
		n = room;
	while (done < n && encoder->misses < CODEC_MISSES_MAX) {
		struct walk walk =
			walk_on(encoder, &place, ids + done, (uint32_t)n - done);

		place.forks += walk.forks;
		place.position += walk.n;
		place.source += walk.n;
		place.run += walk.n;
		done += walk.n;
		/*
		 * Ids are checked at misses only: in a run they equal ids that were
		 * checked. Id 0 wraps around.
		 */
		if (done == n || model->ids[place.position] - 1 >= model->known)
			break;
		miss(encoder, &place);
		/* Runs copy the mark with the id. */
		if (encoder->marks)
			mark(encoder, place.position - 1);
		done++;
	}
	/* What comes after the chunk's last miss, or is no valid id, was not taken. */
	encoder->place = place;
	encoder->end = place.position;
	census_add(&encoder->census, fed, done);
	return done;
}
