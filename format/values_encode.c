// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Words become strings: how many predictions come true in a row (runs), and where one does
 * not, how far off it was (misses). What the ids do not say goes into three more strings:
 * which firings a block had (patterns, changes), and which blocks did not do all accesses of
 * their programs (shorts).
 *
 * Example: a loop's block has one load, whose addresses are 1000 1008 1010 1018 and then
 * 5000. The first is a miss from 0, the second one from 1000, the third one from 1008; then
 * the stride has come twice: runs 0 0 0 1, misses 1000 8 8 3fe0 (5000 less 1020), each as a
 * zigzag.
 *
 * A firing is compared with the same one of the block's execution before. As long as all
 * are equal nothing is gathered, and nothing stored.
 */
#include "format/values_encode.h"

#include <stdlib.h>
#include <string.h>

#include "base/append.h"

#define VARINT_MAX 10
#define HASH_LEAST 256

struct pattern {
	uint32_t first, count; /* of `firings` */
};

struct values_encoder {
	struct values_model model; /* first: see VALUE_WORD */
	struct value_words *from;  /* while words are taken */
	uint64_t words, run;
	uint32_t position; /* of the current block, or the next one */

	/* Of the current block: */
	uint32_t id;
	uint32_t accesses; /* taken */
	uint16_t insn;	   /* of the firing before */
	uint32_t expected; /* firings that equal its pattern's first ones */
	bool differs;	   /* then all of them are gathered */

	struct pattern *patterns; /* [0] is empty */
	uint32_t pattern_count;
	struct value_firing *firings; /* of all patterns, then those gathered */
	uint32_t firing_count, gathered;
	uint32_t *slots; /* [slot_count] numbers of patterns by hash; 0: free */
	uint32_t slot_count;

	uint32_t last_change, last_short; /* positions */
	struct buf strings[VALUES_STRINGS];
};

struct values_encoder *values_encoder_new(const struct value_programs *programs)
{
	struct values_encoder *encoder = calloc(1, sizeof(*encoder));

	if (!encoder)
		return NULL;
	encoder->model.programs = programs;
	values_encoder_reset(encoder);
	return encoder;
}

void values_encoder_free(struct values_encoder *encoder)
{
	if (!encoder)
		return;
	values_model_fini(&encoder->model);
	free(encoder->patterns);
	free(encoder->firings);
	free(encoder->slots);
	for (unsigned i = 0; i < VALUES_STRINGS; i++)
		buf_fini(&encoder->strings[i]);
	free(encoder);
}

uint32_t values_encoder_blocks(const struct values_encoder *encoder)
{
	return encoder->position;
}

size_t values_encoder_bytes(const struct values_encoder *encoder)
{
	size_t bytes = 0;

	for (unsigned i = 0; i < VALUES_STRINGS; i++)
		bytes += encoder->strings[i].len;
	return bytes;
}

bool values_encoder_full(const struct values_encoder *encoder)
{
	return values_encoder_bytes(encoder) >= VALUES_CHUNK_BYTES ||
	       encoder->words >= VALUES_WORDS_MAX / 2 ||
	       encoder->model.entry_count >= VALUES_ENTRIES_FULL;
}

size_t values_encoder_memory(const struct values_encoder *encoder)
{
	size_t bytes = sizeof(*encoder) + values_model_memory(&encoder->model) +
		       encoder->slot_count * sizeof(*encoder->slots);

	for (unsigned i = 0; i < VALUES_STRINGS; i++)
		bytes += encoder->strings[i].cap;
	return bytes;
}

/* ---- words ------------------------------------------------------------------------------ */

static void put(struct values_encoder *encoder, enum values_string string, uint64_t value)
{
	struct buf *buf = &encoder->strings[string];

	if (buf->cap - buf->len < VARINT_MAX && !buf_reserve(buf, VARINT_MAX))
		return;
	buf->len = (size_t)(put_varint(buf->data + buf->len, value) - buf->data);
}

/* The next word of the ring, which says how good the guess was. */
VALUES_INLINE uint64_t encode_word(struct values_model *model, uint64_t guess,
				   uint64_t from_word)
{
	struct values_encoder *encoder = (struct values_encoder *)model;
	struct value_words *from = encoder->from;
	/* Once: its writer may be a guest that changes it. */
	uint64_t got = *(const volatile uint64_t *)&from->ring[from->at++ & from->mask];

	encoder->words++;
	if (got == guess) {
		encoder->run++;
		return got;
	}
	put(encoder, VALUES_RUNS, encoder->run);
	put(encoder, VALUES_MISSES, zigzag((int64_t)(got - from_word)));
	encoder->run = 0;
	return got;
}

