/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What encoder and decoder of values know in common, and how each word is predicted.
 *
 * The model follows the guest's registers through the programs of the blocks that run: an
 * address that is a known register plus a constant is predicted from it, and an address
 * that came tells what its base register was. A register that was loaded is not known, but
 * the address that it came from is: what was there when it was last seen, loaded or stored,
 * predicts it. That is kept in *cells*, a table that forgets what others overwrite. Other
 * words are predicted from the same word of the block's earlier executions, or from what
 * followed the word before, which is in the cells, too. What comes true is not stored.
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
#define VALUE_CELLS_BITS 15
#define VALUE_CELLS (1u << VALUE_CELLS_BITS)
#define VALUE_CALLS 64u
#define VALUE_SLOTS 256u

/* What is known of one word of a block from the executions before. */
struct value_entry {
	uint64_t last;
	/* Low halves of differences: the last that came twice in a row, and the latest. */
	int32_t stride, latest;
	/* How often last + stride was right and the cell of the context wrong, or less. */
	int8_t trust;
	bool used;
	/* Of fetches: below 0 they call, above 0 they return; and so many bytes behind a call */
	int8_t role;
	uint8_t back;
	/* which is so many below the latest: twice in a row, and the latest time. */
	uint8_t depth, latest_depth;
};
#define VALUE_TRUST_MAX 3
#define VALUE_TRUST_MIN (-4)

/* Of a block, in this chunk. */
struct value_place {
	uint32_t epoch;	      /* the chunk that the rest is of; another one: nothing is */
	uint32_t first, room; /* its entries */
	uint32_t pattern;     /* of its last execution */
};

/*
 * What nearly every step changes. A walk over several steps takes a copy of it, which is in
 * registers then, and puts it back.
 */
struct values_now {
	uint64_t known; /* bits of the registers that are known; bit 0 is always set */
	/*
	 * The word before. It is here so that `known` and `loaded` are not neighbours: a
	 * compiler would read both at once, and wait for one that was just written alone.
	 */
	uint64_t before;
	/* Of those that are not known, bits of these that were loaded: registers[] says from where. */
	uint64_t loaded;
	uint64_t run; /* of a decoder: how many words are as predicted; see there */
	/* Of the current block: its entries, and which word comes next. */
	struct value_entry *entries;
	uint32_t next;
};

struct values_model {
	const struct value_programs *programs;
	/*
	 * Number 32 is no register: it is never known, and may be written to. The numbers
	 * above are for plans (format/values_plan.h).
	 */
	uint64_t registers[VALUE_SLOTS];
	struct values_now now;
	uint64_t mask;	 /* bits of a register */
	uint64_t *cells; /* [VALUE_CELLS]; 0: nothing */
	uint8_t width;	 /* log2 of a register's bytes */
	bool data;	 /* accesses have data */
	bool fetches;	 /* loads are fetches */

	struct value_entry *entries;
	uint32_t entry_count, entries_allocated;
	struct value_place *places; /* [places_known] by block id */
	uint32_t places_known;
	uint32_t epoch;
	uint64_t changes; /* of places, in all chunks: entries that moved, patterns */

	/* The current block. */
	struct value_place *place;
	const struct value_step *step, *steps_end;
	uint32_t id;

