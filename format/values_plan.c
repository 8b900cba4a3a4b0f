// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Making a plan is carrying out the program with names instead of numbers: at each moment a
 * register is a slot plus a constant, or was loaded from such an address, or nothing is known
 * of it. An access in the lane whose register has a name is a word to compare. Because a plan
 * only counts when all of these are equal, the register keeps its name, and needs no move.
 *
 * All moves happen at once, at the end. One that reads a register which another one writes
 * reads a copy of it, which a sum makes.
 *
 * Example: sd s0, 0(sp); addi sp, sp, -32; sd ra, 8(sp), where sp is known and the others are
 * not: KNOWN word 0 is sp + 0, MOVE sp = sp - 32. The second store's address follows, so it
 * is no word, and nothing is known that could be stored.
 */
#include "format/values_plan.h"

#include <string.h>

#define FIRST_COPY (VALUE_REGISTERS + 1u) /* the first slot for sums */

/* ---- names ------------------------------------------------------------------------------ */

/* The name of a register that a step reads. */
static struct plan_name read_name(struct plan_making *making, uint8_t number)
{
	if (number < VALUE_REGISTERS)
		making->plan.read |= making->fresh & 1u << number;
	return making->names[number];
}

static void write_name(struct plan_making *making, uint8_t number, struct plan_name name)
{
	if (number >= VALUE_REGISTERS || !number)
		return;
	making->fresh &= ~(1u << number);
	making->names[number] = name;
}

static void add_op(struct plan_making *making, struct plan_ops *ops, struct plan_op op)
{
	if (ops->count == PLAN_OPS_MAX)
		making->failed = true;
	else
		ops->all[ops->count++] = op;
}

/* A new slot that has the sum of two, and a constant. */
static struct plan_name make_sum(struct plan_making *making, uint8_t one, uint8_t other,
				 uint64_t add)
{
	struct plan_op op = { .from = one, .other = other, .add = add };

	op.to = (uint8_t)(FIRST_COPY + making->sums.count);
	if (op.to >= PLAN_WORDS - 1)
		making->failed = true;
	else
		add_op(making, &making->sums, op);
	return (struct plan_name){ .kind = NAME_KNOWN, .slot = op.to };
}

/* One whose constant fits struct plan_op's `n`. */
static struct plan_name make_near(struct plan_making *making, struct plan_name name)
{
	if ((int64_t)name.add != (int32_t)name.add) {
		uint8_t kind = name.kind;

		name = make_sum(making, name.slot, 0, name.add);
		name.kind = kind;
	}
	return name;
}

/* ---- steps ------------------------------------------------------------------------------ */

static struct plan_name known_name(uint8_t slot, uint64_t add)
{
	return (struct plan_name){ .kind = NAME_KNOWN, .slot = slot, .add = add };
}

static struct plan_name sum_of(struct plan_making *making, struct plan_name one,
			       struct plan_name other)
{
	if (one.kind != NAME_KNOWN || other.kind != NAME_KNOWN)
		return (struct plan_name){ 0 };
	if (!one.slot || !other.slot)
		return known_name(one.slot | other.slot, one.add + other.add);
	return make_sum(making, one.slot, other.slot, one.add + other.add);
}

static struct plan_name sum_with(struct plan_name name, uint64_t imm)
{
	/* A copy of what was loaded was loaded. */
	if (name.kind == NAME_LOADED && imm)
		return (struct plan_name){ 0 };
	name.add += imm;
	return name;
}

static void forget(struct plan_making *making, uint32_t mask)
{
	for (uint8_t i = 1; i < VALUE_REGISTERS; i++)
		if (mask >> i & 1)
			write_name(making, i, (struct plan_name){ 0 });
}

