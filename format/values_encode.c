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
#include "format/values_encoder.h"

#include <stdlib.h>
#include <string.h>

#define VARINT_MAX 10

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
	plans_fini(&encoder->plans);
	free(encoder->shapes);
	patterns_fini(&encoder->patterns);
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
		       plans_memory(&encoder->plans) +
		       encoder->shapes_room * sizeof(*encoder->shapes) +
		       encoder->patterns.slot_count * sizeof(*encoder->patterns.slots);

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

void values_put_miss(struct values_encoder *encoder, uint64_t number, uint64_t distance)
{
	put(encoder, VALUES_RUNS, number - encoder->after);
	put(encoder, VALUES_MISSES, zigzag((int64_t)distance));
	encoder->after = number + 1;
}

/* The next word of the ring, which says how good the guess was. */
VALUES_INLINE uint64_t encode_word(struct values_model *model, struct values_now *now,
				   uint64_t guess, uint64_t start)
{
	struct values_encoder *encoder = (struct values_encoder *)model;
	uint64_t got = value_next_word(encoder->from);

	(void)now;
	if (got != guess)
		values_put_miss(encoder, encoder->words, got - start);
	encoder->words++;
	return got;
}

/* The steps up to the block's next access, or to the end. */
VALUES_INLINE bool pass_steps(struct values_model *model)
{
	for (; model->step < model->steps_end; model->step++) {
		if (value_step_accesses(model->step))
			return true;
		values_step(model, &model->now, model->step);
	}
	return false;
}