/* The steps up to the block's next access, or to the end. */
VALUES_INLINE bool pass_steps(struct values_model *model)
{
	for (; model->step < model->steps_end; model->step++) {
		if (value_step_accesses(model->step))
			return true;
		values_step(model, model->step);
	}
	return false;
}

VALUES_INLINE void take_access(struct values_encoder *encoder)
{
	struct value_access access = { 0 };

	values_access(&encoder->model, encode_word, encoder->model.step++, &access);
	encoder->accesses++;
}

static uint64_t words_left(const struct value_words *words)
{
	return words->end - words->at;
}

/* ---- whole blocks ----------------------------------------------------------------------- */

static bool has_failed(const struct values_encoder *encoder)
{
	for (unsigned i = 0; i < VALUES_STRINGS; i++)
		if (encoder->strings[i].failed)
			return true;
	return values_encoder_bytes(encoder) > VALUES_STRINGS_MAX ||
	       encoder->words > VALUES_WORDS_MAX;
}

/* A block whose last execution fired something: this one does not. */
static enum values_result take_changed(struct values_encoder *encoder, uint32_t id,
				       struct value_words *words)
{
	enum values_result result = values_encoder_begin(encoder, id);

	return result ? result : values_encoder_end(encoder, UINT32_MAX, words);
}

/* The block's words are there. */
static enum values_result take_whole(struct values_encoder *encoder, uint32_t id,
				     struct value_words *words)
{
	struct values_model *model = &encoder->model;

	values_enter(model, id);
	if (model->place->pattern)
		return take_changed(encoder, id, words);
	if (!values_model_room(model, model->programs->of[id].words))
		return VALUES_NOMEM;
	while (pass_steps(model))
		take_access(encoder);
	encoder->position++;
	return VALUES_DONE;
}

enum values_result values_encoder_take(struct values_encoder *encoder,
				       const uint32_t *ids, size_t n,
				       struct value_words *words)
{
	const struct value_programs *programs = encoder->model.programs;
	enum values_result result = VALUES_DONE;

	if (!values_model_know(&encoder->model))
		return VALUES_NOMEM;
	encoder->from = words;
	for (size_t i = 0; !result && i < n; i++) {
		if (words_left(words) < programs->of[ids[i]].words)
			return VALUES_SHORT;
		result = take_whole(encoder, ids[i], words);
	}
	return has_failed(encoder) ? VALUES_NOMEM : result;
}

/* ---- patterns --------------------------------------------------------------------------- */

static const struct value_firing *firings_of(const struct values_encoder *encoder,
					     uint32_t pattern)
{
	return encoder->firings + encoder->patterns[pattern].first;
}

static uint32_t hash(const struct value_firing *firings, uint32_t n)
{
	uint64_t sum = n, word;

	for (uint32_t i = 0; i < n; i++) {
		memcpy(&word, &firings[i], sizeof(word));
		sum = (sum ^ word) * UINT64_C(0x9e3779b97f4a7c15);
		sum ^= sum >> 29;
	}
	return (uint32_t)(sum >> 32);
}

_Static_assert(sizeof(struct value_firing) == sizeof(uint64_t), "without holes");

static bool equal(const struct values_encoder *encoder, uint32_t pattern,
		  const struct value_firing *firings, uint32_t n)
{
	return encoder->patterns[pattern].count == n &&
	       !memcmp(firings_of(encoder, pattern), firings, n * sizeof(*firings));
}

/* The slot of a pattern, or the free one that it would take. */
static uint32_t *find(const struct values_encoder *encoder,
		      const struct value_firing *firings, uint32_t n)
{
	uint32_t mask = encoder->slot_count - 1, at = hash(firings, n) & mask;

	while (encoder->slots[at] && !equal(encoder, encoder->slots[at], firings, n))
		at = (at + 1) & mask;
	return &encoder->slots[at];
}

