// SPDX-License-Identifier: GPL-2.0-or-later
/* The program is followed once, step by step; the first that does not fit makes it another one. */
#include "format/values_shape.h"

/* Distances that are added up must stay numbers of 32 bits. */
static bool is_small(int64_t imm)
{
	return imm >= -(1 << 20) && imm < 1 << 20;
}

/* Whether the register is the only one so far. */
static bool is_same(struct value_shape *shape, uint8_t reg)
{
	if (!shape->reg)
		shape->reg = reg;
	return reg && reg < VALUE_REGISTERS && shape->reg == reg;
}

static bool add_move(struct value_shape *shape, const struct value_step *step)
{
	int32_t *distance = shape->kind == SHAPE_FETCHES ? &shape->to_end :
							   &shape->to_word;

	if (step->rd != step->rs || !is_same(shape, step->rs) || !is_small(step->imm))
		return false;
	/* What is moved behind FORGET is not known any more. */
	*distance += (int32_t)step->imm;
	return is_small(*distance);
}

static bool add_fetch(struct value_shape *shape, const struct value_step *step)
{
	if (shape->kind == SHAPE_FETCHES || !step->in_lane ||
	    step->rd != VALUE_NO_REGISTER || !is_same(shape, step->rs) ||
	    !is_small(step->imm))
		return false;
	shape->kind = SHAPE_FETCHES;
	shape->to_word += (int32_t)step->imm;
	shape->to_end = -(int32_t)step->imm;
	return true;
}

static bool add(struct value_shape *shape, const struct value_step *step)
{
	switch (step->kind) {
	case OP_FORGET:
		*(shape->kind == SHAPE_FETCHES ? &shape->last : &shape->first) |=
			(uint32_t)step->imm;
		return true;
	case OP_ADD:
		return add_move(shape, step);
	case OP_LOAD:
		return add_fetch(shape, step);
	default:
		return false;
	}
}

struct value_shape value_shape_of(const struct value_programs *programs, uint32_t id)
{
	const struct value_program *program = &programs->of[id];
	const struct value_step *step = programs->steps + program->first;
	struct value_shape shape = { .kind = SHAPE_MOVES };

	for (const struct value_step *end = step + program->count; step < end; step++)
		if (!add(&shape, step))
			return (struct value_shape){ .kind = SHAPE_OTHER };
	if (shape.kind == SHAPE_MOVES) {
		shape.to_end = shape.to_word;
		shape.to_word = 0;
	}
	return shape;
}