	/* Of fetches: words before calls that are not back, in a ring, and the latest of them. */
	uint32_t top;
	uint64_t calls[VALUE_CALLS];
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
/* Bytes that it has allocated. */
size_t values_model_memory(const struct values_model *model);
/*
 * The state at the start of a chunk of blocks with these programs, which must stay while
 * the chunk lasts; they may become more.
 */
void values_model_begin(struct values_model *model,
			const struct value_programs *programs);
/* Makes cells, and a place for each block that is known; false without memory. */
bool values_model_know(struct values_model *model);
/*
 * Makes room for `words` entries of the current block; false without memory, or when the
 * chunk has too many.
 */
bool values_model_room(struct values_model *model, uint32_t words);

/*
 * A fetch, which no register foretells: what it should be, and what is learned from what it is
 * (format/values_fetches.c).
 */
uint64_t values_fetch_guess(struct values_model *model, const struct value_entry *entry,
			    uint64_t site, uint64_t before);
void values_fetch_learn(struct values_model *model, struct value_entry *entry,
			uint64_t site, uint64_t before, uint64_t got);

/* ---- what happens, one by one -------------------------------------------- */

#define VALUES_INLINE static inline __attribute__((always_inline))

struct values_model;
/*
 * The next word: the prediction `guess` came true, or the word is told by its distance from
 * `from`. `model` is the first member of an encoder or a decoder. `now` is the model's, or a
 * copy.
 */
#define VALUE_WORD                                                                       \
	uint64_t (*word)(struct values_model *, struct values_now * now, uint64_t guess, \
			 uint64_t from)

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

VALUES_INLINE bool values_knows(const struct values_now *now, unsigned number)
{
	return now->known >> number & 1;
}

VALUES_INLINE bool values_loaded(const struct values_now *now, unsigned number)
{
	return now->loaded >> number & 1;
}

/* `value` is what the register has, or where it was loaded from, or nothing. */
VALUES_INLINE void values_learn(struct values_model *model, struct values_now *now,
				unsigned number, uint64_t value, uint64_t is_known,
				uint64_t is_loaded)
{
	uint64_t others = ~(UINT64_C(1) << number);

	model->registers[number] = value & model->mask;
	now->known = (now->known & others) | is_known << number;
	now->loaded = (now->loaded & others) | is_loaded << number;
}

/* Of what memory has at an address: neighbours are neighbours. */
VALUES_INLINE uint64_t *values_memory(const struct values_model *model, uint64_t address)
{
	address >>= model->width;
	return &model->cells[(address ^ address >> VALUE_CELLS_BITS) & (VALUE_CELLS - 1)];
}

/* Of a word of a block: 8 times the block, and the word's number. */
VALUES_INLINE uint64_t value_site(uint64_t number)
{
	return number * UINT64_C(0xd1b54a32d192ed03);
}

/* Of what the word of a site was after the word before. */
VALUES_INLINE uint64_t *values_context(const struct values_model *model, uint64_t before,
				       uint64_t site)
{
	uint64_t mixed = before * UINT64_C(0x9e3779b97f4a7c15) + site;

	return &model->cells[mixed >> (64 - VALUE_CELLS_BITS)];
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
	model->now.entries = model->entries + place->first;
	model->now.next = 0;
	model->id = id;
}

/* What the entry alone foretells. */
VALUES_INLINE uint64_t value_entry_guess(const struct value_entry *entry, uint64_t before)
{
	return entry->used ? entry->last + (uint64_t)(int64_t)entry->stride : before;
}

VALUES_INLINE void value_entry_learn(struct value_entry *entry, uint64_t got)
{
	int32_t step = entry->used ? (int32_t)(got - entry->last) : 0;

	/* One step out of the row, at the end of a line of a matrix, changes nothing. */
	if (step == entry->latest)
		entry->stride = step;
	entry->latest = step;
	entry->last = got;
	entry->used = true;
}

/* Which of two predictions to take the next time: the one that is right more often. */
VALUES_INLINE void value_entry_judge(struct value_entry *entry, bool own, bool other)
{
	int trust = entry->trust + own - other;

	if (trust <= VALUE_TRUST_MAX && trust >= VALUE_TRUST_MIN)
		entry->trust = (int8_t)trust;
}

/* The same for one that is trusted: most cells would only be overwritten by what strides. */
VALUES_INLINE uint64_t values_trusted_at(struct values_model *model,
					 struct values_now *now, VALUE_WORD,
					 struct value_entry *entry)
{
	uint64_t own = entry->last + (uint64_t)(int64_t)entry->stride;
	uint64_t got = word(model, now, own, entry->last);

	if (__builtin_expect(got == own, 1)) {
		/* What value_entry_learn() comes to. */
		entry->latest = entry->stride;
		entry->last = got;
	} else {
		entry->trust--;
		value_entry_learn(entry, got);
	}
	return got;
}

/* The word of an entry, of which nothing is known but what came before. */
VALUES_INLINE uint64_t values_other_at(struct values_model *model, struct values_now *now,
				       VALUE_WORD, struct value_entry *entry,
				       uint64_t site, uint64_t before)
{
	uint64_t own, other, got, *cell;

	if (entry->trust == VALUE_TRUST_MAX)
		return values_trusted_at(model, now, word, entry);
	cell = values_context(model, before, site);
	own = value_entry_guess(entry, before);
	other = *cell;
	got = word(model, now, entry->trust < 0 ? other : own, entry->last);
	value_entry_judge(entry, got == own, got == other);
	value_entry_learn(entry, got);
	return *cell = got;
}

/* The same at `imm` from a register that was loaded from where `cell` is of. */
VALUES_INLINE uint64_t values_loaded_at(struct values_model *model,
					struct values_now *now, VALUE_WORD,
					struct value_entry *entry, uint64_t *cell,
					uint64_t imm, uint64_t before)
{
	uint64_t guess = *cell ? (*cell + imm) & model->mask :
				 value_entry_guess(entry, before);
	uint64_t got = word(model, now, guess, entry->last);

	value_entry_learn(entry, got);
	*cell = (got - imm) & model->mask;
	return got;
}

/* The entry of the block's next word. */
VALUES_INLINE struct value_entry *values_next(struct values_now *now)
{
	return &now->entries[now->next++];
}

VALUES_INLINE uint64_t values_other_word(struct values_model *model,
					 struct values_now *now, VALUE_WORD)
{
	uint64_t site = value_site(UINT64_C(8) * model->id + now->next);

	return now->before = values_other_at(model, now, word, values_next(now), site,
					     now->before);
}

/* The address of a load, where nothing is known of it. */
VALUES_INLINE uint64_t values_load_word(struct values_model *model,
					struct values_now *now, VALUE_WORD)
{
	uint64_t site = value_site(UINT64_C(8) * model->id + now->next);
	uint64_t before = now->before, got;
	struct value_entry *entry;

