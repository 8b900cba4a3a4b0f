// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * When a machine starts, paging is off, so the addresses at which blocks were translated are
 * true. Of the words of the CPU state only one is each block's address at its entry: the
 * program counter. With segments (x86) it is the sum of two words, the program counter and,
 * behind it, the base of the code segment; these are near the beginning of the state.
 *
 * What begins anew where nothing is left: a machine that was loaded from a snapshot may enter
 * a block at another address. One with segments that was loaded has bases of 0, and many words
 * are 0: then the pair is taken whose words are as far apart as in QEMU 10.2 (16 and 27) and 11.1
 * (32 and 43), if one alone is left of these.
 *
 * Example: x86's first block is at 0xfffffff0: word 16 is 0xfff0, and word 27 0xffff0000.
 */
#include "plugin/system/counter.h"

enum {
	STATE_WORDS = 1024,
	PAIR_WORDS = 96,    /* of these, with segments */
	ENTRIES_ENOUGH = 6, /* of different blocks, to be sure */
	DISTANCE = 11,	    /* from one word to the other */
};

/* Under link_lock(). */
static struct {
	bool out[STATE_WORDS];			/* this word was not a block's address */
	bool out_pairs[PAIR_WORDS][PAIR_WORDS]; /* nor were these two */
	uint64_t address;			/* of the block entered last */
	unsigned entries;
} learning;

static uint64_t word_at(const uint8_t *state, size_t i)
{
	return state_word(state, i * sizeof(uint64_t));
}

/* How many words are left; *counter gets one of them. */
static unsigned learn_word(struct counter *counter, uint64_t address,
			   const uint8_t *state)
{
	unsigned left = 0;

	for (size_t i = 0; i < STATE_WORDS; i++) {
		learning.out[i] |= word_at(state, i) != address;
		if (learning.out[i])
			continue;
		left++;
		*counter = (struct counter){ .pc_off = i * sizeof(uint64_t) };
	}
	return left;
}

static bool is_sum(uint64_t address, uint64_t pc, uint64_t base)
{
	return pc + base == address || (base && ((pc + base) & UINT32_MAX) == address);
}

static void take_pair(struct counter *counter, size_t pc, size_t base)
{
	counter->pc_off = pc * sizeof(uint64_t);
	counter->base_off = base * sizeof(uint64_t);
}

/* The same of pairs. */
static unsigned learn_pair(struct counter *counter, uint64_t address,
			   const uint8_t *state)
{
	unsigned left = 0, likely = 0;
	size_t likely_pc = 0;

	for (size_t pc = 0; pc < PAIR_WORDS; pc++)
		for (size_t base = pc + 1; base < PAIR_WORDS; base++) {
			bool *out = &learning.out_pairs[pc][base];

			*out = *out ||
			       !is_sum(address, word_at(state, pc), word_at(state, base));
			if (*out)
				continue;
			left++;
			take_pair(counter, pc, base);
			if (base - pc != DISTANCE || !word_at(state, pc))
				continue;
			likely++;
			likely_pc = pc;
		}
	if (left > 1 && likely == 1) {
		take_pair(counter, likely_pc, likely_pc + DISTANCE);
		left = 1;
	}
	return left;
}

bool counter_learn(struct counter *counter, uint64_t address, const uint8_t *state,
		   bool segments)
{
	unsigned left;

	learning.entries += address != learning.address;
	learning.address = address;
	left = segments ? learn_pair(counter, address, state) :
			  learn_word(counter, address, state);
	if (!left)
		memset(&learning, 0, sizeof(learning));
	return left == 1 && learning.entries >= ENTRIES_ENOUGH;
}