/* The word of an access in the lane; returns the name of its address. */
static struct plan_name take_word(struct plan_making *making,
				  const struct value_step *step)
{
	struct plan_name base = read_name(making, step->rs);
	uint64_t imm = (uint64_t)step->imm;
	struct plan_op op = { .from = base.slot, .add = base.add };

	op.to = (uint8_t)making->words;
	if (making->words++ >= PLAN_WORDS_MAX)
		making->failed = true;
	if (base.kind == NAME_KNOWN) {
		op.add += imm;
		add_op(making, &making->checks, op);
		return known_name(base.slot, op.add);
	}
	op.kind = base.kind == NAME_LOADED ? PLAN_LOADED : PLAN_OTHER;
	if (op.kind == PLAN_LOADED) {
		base = make_near(making, base);
		op.from = base.slot;
		op.near = (int32_t)base.add;
		op.n = (int32_t)imm;
		making->failed |= op.n != step->imm;
	} else {
		op.site = 8 * making->id + op.to - making->first_word;
		making->failed |= making->id >= UINT32_MAX / 16;
	}
	add_op(making, &making->others, op);
	write_name(making, step->rs, known_name((uint8_t)(PLAN_WORDS + op.to), -imm));
	return known_name((uint8_t)(PLAN_WORDS + op.to), 0);
}

static void store(struct plan_making *making, struct plan_name address,
		  struct plan_name value)
{
	struct plan_op op = { .from = address.slot, .add = address.add };

	if (value.kind == NAME_NONE)
		return;
	value = make_near(making, value);
	op.kind = value.kind == NAME_KNOWN ? PLAN_STORED : PLAN_COPIED;
	op.other = value.slot;
	op.n = (int32_t)value.add;
	op.to = (uint8_t)(making->words ? making->words - 1 : 0);
	add_op(making, &making->others, op);
}

static void take_access(struct plan_making *making, const struct value_step *step)
{
	bool is_wide = step->size == making->width;
	struct plan_name address = step->in_lane ? take_word(making, step) :
						   sum_with(read_name(making, step->rs),
							    (uint64_t)step->imm);

	if (step->kind == OP_LOAD) {
		address.kind = is_wide ? NAME_LOADED : NAME_NONE;
		write_name(making, step->rd, address);
	} else if (is_wide && step->rt < VALUE_REGISTERS) {
		store(making, address, read_name(making, step->rt));
	}
}

static void take_step(struct plan_making *making, const struct value_step *step)
{
	uint64_t imm = (uint64_t)step->imm;

	switch (step->kind) {
	case OP_FORGET:
		forget(making, (uint32_t)imm);
		break;
	case OP_SET:
		write_name(making, step->rd, known_name(0, imm));
		break;
	case OP_ADD:
		write_name(making, step->rd, sum_with(read_name(making, step->rs), imm));
		break;
	case OP_SUM: {
		struct plan_name one = read_name(making, step->rs);

		write_name(making, step->rd,
			   sum_of(making, one, read_name(making, step->rt)));
		break;
	}
	default:
		take_access(making, step);
	}
}

/* ---- plans ------------------------------------------------------------------------------ */

static void begin(struct plan_making *making, const struct values_model *model)
{
	memset(&making->plan, 0, sizeof(making->plan));
	making->sums.count = making->checks.count = making->others.count = 0;
	making->words = 0;
	making->fresh = UINT32_MAX & ~1u;
	making->failed = false;
	making->width = model->width;
	for (uint8_t i = 0; i <= VALUE_REGISTERS; i++) {
		making->names[i] = (struct plan_name){ .slot = i };
		if (values_knows(&model->now, i))
			making->names[i].kind = NAME_KNOWN;
		else if (values_loaded(&model->now, i))
			making->names[i].kind = NAME_LOADED;
	}
}

/* Registers that have another number in the end. */
static uint32_t moved(const struct plan_making *making)
{
	uint32_t set = 0;

	for (uint8_t i = 1; i < VALUE_REGISTERS; i++)
		if (making->names[i].kind != NAME_NONE &&
		    (making->names[i].slot != i || making->names[i].add))
			set |= 1u << i;
	return set;
}

