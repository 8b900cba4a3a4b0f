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
 * A slot is an element of model->registers: below PLAN_WORDS a register when the block begins or a
 * number that was worked out, from PLAN_WORDS on word `slot - PLAN_WORDS` of these executions, which
 * plan_words() copies there; the slot before has the word before. What a number is, is a slot and a
 * constant to be added; slot 0 is 0.
 */
#define PLAN_WORDS 64u
#define PLAN_WORDS_MAX (VALUE_SLOTS - PLAN_WORDS - 1)

/*
 * What an op does: by its place in the plan, or of those that change entries, cells and strings by
 * its kind.
 *
 *	sum	slot `to` = from + other + add
 *	check	word `to` should be from + add
 *	move	register `to` = from + add
 */
enum plan_op_kind {
	PLAN_LOADED, /* word `to` is n from what was loaded from address from + add */
	PLAN_OTHER,  /* word `to` is predicted by what came before */
	PLAN_STORED, /* the memory cell of address from + add becomes other + n */
	PLAN_COPIED, /* it becomes that of the address other + n */
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

struct plan {
	/* For which executions it is: states of the registers in `read`. */
	uint32_t read, known, loaded;
	/* Registers in `written` are in one of these sets afterwards, or in none. */
	uint32_t written, now_known, now_loaded;
	uint32_t id;	/* its first block */
	uint32_t then;	/* the one that was carried out after it, plus 1; 0: none */
	uint64_t ready; /* as of which of model->changes its entries are right */
	/* How many ops it has: sums, then checks, then those with kinds, then moves. */
	uint16_t others;
	uint8_t sums, checks, moves;
	/* Of one block: how often it was carried out, and when a sequence is worth it. */
	uint16_t runs;
	uint8_t hot;	/* log2 of that */
	uint8_t blocks; /* so many */
	uint8_t words;
	bool failed; /* it cannot be carried out, and has no ops */
};

#define SEQUENCE_BLOCKS 8u
#define SEQUENCE_WORDS 96u
#define PLAN_LINE 64u /* bytes of a cache line */

/*
 * A plan is a few cache lines in a row, so that a processor fetches the next ones by itself:
 * the plan, the ids of its blocks if it is a sequence, and its ops.
 */
struct plan_line {
	union {
		struct plan plan;
		uint32_t ids[SEQUENCE_BLOCKS];
		struct plan_op ops[4];
	};
};
_Static_assert(sizeof(struct plan_line) == PLAN_LINE, "one cache line");

/* Its blocks. */
static inline const uint32_t *plan_ids(const struct plan *plan)
{
	return plan->blocks > 1 ? ((const struct plan_line *)plan)[1].ids : &plan->id;
}

static inline struct plan_op *plan_ops(struct plan *plan)
{
	return ((struct plan_line *)plan)[plan->blocks > 1 ? 2 : 1].ops;
}

enum name_kind { NAME_NONE, NAME_KNOWN, NAME_LOADED };

/* What a register is: slot + add, or what was loaded from there. */
struct plan_name {
	uint64_t add;
	uint8_t kind; /* enum name_kind */
	uint8_t slot;
};

#define PLAN_OPS_MAX 254u /* of a plan, of each kind; larger blocks have none */

/* A plan in the making. Its ops are sums[], checks[], others[] and moves[]. */
struct plan_making {
	struct plan plan;
	struct plan_name names[VALUE_REGISTERS + 1];
	uint32_t fresh; /* registers that still are as they were when the block began */
	struct plan_ops {
		unsigned count;
		struct plan_op all[PLAN_OPS_MAX];
	} sums, checks, others;
	struct plan_op moves[VALUE_REGISTERS];
	uint32_t words;
	uint32_t id, first_word; /* of the block, and its first word */
	uint8_t width;		 /* log2 of a register's bytes */
	bool failed;
};

/*
 * Makes a plan of blocks ids[n], or of as many of the first ones as a sequence can have, for
 * the state of the model's registers.
 */
void plan_make(struct plan_making *making, const struct values_model *model,
	       const uint32_t *ids, size_t n);
/*
 * Whether the blocks' places are such that it can be carried out. Looks up its entries when
 * places have changed.
 */
bool plan_prepare(const struct values_model *model, struct plan *plan);

VALUES_INLINE bool plan_ready(const struct values_model *model, struct plan *plan)
{
	return plan->ready == model->changes || plan_prepare(model, plan);
}

/* What a slot and a constant are. */
VALUES_INLINE uint64_t plan_value(const struct values_model *model, unsigned slot,
				  uint64_t add)
{
	return (model->registers[slot] + add) & model->mask;
}

/* Carries out a sum. */
VALUES_INLINE void plan_sum(struct values_model *model, const struct plan_op *op)
{
	model->registers[op->to] =
		(model->registers[op->from] + model->registers[op->other] + op->add) &
		model->mask;
}

/* The word of a PLAN_OTHER, and of a PLAN_LOADED from `address`. */
VALUES_INLINE uint64_t plan_other(struct values_model *model, VALUE_WORD,
				  const struct plan_op *op, uint64_t before)
{
	return values_other_at(model, &model->now, word, &model->entries[op->entry],
			       value_site(op->site), before);
}

VALUES_INLINE uint64_t plan_loaded(struct values_model *model, VALUE_WORD,
				   const struct plan_op *op, uint64_t address,
				   uint64_t before)
{
	return values_loaded_at(model, &model->now, word, &model->entries[op->entry],
				values_memory(model, address), (uint64_t)(int64_t)op->n,
				before);
}

/* What a PLAN_STORED or PLAN_COPIED stores. */
VALUES_INLINE uint64_t plan_stored(const struct values_model *model,
				   const struct plan_op *op)
{
	uint64_t value = plan_value(model, op->other, (uint64_t)(int64_t)op->n);

	return op->kind == PLAN_STORED ? value : *values_memory(model, value);
}

/* The state of the registers after it; what they have, its moves say. */
VALUES_INLINE void plan_done(const struct plan *plan, struct values_model *model)
{
	struct values_now *now = &model->now;

	now->known = (now->known & ~(uint64_t)plan->written) | plan->now_known;
	now->loaded = (now->loaded & ~(uint64_t)plan->written) | plan->now_loaded;
}

#endif
