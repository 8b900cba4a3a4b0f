// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * An interpreter executes a block with a fetch every ten nanoseconds or so, between blocks without.
 * So those that have something to do are picked first, without a branch; then each is done by its
 * shape (format/values_shape.h), where it has one and has been done before in this chunk. All
 * others go step by step, to the same effect.
 */
#include "format/values_encoder.h"

#include <stdlib.h>
#include <string.h>

#define AT_ONCE 256u /* blocks that are picked from */

/*
 * Shapes of all blocks; false without memory. Those that are not known are not touched: a thread
 * runs few of many blocks, and an interpreter's come early.
 */
static bool know_shapes(struct values_encoder *encoder)
{
	uint32_t n = encoder->model.programs->known + 1;
	struct value_shape *shapes;

	if (n <= encoder->shapes_room)
		return true;
	n += n / 2;
	shapes = calloc(n, sizeof(*shapes));
	if (!shapes)
		return false;
	if (encoder->shapes_known)
		memcpy(shapes, encoder->shapes, encoder->shapes_known * sizeof(*shapes));
	free(encoder->shapes);
	encoder->shapes = shapes;
	encoder->shapes_room = n;
	return true;
}

/* A fetch that no register foretells, the only one of block `id`. */
static __attribute__((noinline)) void
take_other(struct values_encoder *encoder, uint32_t id, uint64_t before, uint64_t got)
{
	struct values_model *model = &encoder->model;
	struct value_entry *entry = &model->entries[model->places[id].first];
	uint64_t site = value_site(UINT64_C(8) * id);

	if (got != values_fetch_guess(model, entry, site, before))
		values_put_miss(encoder, encoder->words, got - before);
	values_fetch_learn(model, entry, site, before, got);
}

/*
 * A block that is not ready goes step by step. From then on, in this chunk, its shape says what
 * it does: its words have their entries.
 */
static enum values_result take_steps(struct values_encoder *encoder, uint32_t id,
				     struct value_words *words)
{
	struct value_shape *shape = &encoder->shapes[id];
	const struct value_place *place = &encoder->model.places[id];
	enum values_result result = values_take_steps(encoder, id, words);

	if (shape->kind == SHAPE_UNKNOWN)
		*shape = value_shape_of(encoder->model.programs, id);
	if (id >= encoder->shapes_known)
		encoder->shapes_known = id + 1;
	if (!result &&
	    (shape->kind == SHAPE_MOVES || (shape->kind == SHAPE_FETCHES && place->room)))
		shape->ready = encoder->model.epoch;
	return result;
}

/* What values_address() comes to. */
VALUES_INLINE void take_fetch(struct values_encoder *encoder,
			      const struct value_shape *shape, uint32_t id, bool is_known,
			      uint64_t before, uint64_t got)
{
	uint64_t guess =
		encoder->model.registers[shape->reg] + (uint64_t)(int64_t)shape->to_word;

	if (!is_known)
		take_other(encoder, id, before, got);
	else if (got != guess)
		values_put_miss(encoder, encoder->words, got - guess);
	encoder->words++;
}

/*
 * Takes blocks ids[n], which have programs, until one is not ready, or no word is left: how many.
 * None of the registers is followed to where it was loaded from.
 */
static size_t take_ready(struct values_encoder *encoder, const uint32_t *ids, size_t n,
			 struct value_words *words)
{
	const struct value_shape *shapes = encoder->shapes;
	struct values_now *now = &encoder->model.now;
	uint64_t known = now->known, before = now->before;
	uint32_t epoch = encoder->model.epoch;
	size_t i;

	for (i = 0; i < n; i++) {
		uint32_t id = ids[i];
		const struct value_shape *shape = &shapes[id];
		uint64_t *reg = &encoder->model.registers[shape->reg];
		uint64_t value = *reg;

		if (__builtin_expect(shape->ready != epoch || !value_words_left(words),
				     0))
			break;
		known &= ~(uint64_t)shape->first;
		if (shape->kind == SHAPE_FETCHES) {
			value = value_next_word(words);
			take_fetch(encoder, shape, id, known >> shape->reg & 1, before,
				   value);
			before = value;
			known |= UINT64_C(1) << shape->reg;
		}
		*reg = value + (uint64_t)(int64_t)shape->to_end;
		known &= ~(uint64_t)shape->last;
	}
	now->known = known;
	now->before = before;
	return i;
}

enum values_result values_take_picked_fetches(struct values_encoder *encoder,
					      const struct values_picked *picked,
					      size_t n, struct value_words *words)
{
	uint32_t start = encoder->position;

	if (!know_shapes(encoder))
		return VALUES_NOMEM;
	for (size_t i = 0; i < picked->count; i++) {
		enum values_result result;

		if (!encoder->model.now.loaded)
			i += take_ready(encoder, picked->ids + i, picked->count - i,
					words);
		if (i == picked->count)
			break;
		encoder->position = start + picked->places[i];
		result = take_steps(encoder, picked->ids[i], words);
		if (result)
			return result;
	}
	encoder->position = start + (uint32_t)n;
	return VALUES_DONE;
}

enum values_result values_take_fetches(struct values_encoder *encoder,
				       const uint32_t *ids, size_t n,
				       struct value_words *words)
{
	const struct value_programs *programs = encoder->model.programs;
	uint32_t busy[AT_ONCE];
	uint16_t places[AT_ONCE];
	enum values_result result = VALUES_DONE;

	for (size_t i = 0, some; !result && i < n; i += some) {
		struct values_picked picked = { busy, places, 0 };
		/* What is not interpreted has none for long. */
		size_t idle = value_programs_idle(programs, ids + i, n - i);

		encoder->position += (uint32_t)idle;
		i += idle;
		some = n - i < AT_ONCE ? n - i : AT_ONCE;
		picked.count = value_programs_busy(programs, ids + i, some, busy, places);
		result = values_take_picked_fetches(encoder, &picked, some, words);
	}
	return result;
}
