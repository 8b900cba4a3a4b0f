/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What encoder and decoder of values know in common, and how each word is predicted.
 *
 * The model follows the guest's registers through the programs of the blocks that run: an
 * address that is a known register plus a constant is predicted from it, and an address
 * that came tells what its base register was. Other words are predicted from the same word
 * of the block's earlier executions. What comes true is not stored.
 *
 * Both sides must make the same changes in the same order, so they are here: a function
 * for each thing that happens, which gets `word`, the one difference between the sides. It
 * is told the prediction, and returns the word: the encoder takes it from the ring, the
 * decoder from the file. FORMAT.md, section 8, is normative.
 */
#ifndef FORMAT_VALUES_MODEL_H
#define FORMAT_VALUES_MODEL_H

#include "format/values_programs.h"

/* Of a chunk: entries that a writer begins another chunk at, and that no chunk exceeds. */
#define VALUES_ENTRIES_FULL (1u << 21)
#define VALUES_ENTRIES_MAX (1u << 23)
#define VALUES_WORDS_MAX (UINT64_C(1) << 32)

/* What is known of one word of a block from the executions before. */
struct value_entry {
	uint64_t last;
	/* Low halves of differences: the last that came twice in a row, and the latest. */
	int32_t stride, latest;
	bool used;
};

/* Of a block, in this chunk. */
struct value_place {
	uint32_t epoch;	      /* the chunk that the rest is of; another one: nothing is */
	uint32_t first, room; /* its entries */
	uint32_t pattern;     /* of its last execution */
};

struct values_model {
	const struct value_programs *programs;
	/* Number 32 is no register: it is never known, and may be written to. */
	uint64_t registers[VALUE_REGISTERS + 1];
	uint64_t known;	 /* bits of the registers that are known; bit 0 is always set */
	uint64_t mask;	 /* of a register's bits */
	uint64_t recent; /* the address before */
	bool data;	 /* accesses have data */

	struct value_entry *entries;
	uint32_t entry_count, entries_allocated;
	struct value_place *places; /* [places_known] by block id */
	uint32_t places_known;
	uint32_t epoch;

	/* The current block. */
	struct value_place *place;
	const struct value_step *step, *steps_end;
	uint32_t next; /* its next word */
};

/* A firing of a pattern: FORMAT.md, 8.3. */
struct value_firing {
	uint32_t what;
	uint16_t insn;
	uint8_t kind; /* enum value_kind */
	uint8_t size;
};

/* Whether kind and size are possible. */
bool value_firing_sound(const struct value_firing *firing);
/* Words that one has. */
unsigned value_firing_words(const struct value_firing *firing, bool data);

/* An access, or what a firing was of. */
struct value_access {
	uint64_t address;
	uint64_t data[2];
};

void values_model_fini(struct values_model *model);
/*
 * The state at the start of a chunk of blocks with these programs, which must stay while
 * the chunk lasts; they may become more.
 */
void values_model_begin(struct values_model *model,
			const struct value_programs *programs);
/* Makes a place for each block that is known; false without memory. */
bool values_model_know(struct values_model *model);
/*
 * Makes room for `words` entries of the current block; false without memory, or when the
 * chunk has too many.
 */
bool values_model_room(struct values_model *model, uint32_t words);

/* ---- what happens, one by one -------------------------------------------- */

#define VALUES_INLINE static inline __attribute__((always_inline))

struct values_model;
/* `model` is the first member of an encoder or a decoder. */
#define VALUE_WORD uint64_t (*word)(struct values_model *, uint64_t guess)

/* The low bytes of a number, 1 << size of them. */
VALUES_INLINE uint64_t value_low(uint64_t value, unsigned size)
{
	return size >= 3 ? value : value & ((UINT64_C(1) << (8u << size)) - 1);
}

/* What a load of 1 << size bytes leaves in its register. */
VALUES_INLINE uint64_t value_extended(uint64_t value, unsigned size, bool is_signed)
{
	unsigned shift = size >= 3 ? 0 : 64 - (8u << size);

	value <<= shift;
	return is_signed ? (uint64_t)((int64_t)value >> shift) : value >> shift;
}

VALUES_INLINE bool values_knows(const struct values_model *model, unsigned number)
{
	return model->known >> number & 1;
}

VALUES_INLINE void values_learn(struct values_model *model, unsigned number,
				uint64_t value, uint64_t is_known)
{
	model->registers[number] = value & model->mask;
	model->known = (model->known & ~(UINT64_C(1) << number)) | is_known << number;
}

/* Begins an execution of block `id`, which has a program and a place. */
VALUES_INLINE void values_enter(struct values_model *model, uint32_t id)
{
	const struct value_program *program = &model->programs->of[id];
	struct value_place *place = &model->places[id];

	if (place->epoch != model->epoch)
		*place = (struct value_place){ .epoch = model->epoch };
	model->place = place;
	model->step = model->programs->steps + program->first;
	model->steps_end = model->step + program->count;
	model->next = 0;
}