static unsigned add_moves(struct plan_making *making, struct plan_op *moves)
{
	uint32_t set = moved(making);
	unsigned n = 0;

	for (uint8_t i = 1; i < VALUE_REGISTERS; i++) {
		struct plan_name name = making->names[i];

		if (!(set >> i & 1))
			continue;
		if (name.slot < VALUE_REGISTERS && name.slot != i && set >> name.slot & 1)
			name = make_sum(making, name.slot, 0, name.add);
		moves[n++] =
			(struct plan_op){ .to = i, .from = name.slot, .add = name.add };
	}
	return n;
}

/* Which registers are known and loaded in the end, and for which state it all was. */
static void settle(struct plan_making *making, const struct values_model *model)
{
	struct plan *plan = &making->plan;

	plan->written = ~making->fresh & ~1u;
	for (uint8_t i = 1; i < VALUE_REGISTERS; i++) {
		if (making->fresh >> i & 1)
			continue;
		plan->now_known |= (uint32_t)(making->names[i].kind == NAME_KNOWN) << i;
		plan->now_loaded |= (uint32_t)(making->names[i].kind == NAME_LOADED) << i;
	}
	plan->known = (uint32_t)model->now.known & plan->read;
	plan->loaded = (uint32_t)model->now.loaded & plan->read;
}

/* Carries out blocks ids[n], or as many as a sequence can have: how many. */
static uint32_t take_blocks(struct plan_making *making, const struct values_model *model,
			    const uint32_t *ids, size_t n)
{
	const struct value_programs *programs = model->programs;
	uint32_t done = 0;

	do {
		const struct value_program *program = &programs->of[ids[done]];
		const struct value_step *steps = programs->steps + program->first;

		making->id = ids[done];
		making->first_word = making->words;
		for (uint32_t i = 0; i < program->count && !making->failed; i++)
			take_step(making, &steps[i]);
		done++;
		/* A long loop ends where it begins again; one of a block is unrolled. */
	} while (
		done < n && done < SEQUENCE_BLOCKS &&
		(done < SEQUENCE_BLOCKS / 2 || ids[done] != ids[0] || ids[1] == ids[0]) &&
		making->words + programs->of[ids[done]].words <= SEQUENCE_WORDS);
	return done;
}

void plan_make(struct plan_making *making, const struct values_model *model,
	       const uint32_t *ids, size_t n)
{
	struct plan *plan = &making->plan;

	begin(making, model);
	plan->id = *ids;
	plan->blocks = (uint8_t)take_blocks(making, model, ids, n);
	plan->moves = (uint8_t)add_moves(making, making->moves);
	settle(making, model);
	plan->sums = (uint8_t)making->sums.count;
	plan->checks = (uint8_t)making->checks.count;
	plan->others = (uint16_t)making->others.count;
	plan->words = (uint8_t)making->words;
	plan->failed = making->failed;
}

bool plan_prepare(const struct values_model *model, struct plan *plan)
{
	struct plan_op *op = plan_ops(plan) + plan->sums + plan->checks;
	struct plan_op *end = op + plan->others;
	const uint32_t *ids = plan_ids(plan);
	uint32_t words = 0;

	for (uint32_t i = 0; i < plan->blocks; i++) {
		const struct value_place *place = &model->places[ids[i]];
		uint32_t own = model->programs->of[ids[i]].words;

		/* One that the chunk has not entered yet, or passed over, needs no place. */
		if (place->epoch != model->epoch ? own :
						   place->pattern || place->room < own)
			return false;
		for (; op < end && op->to < words + own; op++)
			if (op->kind == PLAN_OTHER || op->kind == PLAN_LOADED)
				op->entry = place->first + op->to - words;
		words += own;
	}
	plan->ready = model->changes;
	return true;
}
