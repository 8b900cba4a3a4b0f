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

#include <stdlib.h>
#include <string.h>

#include "base/append.h"
#include "waymark.h"

#define PLANS_OF_BLOCK 8u /* for so many states of registers, and sequences */
#define SEQUENCE_BLOCKS 16u
#define SEQUENCE_WORDS 96u
#define PLAN_OPS_MAX 512u    /* of a plan; larger blocks have none */
#define PLANS_OPS (1u << 21) /* of all plans: 32 MiB; then they are made again */
#define FIRST_COPY (VALUE_REGISTERS + 1u) /* the first slot for sums */

enum name_kind { NAME_NONE, NAME_KNOWN, NAME_LOADED };

/* What a register is: slot + add, or what was loaded from there. */
struct name {
	uint64_t add;
	uint8_t kind;
	uint8_t slot;
};

struct making {
	struct name names[VALUE_REGISTERS + 1];
	uint32_t fresh; /* registers that still are as they were when the block began */
	struct plan plan;
	struct plan_op checks[PLAN_OPS_MAX], others[PLAN_OPS_MAX];
	struct plan_access accesses[PLAN_OPS_MAX];
	unsigned copies;
	uint32_t id, first_word; /* of the block, and its first word */
	uint8_t width;		 /* log2 of a register's bytes */
	bool ordered, failed;
};

void plans_init(struct plans *plans, bool ordered)
{
	*plans = (struct plans){ .ordered = ordered };
}

void plans_fini(struct plans *plans)
{
	free(plans->first);
	free(plans->all);
	free(plans->ops);
	free(plans->accesses);
	free(plans->ids);
	*plans = (struct plans){ 0 };
}

size_t plans_memory(const struct plans *plans)
{
	return plans->known * sizeof(*plans->first) + plans->count * sizeof(*plans->all) +
	       plans->op_count * sizeof(*plans->ops) +
	       plans->access_count * sizeof(*plans->accesses) +
	       plans->id_count * sizeof(*plans->ids);
}

/* ---- names ------------------------------------------------------------------------------ */

/* The name of a register that a step reads. */
static struct name read_name(struct making *making, uint8_t number)
{
	if (number < VALUE_REGISTERS)
		making->plan.read |= making->fresh & 1u << number;
	return making->names[number];
}

static void write_name(struct making *making, uint8_t number, struct name name)
{
	if (number >= VALUE_REGISTERS || !number)
		return;
	making->fresh &= ~(1u << number);
	making->names[number] = name;
}

static void add_op(struct making *making, bool check, struct plan_op op)
{
	uint16_t *n = check ? &making->plan.checks : &making->plan.others;

	if (*n == PLAN_OPS_MAX)
		making->failed = true;
	else
		(check ? making->checks : making->others)[(*n)++] = op;
}

/* A new slot that has the sum of two, and a constant. */
static struct name make_sum(struct making *making, uint8_t one, uint8_t other,
			    uint64_t add)
{
	struct plan_op op = { .kind = PLAN_SUM, .from = one, .other = other, .add = add };

	op.to = (uint8_t)(FIRST_COPY + making->copies++);
	if (op.to >= PLAN_WORDS)
		making->failed = true;
	else
		add_op(making, !making->ordered, op);
	return (struct name){ .kind = NAME_KNOWN, .slot = op.to };
}

/* One whose constant fits struct plan_op's `n`. */
static struct name make_near(struct making *making, struct name name)
{
	if ((int64_t)name.add != (int32_t)name.add) {
		uint8_t kind = name.kind;

		name = make_sum(making, name.slot, 0, name.add);
		name.kind = kind;
	}
	return name;
}

/* ---- steps ------------------------------------------------------------------------------ */

static struct name known_name(uint8_t slot, uint64_t add)
{
	return (struct name){ .kind = NAME_KNOWN, .slot = slot, .add = add };
}

static struct name sum_of(struct making *making, struct name one, struct name other)
{
	if (one.kind != NAME_KNOWN || other.kind != NAME_KNOWN)
		return (struct name){ 0 };
	if (!one.slot || !other.slot)
		return known_name(one.slot | other.slot, one.add + other.add);
	return make_sum(making, one.slot, other.slot, one.add + other.add);
}