	if (!model->fetches)
		return values_other_word(model, now, word);
	entry = values_next(now);
	got = word(model, now, values_fetch_guess(model, entry, site, before), before);
	values_fetch_learn(model, entry, site, before, got);
	return now->before = got;
}

/* One word that a register foretells: the entry stays as it is. */
VALUES_INLINE uint64_t values_known_word(struct values_model *model,
					 struct values_now *now, VALUE_WORD,
					 uint64_t guess)
{
	now->next++;
	return now->before = word(model, now, guess, guess);
}

/* The address of an access in the lane. */
VALUES_INLINE uint64_t values_address(struct values_model *model, struct values_now *now,
				      VALUE_WORD, const struct value_step *step)
{
	uint64_t base = model->registers[step->rs], imm = (uint64_t)step->imm;

	if (values_knows(now, step->rs))
		return values_known_word(model, now, word, (base + imm) & model->mask);
	if (values_loaded(now, step->rs))
		return now->before = values_loaded_at(model, now, word, values_next(now),
						      values_memory(model, base), imm,
						      now->before);
	if (step->kind == OP_LOAD)
		return values_load_word(model, now, word);
	return values_other_word(model, now, word);
}

/* Loaded or stored data, the first word foretold or not. */
VALUES_INLINE void values_data(struct values_model *model, struct values_now *now,
			       VALUE_WORD, bool foretold, uint64_t guess, unsigned size,
			       uint64_t data[2])
{
	data[0] = foretold ? values_known_word(model, now, word, guess) :
			     values_other_word(model, now, word);
	if (value_data_words(size) > 1)
		data[1] = values_other_word(model, now, word);
}

/* Where data are not recorded: what a store leaves in memory, as far as it helps. */
VALUES_INLINE void values_stored(struct values_model *model, const struct values_now *now,
				 uint64_t address, unsigned number)
{
	uint64_t value = model->registers[number];

	if (values_knows(now, number))
		*values_memory(model, address) = value;
	else if (values_loaded(now, number))
		*values_memory(model, address) = *values_memory(model, value);
}

/* A step that is an access. */
VALUES_INLINE void values_access(struct values_model *model, struct values_now *now,
				 VALUE_WORD, const struct value_step *step,
				 struct value_access *access)
{
	uint64_t imm = (uint64_t)step->imm;
	bool is_store = step->kind == OP_STORE, is_wide = step->size == model->width;

	access->address = (model->registers[step->rs] + imm) & model->mask;
	if (step->in_lane) {
		access->address = values_address(model, now, word, step);
		if (step->rs)
			values_learn(model, now, step->rs, access->address - imm, 1, 0);
	}
	if (model->data)
		values_data(model, now, word, is_store && values_knows(now, step->rt),
			    value_low(model->registers[is_store ? step->rt : 0],
				      step->size),
			    step->size, access->data);
	else if (is_store && is_wide)
		values_stored(model, now, access->address, step->rt);
	if (is_store || step->rd == VALUE_NO_REGISTER)
		return;
	if (model->data)
		values_learn(model, now, step->rd,
			     value_extended(access->data[0], step->size, step->is_signed),
			     1, 0);
	else
		values_learn(model, now, step->rd, access->address, 0, is_wide);
}

/* A step that is none. */
VALUES_INLINE void values_step(struct values_model *model, struct values_now *now,
			       const struct value_step *step)
{
	const uint64_t *registers = model->registers;
	uint64_t imm = (uint64_t)step->imm;

	switch (step->kind) {
	case OP_FORGET:
		now->known &= ~imm;
		now->loaded &= ~imm;
		break;
	case OP_SET:
		values_learn(model, now, step->rd, imm, 1, 0);
		break;
	case OP_ADD:
		/* A copy of what was loaded was loaded. */
		values_learn(model, now, step->rd, registers[step->rs] + imm,
			     values_knows(now, step->rs),
			     values_loaded(now, step->rs) & !imm);
		break;
	case OP_SUM:
		values_learn(model, now, step->rd,
			     registers[step->rs] + registers[step->rt],
			     values_knows(now, step->rs) & values_knows(now, step->rt),
			     0);
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
VALUES_INLINE void values_fire(struct values_model *model, struct values_now *now,
			       VALUE_WORD, const struct value_firing *firing,
			       struct value_access *access)
{
	bool is_register = value_is_register(firing->kind);
	unsigned words = value_firing_words(firing, model->data);

	access->address = firing->what & VALUE_NUMBER_MASK;
	if (firing->kind == VALUE_LOAD)
		access->address = values_load_word(model, now, word);
	else if (!is_register)
		access->address = values_other_word(model, now, word);
	if (is_register || words > 1)
		access->data[0] = values_other_word(model, now, word);
	if (words > (is_register ? 1 : 2))
		access->data[1] = values_other_word(model, now, word);
}

/* Whether a step of the same block comes before a firing. */
VALUES_INLINE bool value_step_before(const struct value_step *step,
				     const struct value_firing *firing)
{
	return step->insn < firing->insn ||
	       (step->insn == firing->insn && !value_comes_first(firing->kind));
}

#endif
