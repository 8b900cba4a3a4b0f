/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Plans: what executions of blocks do, worked out once.
 *
 * A program (format/values_programs.h) goes from operation to operation. Most of them only
 * move numbers between registers, and which of its words a register foretells depends on
 * nothing but which registers are known or loaded when it begins. So for such a state its
 * plan lists what is left to do: words to compare, words to predict otherwise, stores into
 * cells, and what the registers have in the end.
 *
 * A plan is good for executions that do all accesses, fire nothing, record no data, and whose
 * foretold words all are as foretold. Its outcome is that of format/values_model.h, which does
 * all others. The plan of a *sequence* does that for several blocks at once.
 */
#ifndef FORMAT_VALUES_PLAN_H
#define FORMAT_VALUES_PLAN_H

#include "format/values_model.h"

/*
 * A slot is where a number is when the plan is carried out: below PLAN_SLOTS in
 * model->registers, the registers when the block begins and numbers that were worked out; from
 * PLAN_WORDS on word `slot - PLAN_WORDS` of these executions. What a number is, is a slot and a
 * constant to be added; slot 0 is 0.
 */
#define PLAN_WORDS 64u
#define PLAN_WORDS_MAX (256u - PLAN_WORDS - 1)

enum plan_op_kind {
	PLAN_SUM,    /* slot `to` = from + other + add */
	PLAN_KNOWN,  /* word `to` should be from + add */
	PLAN_LOADED, /* word `to` is n from what was loaded from address from + add */
	PLAN_OTHER,  /* word `to` is predicted by what came before */
	PLAN_STORED, /* the memory cell of address from + add becomes other + n */
	PLAN_COPIED, /* it becomes that of the address other + n */
	PLAN_MOVE,   /* register `to` = from + add */
};

/*
 * In 16 bytes. `entry` is the word's, see plan_ready(); `site` is that of a PLAN_OTHER, for
 * value_site().
 */
struct plan_op {
	union {
		uint64_t add;
		struct {
			int32_t near; /* of PLAN_LOADED, instead of `add` */
			uint32_t entry;
		};
	};
	union {
		int32_t n;
		uint32_t site;
	};
	uint8_t kind;
	uint8_t to, from, other; /* slots; a word's number in `to` */
};

/* One cache line. */
struct plan {
	/* For which executions it is: states of the registers in `read`. */
	uint32_t read, known, loaded;
	/* Registers in `written` are in one of these sets afterwards, or in none. */
	uint32_t written, now_known, now_loaded;
	uint32_t id;	/* its first block */
	uint32_t ids;	/* of a sequence: its blocks, in plans->lines */
	uint32_t ops;	/* the first one; PLAN_NONE: it cannot be carried out */
	uint32_t then;	/* the one that was carried out after it, plus 1; 0: none */
	uint64_t ready; /* as of which of model->changes its entries are right */
	/*
	 * So many ops of each kind follow each other: first sums and known words; then
	 * those that change entries, cells and strings; then moves.
	 */
	uint16_t others;
	uint8_t checks, moves;
	/* Of one block: how often it was carried out, and when a sequence is worth it. */
	uint16_t runs;
	uint8_t hot;	/* log2 of that */
	uint8_t blocks; /* so many */
	uint8_t words;
};
_Static_assert(sizeof(struct plan) == 64, "one cache line");

#define PLAN_NONE UINT32_MAX
/* Executions of a block before a plan is made. */
#define PLANS_COLD 8u
#define SEQUENCE_BLOCKS 16u

/*
 * The plans that begin with one block: sequences, the latest first, then single ones. In one
 * cache line, so that most of those that do not fit are not looked at.
 */
#define PLAN_SET 8u
struct plan_set {
	uint32_t tags[PLAN_SET]; /* of a sequence's first blocks; 0: of one block */
	uint32_t plans[PLAN_SET]; /* plus 1; 0: none, and none follows */
};
_Static_assert(sizeof(struct plan_set) == 64, "one cache line");

/* The blocks of a sequence. */
struct plan_line {
	uint32_t ids[SEQUENCE_BLOCKS];
};

/* Plans of blocks, made when they are worth it. All zeros: none. */
struct plans {
	uint32_t *first; /* [known]: below PLANS_COLD a count; else a set, plus that */
	uint32_t known;
	/* Each in one cache line. */
	struct plan_set *sets;
	struct plan *all;
	struct plan_line *lines;
	uint32_t set_count, sets_allocated;
	uint32_t count, allocated;
	uint32_t line_count, lines_allocated;
	struct plan_op *ops;
	uint32_t op_count;
	uint32_t last; /* the plan found last, plus 1; 0: none */
};

void plans_fini(struct plans *plans);
size_t plans_memory(const struct plans *plans);

/*
 * The plan for the next of blocks ids[n], at least one, which have programs, and for the state
 * of the model's registers; NULL: there is none, yet or at all. Valid until the next call.
 */
struct plan *plans_find(struct plans *plans, const struct values_model *model,
			const uint32_t *ids, size_t n);
/*
 * Whether the blocks' places are such that it can be carried out. Looks up its entries when
 * places have changed.
 */
bool plan_prepare(struct plans *plans, const struct values_model *model,
		  struct plan *plan);

VALUES_INLINE bool plan_ready(struct plans *plans, const struct values_model *model,
			      struct plan *plan)
{
	return plan->ready == model->changes || plan_prepare(plans, model, plan);
}

/* What a slot and a constant are, the words of the execution being words[]. */
VALUES_INLINE uint64_t plan_value(const struct values_model *model, const uint64_t *words,
				  unsigned slot, uint64_t add)
{
	const uint64_t *from = slot < PLAN_WORDS ? model->registers : words - PLAN_WORDS;

	return (from[slot] + add) & model->mask;
}

/* Carries out a PLAN_SUM. */
VALUES_INLINE void plan_sum(struct values_model *model, const uint64_t *words,
			    const struct plan_op *op)
{
	model->registers[op->to] = (plan_value(model, words, op->from, op->add) +
				    plan_value(model, words, op->other, 0)) &
				   model->mask;
}

/* The word of a PLAN_OTHER, and of a PLAN_LOADED from `address`. */
VALUES_INLINE uint64_t plan_other(struct values_model *model, VALUE_WORD,
				  const struct plan_op *op, uint64_t before)
{
	return values_other_at(model, word, &model->entries[op->entry],
			       value_site(op->site), before);
}

VALUES_INLINE uint64_t plan_loaded(struct values_model *model, VALUE_WORD,
				   const struct plan_op *op, uint64_t address,
				   uint64_t before)
{
	return values_loaded_at(model, word, &model->entries[op->entry],
				values_memory(model, address), (uint64_t)(int64_t)op->n,
				before);
}

/* What a PLAN_STORED or PLAN_COPIED stores. */
VALUES_INLINE uint64_t plan_stored(const struct values_model *model,
				   const uint64_t *words, const struct plan_op *op)
{
	uint64_t value = plan_value(model, words, op->other, (uint64_t)(int64_t)op->n);

	return op->kind == PLAN_STORED ? value : *values_memory(model, value);
}

/* The state of the registers after it; what they have, its moves say. */
VALUES_INLINE void plan_done(const struct plan *plan, struct values_model *model)
{
	model->known = (model->known & ~(uint64_t)plan->written) | plan->now_known;
	model->loaded = (model->loaded & ~(uint64_t)plan->written) | plan->now_loaded;
}

#endif