static struct name sum_with(struct name name, uint64_t imm)
{
	/* A copy of what was loaded was loaded. */
	if (name.kind == NAME_LOADED && imm)
		return (struct name){ 0 };
	name.add += imm;
	return name;
}

static void forget(struct making *making, uint32_t mask)
{
	for (uint8_t i = 1; i < VALUE_REGISTERS; i++)
		if (mask >> i & 1)
			write_name(making, i, (struct name){ 0 });
}

/* The word of an access in the lane; returns the name of its address. */
static struct name take_word(struct making *making, const struct value_step *step)
{
	struct name base = read_name(making, step->rs);
	uint64_t imm = (uint64_t)step->imm;
	struct plan_op op = { .from = base.slot, .add = base.add };

	op.to = (uint8_t)making->plan.words;
	if (making->plan.words++ >= PLAN_WORDS_MAX)
		making->failed = true;
	if (base.kind == NAME_KNOWN) {
		op.kind = PLAN_KNOWN;
		op.add += imm;
		add_op(making, !making->ordered, op);
		return known_name(base.slot, op.add);
	}
	op.kind = base.kind == NAME_LOADED ? PLAN_LOADED : PLAN_OTHER;
	if (base.kind == NAME_NONE)
		op.add = value_site(making->id, op.to - making->first_word);
	op.n = (int32_t)imm;
	making->failed |= op.kind == PLAN_LOADED && op.n != step->imm;
	add_op(making, false, op);
	write_name(making, step->rs, known_name((uint8_t)(PLAN_WORDS + op.to), -imm));
	return known_name((uint8_t)(PLAN_WORDS + op.to), 0);
}

static void store(struct making *making, struct name address, struct name value)
{
	struct plan_op op = { .from = address.slot, .add = address.add };

	if (value.kind == NAME_NONE)
		return;
	value = make_near(making, value);
	op.kind = value.kind == NAME_KNOWN ? PLAN_STORED : PLAN_COPIED;
	op.other = value.slot;
	op.n = (int32_t)value.add;
	op.to = (uint8_t)(making->plan.words ? making->plan.words - 1 : 0);
	add_op(making, false, op);
}

static void note_access(struct making *making, const struct value_step *step,
			struct name address)
{
	struct plan_access access = {
		.add = address.add,
		.from = address.slot,
		.kind = step->kind == OP_STORE ? WM_ACCESS_STORE : WM_ACCESS_LOAD,
		.size = (uint8_t)(1u << step->size),
		.insn = step->insn,
	};

	if (making->plan.access_count == PLAN_OPS_MAX)
		making->failed = true;
	else
		making->accesses[making->plan.access_count++] = access;
}

static void take_access(struct making *making, const struct value_step *step)
{
	bool is_wide = step->size == making->width;
	struct name address = step->in_lane ? take_word(making, step) :
					      sum_with(read_name(making, step->rs),
						       (uint64_t)step->imm);

	note_access(making, step, address);
	if (step->kind == OP_LOAD) {
		address.kind = is_wide ? NAME_LOADED : NAME_NONE;
		write_name(making, step->rd, address);
	} else if (is_wide && step->rt < VALUE_REGISTERS) {
		store(making, address, read_name(making, step->rt));
	}
}

static void take_step(struct making *making, const struct value_step *step)
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
		struct name one = read_name(making, step->rs);

		write_name(making, step->rd,
			   sum_of(making, one, read_name(making, step->rt)));
		break;
	}
	default:
		take_access(making, step);
	}
}

/* ---- plans ------------------------------------------------------------------------------ */

static void begin(struct making *making, const struct values_model *model)
{
	memset(&making->plan, 0, sizeof(making->plan));
	making->fresh = UINT32_MAX & ~1u;
	making->copies = 0;
	making->failed = false;
	making->width = model->width;
	for (uint8_t i = 0; i <= VALUE_REGISTERS; i++) {
		making->names[i] = (struct name){ .slot = i };
		if (values_knows(model, i))
			making->names[i].kind = NAME_KNOWN;
		else if (values_loaded(model, i))
			making->names[i].kind = NAME_LOADED;
	}
}

