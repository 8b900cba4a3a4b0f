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

#define SEQUENCES_OF_BLOCK (PLAN_SET / 2)
#define SEQUENCE_LEAST 4u  /* blocks */
#define SEQUENCE_WORDS 96u
#define CACHE_LINE 64u
#define PLAN_OPS_MAX 254u /* of a plan, of each kind; larger blocks have none */
#define HOT_LEAST 6	  /* log2 of executions of a block before its first sequence */
#define HOT_MOST 15
#define PREFETCHED 4	     /* lines of ops */
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
	unsigned check_count, other_count;
	uint32_t words;
	struct plan_op checks[PLAN_OPS_MAX], others[PLAN_OPS_MAX];
	unsigned copies;
	uint32_t id, first_word; /* of the block, and its first word */
	uint8_t width;		 /* log2 of a register's bytes */
	bool failed;
};

void plans_fini(struct plans *plans)
{
	free(plans->first);
	free(plans->sets);
	free(plans->all);
	free(plans->lines);
	free(plans->ops);
	*plans = (struct plans){ 0 };
}

static void plans_drop(struct plans *plans)
{
	if (plans->known)
		memset(plans->first, 0, plans->known * sizeof(*plans->first));
	plans->set_count = plans->count = plans->line_count = plans->op_count = 0;
	plans->last = 0;
}

size_t plans_memory(const struct plans *plans)
{
	return plans->known * sizeof(*plans->first) +
	       plans->sets_allocated * sizeof(*plans->sets) +
	       plans->allocated * sizeof(*plans->all) +
	       plans->lines_allocated * sizeof(*plans->lines) +
	       plans->op_count * sizeof(*plans->ops);
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
	unsigned *n = check ? &making->check_count : &making->other_count;

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
		add_op(making, true, op);
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

	op.to = (uint8_t)making->words;
	if (making->words++ >= PLAN_WORDS_MAX)
		making->failed = true;
	if (base.kind == NAME_KNOWN) {
		op.kind = PLAN_KNOWN;
		op.add += imm;
		add_op(making, true, op);
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
	op.to = (uint8_t)(making->words ? making->words - 1 : 0);
	add_op(making, false, op);
}

static void take_access(struct making *making, const struct value_step *step)
{
	bool is_wide = step->size == making->width;
	struct name address = step->in_lane ? take_word(making, step) :
					      sum_with(read_name(making, step->rs),
						       (uint64_t)step->imm);

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
	making->check_count = making->other_count = 0;
	making->words = 0;
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

	/* There is an array, also when no plan has an operation: it is added to. */
	if (!plans->ops && !APPEND(plans->ops, plans->op_count, ((struct plan_op){ 0 })))
		return false;
	plan->ops = plans->op_count;
	if (!append_ops(plans, making->checks, plan->checks) ||
	    !append_ops(plans, making->others, plan->others) ||
	    !append_ops(plans, moves, plan->moves))
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
		making->first_word = making->words;
		for (uint32_t i = 0; i < program->count && !making->failed; i++)
			take_step(making, &steps[i]);
		done++;
		/* A long loop ends where it begins again; others are unrolled. */
	} while (done < n && done < SEQUENCE_BLOCKS &&
		 (done < SEQUENCE_BLOCKS / 2 || ids[done] != ids[0]) &&
		 making->words + programs->of[ids[done]].words <= SEQUENCE_WORDS);
	return done;
}

/*
 * Room for one more of `count` elements, each in a cache line of its own: the array, or NULL
 * without memory, and then the old one stays.
 */
static void *grow_lines(void *array, uint32_t count, uint32_t *allocated)
{
	uint32_t n = *allocated + *allocated / 2 + 64;
	void *all;

	if (count < *allocated)
		return array;
	all = aligned_alloc(CACHE_LINE, (size_t)n * CACHE_LINE);
	if (!all)
		return NULL;
	if (count)
		memcpy(all, array, (size_t)count * CACHE_LINE);
	free(array);
	*allocated = n;
	return all;
}

#define GROW_LINES(array, count, allocated)                              \
	({                                                               \
		void *grown_ = grow_lines(array, count, &(allocated));   \
		_Static_assert(sizeof(*(array)) == CACHE_LINE, "lines"); \
		if (grown_)                                              \
			(array) = grown_;                                \
		grown_ != NULL;                                          \
	})

static bool append_ids(struct plans *plans, struct plan *plan, const uint32_t *ids)
{
	plan->id = *ids;
	if (plan->blocks == 1)
		return true;
	if (!GROW_LINES(plans->lines, plans->line_count, plans->lines_allocated))
		return false;
	plan->ids = plans->line_count++;
	memcpy(plans->lines[plan->ids].ids, ids, plan->blocks * sizeof(*ids));
	return true;
}