VALUES_INLINE void take_access(struct values_encoder *encoder)
{
	struct value_access access = { 0 };

	values_access(&encoder->model, &encoder->model.now, encode_word,
		      encoder->model.step++, &access);
	encoder->accesses++;
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

/* The block's words are there, in encoder->from. */
static enum values_result take_whole(struct values_encoder *encoder, uint32_t id)
{
	struct values_model *model = &encoder->model;

	values_enter(model, id);
	if (model->place->pattern)
		return take_changed(encoder, id, encoder->from);
	if (!values_model_room(model, model->programs->of[id].words))
		return VALUES_NOMEM;
	while (pass_steps(model))
		take_access(encoder);
	encoder->position++;
	return VALUES_DONE;
}

/* ---- planned blocks --------------------------------------------------------------------- */

/* Word `now->next` of planned blocks. */
VALUES_INLINE uint64_t encode_planned(struct values_model *model, struct values_now *now,
				      uint64_t guess, uint64_t start)
{
	struct values_encoder *encoder = (struct values_encoder *)model;
	uint64_t got = model->registers[PLAN_WORDS + now->next];

	if (got != guess)
		values_put_miss(encoder, encoder->words + now->next, got - start);
	return got;
}

/*
 * Copies the next `n` words, which are there, to their slots: once, since their writer may be a
 * guest that changes them. Eight at a time, also beyond the last one, where the ring has so
 * many of them in one piece.
 */
VALUES_INLINE void plan_words(struct values_model *model, const struct value_words *words,
			      unsigned n)
{
	uint64_t at = words->at & words->mask, *to = model->registers + PLAN_WORDS;
	uint64_t whole = (n + 7) & ~7u;

	to[-1] = model->now.before;
	if (__builtin_expect(value_words_left(words) < whole || words->mask - at < whole,
			     0)) {
		for (unsigned i = 0; i < n; i++)
			to[i] = words->ring[(words->at + i) & words->mask];
		return;
	}
	for (unsigned i = 0; i < n; i += 8)
		memcpy(to + i, words->ring + at + i, 8 * sizeof(*to));
}

/* Whether all foretold words are as foretold. */
VALUES_INLINE bool check(struct values_model *model, const struct plan *plan,
			 const struct plan_op *op)
{
	const struct plan_op *end = op + plan->sums;
	uint64_t wrong = 0;

	for (; op < end; op++)
		plan_sum(model, op);
	for (end = op + plan->checks; op < end; op++)
		wrong |= plan_value(model, op->from, op->add) ^
			 model->registers[PLAN_WORDS + op->to];
	return !wrong;
}

VALUES_INLINE void carry_out_op(struct values_model *model, const struct plan_op *op)
{
	uint64_t before = model->registers[PLAN_WORDS - 1 + op->to], value;

	model->now.next = op->to;
	if (op->kind == PLAN_OTHER) {
		plan_other(model, encode_planned, op, before);
	} else if (op->kind == PLAN_LOADED) {
		value = plan_value(model, op->from, (uint64_t)(int64_t)op->near);
		plan_loaded(model, encode_planned, op, value, before);
	} else {
		value = plan_value(model, op->from, op->add);
		*values_memory(model, value) = plan_stored(model, op);
	}
}

/* False: nothing has happened. */
VALUES_INLINE bool carry_out(struct values_encoder *encoder, struct plan *plan,
			     struct value_words *words)
{
	struct values_model *model = &encoder->model;
	const struct plan_op *op = plan_ops(plan), *end;

	plan_words(model, words, plan->words);
	if (!check(model, plan, op))
		return false;
	op += plan->sums + plan->checks;
	for (end = op + plan->others; op < end; op++)
		carry_out_op(model, op);
	for (end = op + plan->moves; op < end; op++)
		model->registers[op->to] = plan_value(model, op->from, op->add);
	plan_done(plan, model);
	model->now.before = model->registers[PLAN_WORDS - 1 + plan->words];
	encoder->words += plan->words;
	words->at += plan->words;
	encoder->position += plan->blocks;
	return true;
}

enum values_result values_take_steps(struct values_encoder *encoder, uint32_t id,
				     struct value_words *words)
{
	if (value_words_left(words) < encoder->model.programs->of[id].words)
		return VALUES_SHORT;
	encoder->from = words;
	return take_whole(encoder, id);
}

/* Takes the next of blocks ids[n] as planned: how many; 0: it is not so simple. */
VALUES_INLINE size_t take_planned(struct values_encoder *encoder, const uint32_t *ids,
				  size_t n, struct value_words *words)
{
	struct values_model *model = &encoder->model;
	struct plan *plan = plans_find(&encoder->plans, model, ids, n);

	if (!plan || !plan_ready(model, plan) || value_words_left(words) < plan->words)
		return 0;
	return carry_out(encoder, plan, words) ? plan->blocks : 0;
}

/*
 * Passes over the next of blocks ids[n] that do nothing; returns how many. Once blocks have
 * fired, one that does not fire any more is a change, and take_whole() looks for it.
 */
static size_t pass_idle(struct values_encoder *encoder, const uint32_t *ids, size_t n)
{
	size_t idle = 0;

	if (!encoder->strings[VALUES_CHANGES].len)
		idle = value_programs_idle(encoder->model.programs, ids, n);
	encoder->position += (uint32_t)idle;
	return idle;
}

static enum values_result take_blocks(struct values_encoder *encoder, const uint32_t *ids,
				      size_t n, struct value_words *words)
{
	/* Where fetches are recorded and something fired, few blocks have any. */
	bool planned = !encoder->model.data && !encoder->model.fetches;
	size_t took;

	for (size_t i = 0; i < n; i += took) {
		enum values_result result;

		took = pass_idle(encoder, ids + i, n - i);
		if (!took && planned)
			took = take_planned(encoder, ids + i, n - i, words);
		if (took)
			continue;
		result = values_take_steps(encoder, ids[i], words);
		if (result)
			return result;
		took = 1;
	}
	return VALUES_DONE;
}

bool values_encoder_picks(const struct values_encoder *encoder)
{
	const struct values_model *model = &encoder->model;

	return model->fetches && !model->data && !(model->mask + 1) &&
	       !encoder->strings[VALUES_CHANGES].len;
}

enum values_result values_encoder_take(struct values_encoder *encoder,
				       const uint32_t *ids, size_t n,
				       struct value_words *words)
{
	enum values_result result;

	if (!values_model_know(&encoder->model))
		return VALUES_NOMEM;
	result = values_encoder_picks(encoder) ?
			 values_take_fetches(encoder, ids, n, words) :
			 take_blocks(encoder, ids, n, words);
	return has_failed(encoder) ? VALUES_NOMEM : result;
}

enum values_result values_encoder_take_picked(struct values_encoder *encoder,
					      const struct values_picked *picked,
					      size_t n, struct value_words *words)
{
	enum values_result result;

	if (!values_model_know(&encoder->model))
		return VALUES_NOMEM;
	result = values_take_picked_fetches(encoder, picked, n, words);
	return has_failed(encoder) ? VALUES_NOMEM : result;
}

/* ---- patterns --------------------------------------------------------------------------- */

/* The firings so far were those of the block's pattern; now they are gathered. */
static bool diverge(struct values_encoder *encoder)
{
	uint32_t pattern = encoder->model.place->pattern;

	encoder->differs = true;
	encoder->patterns.gathered = 0;
	for (uint32_t i = 0; i < encoder->expected; i++) {
		/* A copy: the array may move. */
		struct value_firing same =
			patterns_firings(&encoder->patterns, pattern)[i];

		if (!patterns_gather(&encoder->patterns, &same))
			return false;
	}
	return true;
}

/* Compares a firing with the pattern, or gathers it. */
static bool note_firing(struct values_encoder *encoder, const struct value_firing *firing)
{
	uint32_t pattern = encoder->model.place->pattern;

	if (!encoder->differs) {
		if (encoder->expected < encoder->patterns.all[pattern].count &&
		    !memcmp(patterns_firings(&encoder->patterns, pattern) +
				    encoder->expected,
			    firing, sizeof(*firing))) {
			encoder->expected++;
			return true;
		}
		if (!diverge(encoder))
			return false;
	}
	return patterns_gather(&encoder->patterns, firing);
}

/* At the end of a block: the pattern of its firings, if it is another one now. */
static bool settle_pattern(struct values_encoder *encoder)
{
	struct value_place *place = encoder->model.place;
	uint32_t number;

	if (!encoder->differs &&
	    encoder->expected < encoder->patterns.all[place->pattern].count &&
	    !diverge(encoder))
		return false;
	if (!encoder->differs)
		return true;
	if (!patterns_intern(&encoder->patterns, &encoder->strings[VALUES_PATTERNS],
			     &number))
		return false;
	place->pattern = number;
	encoder->model.changes++;
	put(encoder, VALUES_CHANGES, encoder->position - encoder->last_change);
	put(encoder, VALUES_CHANGES, number);
	encoder->last_change = encoder->position;
	return true;
}

/* ---- block by block --------------------------------------------------------------------- */

enum values_result values_encoder_begin(struct values_encoder *encoder, uint32_t id)
{
	if (!values_model_know(&encoder->model) || !patterns_ready(&encoder->patterns))
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
			values_step(model, &model->now, model->step++);
			continue;
		}
		if (encoder->accesses >= most)
			return VALUES_DONE;
		if (value_words_left(encoder->from) <
		    value_step_words(step, encoder->model.data))
			return VALUES_SHORT;
		if (!values_model_room(
			    model, model->now.next +
					   value_step_words(step, encoder->model.data)))
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
	if (value_words_left(words) < n)
		return VALUES_SHORT;
	if (!values_model_room(&encoder->model, encoder->model.now.next + n) ||
	    !note_firing(encoder, firing))
		return VALUES_NOMEM;
	values_fire(&encoder->model, &encoder->model.now, encode_word, firing, &access);
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
	uint64_t left = value_words_left(words);

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
	encoder->words = encoder->after = 0;
	encoder->position = encoder->last_change = encoder->last_short = 0;
	patterns_reset(&encoder->patterns);
	for (unsigned i = 0; i < VALUES_STRINGS; i++) {
		encoder->strings[i].len = 0;
		encoder->strings[i].failed = false;
	}
}