/* Registers that have another number in the end. */
static uint32_t moved(const struct making *making)
{
	uint32_t set = 0;

	for (uint8_t i = 1; i < VALUE_REGISTERS; i++)
		if (making->names[i].kind != NAME_NONE &&
		    (making->names[i].slot != i || making->names[i].add))
			set |= 1u << i;
	return set;
}

static unsigned add_moves(struct making *making, struct plan_op *moves)
{
	uint32_t set = moved(making);
	unsigned n = 0;

	for (uint8_t i = 1; i < VALUE_REGISTERS; i++) {
		struct name name = making->names[i];

		if (!(set >> i & 1))
			continue;
		if (name.slot < VALUE_REGISTERS && name.slot != i && set >> name.slot & 1)
			name = make_sum(making, name.slot, 0, name.add);
		moves[n++] = (struct plan_op){
			.kind = PLAN_MOVE, .to = i, .from = name.slot, .add = name.add
		};
	}
	return n;
}

/* Which registers are known and loaded in the end, and for which state it all was. */
static void settle(struct making *making, const struct values_model *model)
{
	struct plan *plan = &making->plan;

	plan->written = ~making->fresh & ~1u;
	for (uint8_t i = 1; i < VALUE_REGISTERS; i++) {
		if (making->fresh >> i & 1)
			continue;
		plan->now_known |= (uint32_t)(making->names[i].kind == NAME_KNOWN) << i;
		plan->now_loaded |= (uint32_t)(making->names[i].kind == NAME_LOADED) << i;
	}
	plan->known = (uint32_t)model->known & plan->read;
	plan->loaded = (uint32_t)model->loaded & plan->read;
}

static bool append_ops(struct plans *plans, const struct plan_op *ops, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		if (!APPEND(plans->ops, plans->op_count, ops[i]))
			return false;
	return true;
}

static bool append_all(struct plans *plans, struct making *making,
		       const struct plan_op *moves)
{
	struct plan *plan = &making->plan;

	plan->ops = plans->op_count;
	plan->accesses = plans->access_count;
	if (!append_ops(plans, making->checks, plan->checks) ||
	    !append_ops(plans, making->others, plan->others) ||
	    !append_ops(plans, moves, plan->moves))
		return false;
	for (unsigned i = 0; plans->ordered && i < plan->access_count; i++)
		if (!APPEND(plans->accesses, plans->access_count, making->accesses[i]))
			return false;
	return true;
}

/* Carries out blocks ids[n], or as many as a sequence can have: how many. */
static uint32_t take_blocks(struct making *making, const struct values_model *model,
			    const uint32_t *ids, size_t n)
{
	const struct value_programs *programs = model->programs;
	uint32_t done = 0;

	do {
		const struct value_program *program = &programs->of[ids[done]];
		const struct value_step *steps = programs->steps + program->first;

		making->id = ids[done];
		making->first_word = making->plan.words;
		for (uint32_t i = 0; i < program->count && !making->failed; i++)
			take_step(making, &steps[i]);
		done++;
		/* A long loop ends where it begins again; others are unrolled. */
	} while (done < n && done < SEQUENCE_BLOCKS &&
		 (done < SEQUENCE_BLOCKS / 2 || ids[done] != ids[0]) &&
		 programs->of[ids[done]].words + making->plan.words <= SEQUENCE_WORDS);
	return done;
}

static bool append_ids(struct plans *plans, struct plan *plan, const uint32_t *ids)
{
	plan->ids = plans->id_count;
	for (uint32_t i = 0; i < plan->blocks; i++)
		if (!APPEND(plans->ids, plans->id_count, ids[i]))
			return false;
	return true;
}

/* Makes one for the state of the model's registers; false: no memory. */
static bool make(struct plans *plans, const struct values_model *model,
		 const uint32_t *ids, size_t n)
{
	struct plan_op moves[VALUE_REGISTERS];
	struct making making;
	struct plan *plan = &making.plan;

	making.ordered = plans->ordered;
	begin(&making, model);
	plan->blocks = take_blocks(&making, model, ids, n);
	plan->hot = PLANS_HOT;
	plan->moves = (uint16_t)add_moves(&making, moves);
	settle(&making, model);
	if (making.failed)
		plan->ops = PLAN_NONE;
	else if (!append_all(plans, &making, moves))
		return false;
	return append_ids(plans, plan, ids) &&
	       APPEND(plans->all, plans->count, making.plan);
}