/* One word that nothing but its entry foretells. */
VALUES_INLINE uint64_t values_entry_word(struct values_model *model, VALUE_WORD,
					 struct value_entry *entry, bool is_address)
{
	uint64_t fresh = is_address ? model->recent : 0;
	uint64_t next = entry->last + (uint64_t)(int64_t)entry->stride;
	uint64_t got = word(model, entry->used ? next : fresh);
	int32_t step = entry->used ? (int32_t)(got - entry->last) : 0;

	/* One step out of the row, at the end of a line of a matrix, changes nothing. */
	if (step == entry->latest)
		entry->stride = step;
	entry->latest = step;
	entry->last = got;
	entry->used = true;
	return got;
}

/*
 * One word, whose entry is the next one of the block. When a register foretells it, that
 * is the guess, and the entry stays as it is.
 */
VALUES_INLINE uint64_t values_word(struct values_model *model, VALUE_WORD, bool foretold,
				   uint64_t guess, bool is_address)
{
	uint32_t number = model->place->first + model->next++;
	uint64_t got = foretold ? word(model, guess) :
				  values_entry_word(model, word, &model->entries[number],
						    is_address);

	if (is_address)
		model->recent = got;
	return got;
}

/* Loaded or stored data, the first word foretold or not. */
VALUES_INLINE void values_data(struct values_model *model, VALUE_WORD, bool foretold,
			       uint64_t guess, unsigned size, uint64_t data[2])
{
	data[0] = values_word(model, word, foretold, guess, false);
	if (value_data_words(size) > 1)
		data[1] = values_word(model, word, false, 0, false);
}

/* A step that is an access. */
VALUES_INLINE void values_access(struct values_model *model, VALUE_WORD,
				 const struct value_step *step,
				 struct value_access *access)
{
	uint64_t imm = (uint64_t)step->imm;
	bool is_store = step->kind == OP_STORE;

	access->address = (model->registers[step->rs] + imm) & model->mask;
	if (step->in_lane) {
		access->address = values_word(model, word, values_knows(model, step->rs),
					      access->address, true);
		if (step->rs)
			values_learn(model, step->rs, access->address - imm, 1);
	}
	if (model->data)
		values_data(model, word, is_store && values_knows(model, step->rt),
			    value_low(model->registers[is_store ? step->rt : 0],
				      step->size),
			    step->size, access->data);
	if (!is_store)
		values_learn(model, step->rd,
			     value_extended(access->data[0], step->size, step->is_signed),
			     model->data && step->rd != VALUE_NO_REGISTER);
}

/* A step that is none. */
VALUES_INLINE void values_step(struct values_model *model, const struct value_step *step)
{
	const uint64_t *registers = model->registers;
	uint64_t imm = (uint64_t)step->imm;

	switch (step->kind) {
	case OP_FORGET:
		model->known &= ~imm;
		break;
	case OP_SET:
		values_learn(model, step->rd, imm, 1);
		break;
	case OP_ADD:
		values_learn(model, step->rd, registers[step->rs] + imm,
			     values_knows(model, step->rs));
		break;
	case OP_SUM:
		values_learn(model, step->rd, registers[step->rs] + registers[step->rt],
			     values_knows(model, step->rs) &
				     values_knows(model, step->rt));
		break;
	}
}

VALUES_INLINE bool value_step_accesses(const struct value_step *step)
{
	return step->kind >= OP_LOAD;
}

/* Words of a step that is an access. */
VALUES_INLINE unsigned value_step_words(const struct value_step *step, bool data)
{
	return step->in_lane + (data ? value_data_words(step->size) : 0u);
}

/* What a firing was of; there must be room for its words. */
VALUES_INLINE void values_fire(struct values_model *model, VALUE_WORD,
			       const struct value_firing *firing,
			       struct value_access *access)
{
	bool is_register = value_is_register(firing->kind);
	unsigned words = value_firing_words(firing, model->data);

	access->address = firing->what & VALUE_NUMBER_MASK;
	if (!is_register)
		access->address = values_word(model, word, false, 0, true);
	if (is_register || words > 1)
		access->data[0] = values_word(model, word, false, 0, false);
	if (words > (is_register ? 1 : 2))
		access->data[1] = values_word(model, word, false, 0, false);
}

/* Whether a step of the same block comes before a firing. */
VALUES_INLINE bool value_step_before(const struct value_step *step,
				     const struct value_firing *firing)
{
	return step->insn < firing->insn ||
	       (step->insn == firing->insn && !value_comes_first(firing->kind));
}

#endif