/* At most half of the slots are taken. */
static bool grow_slots(struct values_encoder *encoder)
{
	uint32_t n = encoder->slot_count ? 2 * encoder->slot_count : HASH_LEAST;
	uint32_t *slots;

	if (encoder->pattern_count < encoder->slot_count / 2)
		return true;
	slots = calloc(n, sizeof(*slots));
	if (!slots)
		return false;
	free(encoder->slots);
	encoder->slots = slots;
	encoder->slot_count = n;
	for (uint32_t i = 1; i < encoder->pattern_count; i++)
		*find(encoder, firings_of(encoder, i), encoder->patterns[i].count) = i;
	return true;
}

static void put_pattern(struct values_encoder *encoder,
			const struct value_firing *firings, uint32_t n)
{
	struct buf *buf = &encoder->strings[VALUES_PATTERNS];
	uint16_t insn = 0;

	buf_put_varint(buf, n);
	for (uint32_t i = 0; i < n; i++) {
		buf_put_varint(buf, firings[i].insn - (unsigned)insn);
		buf_put_u8(buf, firings[i].kind);
		buf_put_u8(buf, firings[i].size);
		buf_put_varint(buf, firings[i].what);
		insn = firings[i].insn;
	}
}

/* The number of the pattern of the gathered firings, a new one perhaps. */
static bool intern_pattern(struct values_encoder *encoder, uint32_t *number)
{
	struct pattern fresh = { encoder->firing_count, encoder->gathered };
	const struct value_firing *firings;
	uint32_t *slot;

	*number = 0;
	if (!encoder->gathered)
		return true;
	if (!grow_slots(encoder))
		return false;
	firings = encoder->firings + encoder->firing_count;
	slot = find(encoder, firings, encoder->gathered);
	if (!*slot) {
		if (!APPEND(encoder->patterns, encoder->pattern_count, fresh))
			return false;
		*slot = encoder->pattern_count - 1;
		put_pattern(encoder, firings, encoder->gathered);
		encoder->firing_count += encoder->gathered;
	}
	*number = *slot;
	return true;
}

static bool gather(struct values_encoder *encoder, const struct value_firing *firing)
{
	uint32_t n = encoder->firing_count + encoder->gathered;

	if (!APPEND(encoder->firings, n, *firing))
		return false;
	encoder->gathered++;
	return true;
}

/* The firings so far were those of the block's pattern; now they are gathered. */
static bool diverge(struct values_encoder *encoder)
{
	uint32_t pattern = encoder->model.place->pattern;

	encoder->differs = true;
	encoder->gathered = 0;
	for (uint32_t i = 0; i < encoder->expected; i++) {
		/* A copy: the array may move. */
		struct value_firing same = firings_of(encoder, pattern)[i];

		if (!gather(encoder, &same))
			return false;
	}
	return true;
}

/* Compares a firing with the pattern, or gathers it. */
static bool note_firing(struct values_encoder *encoder, const struct value_firing *firing)
{
	uint32_t pattern = encoder->model.place->pattern;

	if (!encoder->differs) {
		if (encoder->expected < encoder->patterns[pattern].count &&
		    !memcmp(firings_of(encoder, pattern) + encoder->expected, firing,
			    sizeof(*firing))) {
			encoder->expected++;
			return true;
		}
		if (!diverge(encoder))
			return false;
	}
	return gather(encoder, firing);
}

/* At the end of a block: the pattern of its firings, if it is another one now. */
static bool settle_pattern(struct values_encoder *encoder)
{
	struct value_place *place = encoder->model.place;
	uint32_t number;

	if (!encoder->differs &&
	    encoder->expected < encoder->patterns[place->pattern].count &&
	    !diverge(encoder))
		return false;
	if (!encoder->differs)
		return true;
	if (!intern_pattern(encoder, &number))
		return false;
	place->pattern = number;
	put(encoder, VALUES_CHANGES, encoder->position - encoder->last_change);
	put(encoder, VALUES_CHANGES, number);
	encoder->last_change = encoder->position;
	return true;
}

/* ---- block by block --------------------------------------------------------------------- */

enum values_result values_encoder_begin(struct values_encoder *encoder, uint32_t id)
{
	if (!values_model_know(&encoder->model))
		return VALUES_NOMEM;
	if (!encoder->pattern_count && !APPEND(encoder->patterns, encoder->pattern_count,
					       ((struct pattern){ 0, 0 })))
		return VALUES_NOMEM;
	values_enter(&encoder->model, id);
	encoder->id = id;
	encoder->accesses = encoder->expected = 0;
	encoder->insn = 0;
	encoder->differs = false;
	return VALUES_DONE;
}

