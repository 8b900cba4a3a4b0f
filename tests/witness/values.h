/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the witnesses of values (values.c) and registers (registers.c) note, and what tests/witness/accesses.c makes of a
 * trace: the same bytes, so that the two can be compared byte by byte.
 */
#ifndef TESTS_WITNESS_VALUES_H
#define TESTS_WITNESS_VALUES_H

#include <stdint.h>

enum values_kind {
	VALUES_ENTRY_LOAD = 0,
	VALUES_ENTRY_STORE = 1,
	VALUES_ENTRY_INSN = 2,	/* an instruction begins; the rest is 0 */
	VALUES_ENTRY_STALE = 3, /* a callback that no access of this instruction made */
	/* Of the register whose number `address` is, after the instruction: a new value. */
	VALUES_ENTRY_CHANGED = 4,
	VALUES_ENTRY_CALL = 5,	/* the instruction calls the kernel */
	VALUES_ENTRY_FIRST = 6, /* what a register has at the thread's start, if not 0 */
};

struct values_entry {
	uint64_t insn; /* ordinal of the instruction in its thread */
	uint64_t pc;
	uint64_t address;
	uint64_t data[2]; /* 0 when it is not wanted */
	uint32_t size;	  /* bytes */
	uint32_t kind;	  /* enum values_kind */
};

/* Instead of a list: how many there were, and a hash over all of them, in order. */
struct values_sum {
	uint64_t count, hash;
};

static inline uint64_t values_mix(uint64_t hash, uint64_t word)
{
	hash = (hash ^ word) * 0x9e3779b97f4a7c15;
	return hash ^ hash >> 29;
}

static inline void values_add(struct values_sum *sum, const struct values_entry *entry)
{
	uint64_t hash = values_mix(sum->hash, entry->insn);

	hash = values_mix(hash, entry->pc);
	hash = values_mix(hash, entry->address);
	hash = values_mix(hash, entry->data[0]);
	hash = values_mix(hash, entry->data[1]);
	sum->hash = values_mix(hash, (uint64_t)entry->size << 32 | entry->kind);
	sum->count++;
}

#endif