/* Makes one for the state of the model's registers; false: no memory. */
static bool make(struct plans *plans, const struct values_model *model,
		 const uint32_t *ids, size_t n)
{
	struct plan_op moves[VALUE_REGISTERS];
	struct making making;
	struct plan *plan = &making.plan;

	begin(&making, model);
	plan->blocks = (uint8_t)take_blocks(&making, model, ids, n);
	plan->hot = HOT_LEAST;
	plan->moves = (uint8_t)add_moves(&making, moves);
	settle(&making, model);
	plan->checks = (uint8_t)making.check_count;
	plan->others = (uint16_t)making.other_count;
	plan->words = (uint8_t)making.words;
	if (making.failed)
		plan->ops = PLAN_NONE;
	else if (!append_all(plans, &making, moves))
		return false;
	if (!append_ids(plans, plan, ids) ||
	    !GROW_LINES(plans->all, plans->count, plans->allocated))
		return false;
	plans->all[plans->count++] = *plan;
	return true;
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

/* The set of a block that has none yet; NULL: no memory. */
static struct plan_set *add_set(struct plans *plans, uint32_t id)
{
	if (!GROW_LINES(plans->sets, plans->set_count, plans->sets_allocated))
		return NULL;
	plans->first[id] = PLANS_COLD + plans->set_count;
	plans->sets[plans->set_count] = (struct plan_set){ 0 };
	return &plans->sets[plans->set_count++];
}

/* Of a sequence: never 0. */
static inline uint32_t tag_of(const uint32_t *ids)
{
	return (ids[1] * 0x9e3779b1u + ids[2] * 0x85ebca6bu + ids[3] * 0xc2b2ae35u) | 1;
}

/* Puts a plan into a set; a sequence before all others. */
static void join(struct plan_set *set, uint32_t plan, uint32_t tag)
{
	unsigned sequences = 0, at;

	while (sequences < PLAN_SET && set->tags[sequences])
		sequences++;
	if (tag) {
		/* The oldest one makes way, or the last single one. */
		at = sequences < SEQUENCES_OF_BLOCK ? PLAN_SET - 1 : sequences - 1;
		memmove(set->tags + 1, set->tags, at * sizeof(*set->tags));
		memmove(set->plans + 1, set->plans, at * sizeof(*set->plans));
		at = 0;
	} else {
		for (at = sequences; at < PLAN_SET - 1 && set->plans[at];)
			at++;
	}
	set->tags[at] = tag;
	set->plans[at] = plan + 1;
}

/* One more plan of blocks that begin with that of the set. */
static struct plan *add_plan(struct plans *plans, const struct values_model *model,
			     struct plan_set *set, const uint32_t *ids, size_t n)
{
	struct plan *plan;

	/* Those that are in use are made again. */
	if (plans->op_count > PLANS_OPS) {
		plans_drop(plans);
		return NULL;
	}
	if (!make(plans, model, ids, n))
		return NULL;
	plan = &plans->all[plans->count - 1];
	/* One that cannot be carried out says so, but hides no single ones. */
	if (plan->blocks == 1 || plan->ops != PLAN_NONE)
		join(set, plans->count - 1, plan->blocks > 1 ? tag_of(ids) : 0);
	return plan->ops == PLAN_NONE ? NULL : plan;
}

/* ---- finding ---------------------------------------------------------------------------- */

static inline bool fits_state(const struct plan *plan, const struct values_model *model)
{
	return ((uint32_t)model->known & plan->read) == plan->known &&
	       ((uint32_t)model->loaded & plan->read) == plan->loaded;
}

static inline bool fits_ids(const struct plans *plans, const struct plan *plan,
			    const uint32_t *ids)
{
	const uint32_t *of = plans->lines[plan->ids].ids;
	unsigned last = plan->blocks - 1;
	uint64_t differ = of[last] ^ ids[last], one, other;

	for (unsigned i = 0; i < last; i += 2) {
		memcpy(&one, of + i, sizeof(one));
		memcpy(&other, ids + i, sizeof(other));
		differ |= one ^ other;
	}
	return !differ;
}

static inline bool fits(const struct plans *plans, const struct plan *plan,
			const struct values_model *model, const uint32_t *ids, size_t n)
{
	if (plan->blocks == 1)
		return plan->id == *ids && fits_state(plan, model);
	return n >= plan->blocks && fits_state(plan, model) && fits_ids(plans, plan, ids);
}

/*
 * A block that was planned often, by itself, begins a sequence: of what follows now, which is
 * likely to be what follows often. The next one must be twice as worth it.
 */
static struct plan *heat(struct plans *plans, const struct values_model *model,
			 struct plan_set *set, struct plan *plan, const uint32_t *ids,
			 size_t n)
{
	const struct value_program *of = model->programs->of;

	if (n < SEQUENCE_BLOCKS || ++plan->runs >> plan->hot == 0)
		return plan;
	plan->runs = 0;
	plan->hot += plan->hot < HOT_MOST;
	if (of[ids[0]].words + of[ids[1]].words > SEQUENCE_WORDS)
		return plan;
	return add_plan(plans, model, set, ids, n);
}

/* Among the plans of a set. */
static struct plan *search_set(struct plans *plans, const struct values_model *model,
			       struct plan_set *set, const uint32_t *ids, size_t n)
{
	uint32_t tag = n >= SEQUENCE_LEAST ? tag_of(ids) : 0;
	struct plan *plan;

	for (unsigned i = 0; i < PLAN_SET && set->plans[i]; i++) {
		if (set->tags[i] && set->tags[i] != tag)
			continue;
		plan = &plans->all[set->plans[i] - 1];
		if (!fits(plans, plan, model, ids, n))
			continue;
		if (plan->ops == PLAN_NONE)
			return NULL;
		return plan->blocks > 1 ? plan : heat(plans, model, set, plan, ids, n);
	}
	return set->plans[PLAN_SET - 1] ? NULL : add_plan(plans, model, set, ids, 1);
}

static struct plan *search(struct plans *plans, const struct values_model *model,
			   const uint32_t *ids, size_t n)
{
	struct plan_set *set;
	uint32_t first;

	if (!know(plans, *ids))
		return NULL;
	first = plans->first[*ids];
	if (first < PLANS_COLD) {
		if (first + 1 < PLANS_COLD) {
			plans->first[*ids]++;
			return NULL;
		}
		set = add_set(plans, *ids);
		return set ? add_plan(plans, model, set, ids, 1) : NULL;
	}
	return search_set(plans, model, &plans->sets[first - PLANS_COLD], ids, n);
}

/* Sequences are long enough to fetch what is likely to come next meanwhile. */
static void prefetch(const struct plans *plans, const struct plan *plan)
{
	const struct plan *then = &plans->all[plan->then - 1];
	const char *ops;

	if (!plan->then || then->ops == PLAN_NONE)
		return;
	ops = (const char *)(plans->ops + then->ops);
	for (unsigned i = 0; i < PREFETCHED; i++)
		__builtin_prefetch(ops + 64 * i);
	__builtin_prefetch(&plans->lines[then->ids]);
	if (then->then)
		__builtin_prefetch(&plans->all[then->then - 1]);
}

struct plan *plans_find(struct plans *plans, const struct values_model *model,
			const uint32_t *ids, size_t n)
{
	struct plan *last = plans->last ? &plans->all[plans->last - 1] : NULL, *plan;

	if (last && last->then) {
		plan = &plans->all[last->then - 1];
		if (fits(plans, plan, model, ids, n)) {
			plans->last = last->then;
			prefetch(plans, plan);
			return plan;
		}
	}
	plan = search(plans, model, ids, n);
	/* Plans may have moved. Those of one block are too many to be fetched before. */
	if (plan && plans->last && plan->blocks > 1)
		plans->all[plans->last - 1].then = (uint32_t)(plan - plans->all) + 1;
	plans->last = plan ? (uint32_t)(plan - plans->all) + 1 : 0;
	return plan;
}

bool plan_prepare(struct plans *plans, const struct values_model *model,
		  struct plan *plan)
{
	struct plan_op *op = plans->ops + plan->ops + plan->checks,
		       *end = op + plan->others;
	const uint32_t *ids = plan->blocks > 1 ? plans->lines[plan->ids].ids : &plan->id;
	uint32_t words = 0;

	for (uint32_t i = 0; i < plan->blocks; i++) {
		const struct value_place *place = &model->places[ids[i]];
		uint32_t own = model->programs->of[ids[i]].words;

		if (place->epoch != model->epoch || place->pattern || place->room < own)
			return false;
		for (; op < end && op->to < words + own; op++)
			if (op->kind == PLAN_OTHER || op->kind == PLAN_LOADED)
				op->entry = place->first + op->to - words;
		words += own;
	}
	plan->ready = model->changes;
	return true;
}