/* Takes accesses, up to `most` in all, which come before `firing`, or all. */
static enum values_result take_some(struct values_encoder *encoder, uint32_t most,
				    const struct value_firing *firing)
{
	struct values_model *model = &encoder->model;

	for (;;) {
		const struct value_step *step = model->step;

		if (step == model->steps_end ||
		    (firing && !value_step_before(step, firing)))
			return VALUES_DONE;
		if (!value_step_accesses(step)) {
			values_step(model, model->step++);
			continue;
		}
		if (encoder->accesses >= most)
			return VALUES_DONE;
		if (words_left(encoder->from) <
		    value_step_words(step, encoder->model.data))
			return VALUES_SHORT;
		if (!values_model_room(
			    model,
			    model->next + value_step_words(step, encoder->model.data)))
			return VALUES_NOMEM;
		take_access(encoder);
	}
}

enum values_result values_encoder_fire(struct values_encoder *encoder,
				       const struct value_firing *firing,
				       struct value_words *words)
{
	unsigned n = value_firing_words(firing, encoder->model.data);
	struct value_access access = { 0 };
	enum values_result result;

	if (!value_firing_sound(firing) || firing->insn < encoder->insn ||
	    firing->insn >= encoder->model.programs->of[encoder->id].insns)
		return VALUES_WRONG;
	encoder->insn = firing->insn;
	encoder->from = words;
	result = take_some(encoder, UINT32_MAX, firing);
	if (result)
		return result;
	if (words_left(words) < n)
		return VALUES_SHORT;
	if (!values_model_room(&encoder->model, encoder->model.next + n) ||
	    !note_firing(encoder, firing))
		return VALUES_NOMEM;
	values_fire(&encoder->model, encode_word, firing, &access);
	return has_failed(encoder) ? VALUES_NOMEM : VALUES_DONE;
}

enum values_result values_encoder_end(struct values_encoder *encoder, uint32_t accesses,
				      struct value_words *words)
{
	enum values_result result;

	encoder->from = words;
	result = take_some(encoder, accesses, NULL);
	if (result)
		return result;
	if (!settle_pattern(encoder))
		return VALUES_NOMEM;
	if (encoder->accesses < encoder->model.programs->of[encoder->id].accesses) {
		put(encoder, VALUES_SHORTS, encoder->position - encoder->last_short);
		put(encoder, VALUES_SHORTS, encoder->accesses);
		encoder->last_short = encoder->position;
	}
	encoder->position++;
	return has_failed(encoder) ? VALUES_NOMEM : VALUES_DONE;
}

uint32_t values_encoder_allow(const struct values_encoder *encoder,
			      const struct value_words *words)
{
	const struct values_model *model = &encoder->model;
	uint32_t accesses = encoder->accesses;
	uint64_t left = words_left(words);

	for (const struct value_step *step = model->step; step < model->steps_end;
	     step++) {
		if (!value_step_accesses(step))
			continue;
		if (left < value_step_words(step, encoder->model.data))
			break;
		left -= value_step_words(step, encoder->model.data);
		accesses++;
	}
	return accesses;
}

/* ---- chunks ----------------------------------------------------------------------------- */

void values_encoder_finish(struct values_encoder *encoder, struct values_strings *strings)
{
	strings->words = encoder->words;
	for (unsigned i = 0; i < VALUES_STRINGS; i++)
		strings->of[i] =
			span_of(encoder->strings[i].data, encoder->strings[i].len);
}

void values_encoder_reset(struct values_encoder *encoder)
{
	values_model_begin(&encoder->model, encoder->model.programs);
	encoder->words = encoder->run = 0;
	encoder->position = encoder->last_change = encoder->last_short = 0;
	/* The empty pattern stays. */
	encoder->pattern_count = encoder->pattern_count ? 1 : 0;
	encoder->firing_count = encoder->gathered = 0;
	if (encoder->slot_count)
		memset(encoder->slots, 0, encoder->slot_count * sizeof(*encoder->slots));
	for (unsigned i = 0; i < VALUES_STRINGS; i++) {
		encoder->strings[i].len = 0;
		encoder->strings[i].failed = false;
	}
}