static bool know(struct plans *plans, uint32_t id)
{
	uint32_t n = id + id / 2 + 256;
	uint32_t *first;

	if (id < plans->known)
		return true;
	first = reallocarray(plans->first, n, sizeof(*first));
	if (!first)
		return false;
	memset(first + plans->known, 0, (n - plans->known) * sizeof(*first));
	plans->first = first;
	plans->known = n;
	return true;
}

/* Too many: those that are in use are made again. */
static void drop(struct plans *plans)
{
	memset(plans->first, 0, plans->known * sizeof(*plans->first));
	plans->count = plans->op_count = plans->access_count = plans->id_count = 0;
}

/* One more plan, in front of the others that begin with the same block. */
static struct plan *add_plan(struct plans *plans, const struct values_model *model,
			     const uint32_t *ids, size_t n)
{
	uint32_t first = plans->first[*ids];
	struct plan *plan;

	if (plans->op_count > PLANS_OPS) {
		drop(plans);
		return NULL;
	}
	if (!make(plans, model, ids, n))
		return NULL;
	plan = &plans->all[plans->count - 1];
	plan->next = first >= PLANS_COLD ? first - PLANS_COLD + 1 : 0;
	plans->first[*ids] = plans->count - 1 + PLANS_COLD;
	return plan->ops == PLAN_NONE ? NULL : plan;
}

/* ---- finding ---------------------------------------------------------------------------- */

static inline bool fits(const struct plans *plans, const struct plan *plan,
			const struct values_model *model, const uint32_t *ids, size_t n)
{
	const uint32_t *of = plans->ids + plan->ids;

	if (((uint32_t)model->known & plan->read) != plan->known ||
	    ((uint32_t)model->loaded & plan->read) != plan->loaded || n < plan->blocks)
		return false;
	/* The first one is the same. */
	for (uint32_t i = 1; i < plan->blocks; i++)
		if (of[i] != ids[i])
			return false;
	return true;
}

/*
 * A block that was planned often, by itself, begins a sequence: of what follows now, which is
 * likely to be what follows often. The next one must be twice as worth it.
 */
static struct plan *heat(struct plans *plans, const struct values_model *model,
			 struct plan *plan, const uint32_t *ids, size_t n)
{
	if (plan->blocks > 1 || ++plan->runs < plan->hot || n < SEQUENCE_BLOCKS ||
	    plans->ordered)
		return plan;
	plan->runs = 0;
	plan->hot *= 2;
	return add_plan(plans, model, ids, n);
}

struct plan *plans_find(struct plans *plans, const struct values_model *model,
			const uint32_t *ids, size_t n)
{
	uint32_t *first;
	unsigned others = 0;

	if (!know(plans, *ids))
		return NULL;
	first = &plans->first[*ids];
	if (*first + 1 < PLANS_COLD) {
		++*first;
		return NULL;
	}
	if (*first >= PLANS_COLD)
		for (uint32_t at = *first - PLANS_COLD + 1; at; others++) {
			struct plan *plan = &plans->all[at - 1];

			if (fits(plans, plan, model, ids, n)) {
				if (plan->ops == PLAN_NONE)
					return NULL;
				return others < PLANS_OF_BLOCK ?
					       heat(plans, model, plan, ids, n) :
					       plan;
			}
			at = plan->next;
		}
	return others < PLANS_OF_BLOCK ? add_plan(plans, model, ids, 1) : NULL;
}

bool plan_prepare(struct plans *plans, const struct values_model *model,
		  struct plan *plan)
{
	struct plan_op *op = plans->ops + plan->ops + plan->checks,
		       *end = op + plan->others;
	const uint32_t *ids = plans->ids + plan->ids;
	uint32_t words = 0;

	for (uint32_t i = 0; i < plan->blocks; i++) {
		const struct value_place *place = &model->places[ids[i]];
		uint32_t own = model->programs->of[ids[i]].words;

		if (place->epoch != model->epoch || place->pattern || place->room < own)
			return false;
		for (; op < end && op->to < words + own; op++)
			op->entry = place->first + op->to - words;
		words += own;
	}
	plan->ready = model->changes;
	return true;
}
