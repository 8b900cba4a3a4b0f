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

#define AT_ONCE 1024u /* blocks that are picked from */

/* Shapes of all blocks; false without memory. */
static bool know_shapes(struct values_encoder *encoder)
{
	uint32_t known = encoder->shapes_known;
	uint32_t n = encoder->model.programs->known + 1;
	struct value_shape *shapes;

	if (n <= known)
		return true;
	n += n / 2;
	shapes = reallocarray(encoder->shapes, n, sizeof(*shapes));
	if (!shapes)
		return false;
	memset(shapes + known, 0, (n - known) * sizeof(*shapes));
	encoder->shapes = shapes;
	encoder->shapes_known = n;
	return true;
}

static void know_shape(struct values_encoder *encoder, uint32_t id)
{
	if (encoder->shapes[id].kind == SHAPE_UNKNOWN)
		encoder->shapes[id] = value_shape_of(encoder->model.programs, id);
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

/* What values_address() comes to: the register afterwards. */
VALUES_INLINE uint64_t take_fetch(struct values_encoder *encoder, struct values_now *now,
				  const struct value_shape *shape, uint32_t id,
				  uint64_t got)
{
	uint64_t guess =
		encoder->model.registers[shape->reg] + (uint64_t)(int64_t)shape->to_word;

	if (!values_knows(now, shape->reg))
		take_other(encoder, id, now->before, got);
	else if (got != guess)
		values_put_miss(encoder, encoder->words, got - guess);
	encoder->words++;
	now->before = got;
	now->known |= UINT64_C(1) << shape->reg;
	return got;
}

/* Whether a block can be done by its shape: no register is followed to where it was loaded from. */
VALUES_INLINE bool is_plain(const struct values_encoder *encoder,
			    const struct values_now *now, const struct value_shape *shape,
			    uint32_t id, const struct value_words *words)
{
	const struct value_place *place = &encoder->model.places[id];

	if (now->loaded)
		return false;
	return shape->kind == SHAPE_MOVES ||
	       (shape->kind == SHAPE_FETCHES && place->epoch == encoder->model.epoch &&
		place->room && value_words_left(words));
}

VALUES_INLINE void take_plain(struct values_encoder *encoder, struct values_now *now,
			      const struct value_shape *shape, uint32_t id,
			      struct value_words *words)
{
	uint64_t *reg = &encoder->model.registers[shape->reg], value = *reg;

	now->known &= ~(uint64_t)shape->first;
	if (shape->kind == SHAPE_FETCHES)
		value = take_fetch(encoder, now, shape, id, value_next_word(words));
	*reg = value + (uint64_t)(int64_t)shape->to_end;
	now->known &= ~(uint64_t)shape->last;
}

/* Takes those of ids[] at places[n], which have programs. */
static enum values_result take_busy(struct values_encoder *encoder, const uint32_t *ids,
				    const uint16_t *places, size_t n,
				    struct value_words *words)
{
	const struct value_shape *shapes = encoder->shapes;
	struct values_now now = encoder->model.now;
	enum values_result result = VALUES_DONE;
	uint32_t start = encoder->position;

	for (size_t i = 0; !result && i < n; i++) {
		uint32_t id = ids[places[i]];

		if (__builtin_expect(is_plain(encoder, &now, &shapes[id], id, words),
				     1)) {
			take_plain(encoder, &now, &shapes[id], id, words);
			continue;
		}
		encoder->position = start + places[i];
		encoder->model.now = now;
		know_shape(encoder, id);
		result = values_take_steps(encoder, id, words);
		now = encoder->model.now;
	}
	encoder->model.now = now;
	return result;
}

enum values_result values_take_fetches(struct values_encoder *encoder,
				       const uint32_t *ids, size_t n,
				       struct value_words *words)
{
	uint16_t places[AT_ONCE];
	enum values_result result = VALUES_DONE;

	if (!know_shapes(encoder))
		return VALUES_NOMEM;
	for (size_t i = 0, some; !result && i < n; i += some) {
		uint32_t start = encoder->position;
		size_t busy;

		some = n - i < AT_ONCE ? n - i : AT_ONCE;
		busy = value_programs_busy(encoder->model.programs, ids + i, some,
					   places);
		result = take_busy(encoder, ids + i, places, busy, words);
		if (!result)
			encoder->position = start + (uint32_t)some;
	}
	return result;
}
