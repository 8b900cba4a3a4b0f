/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the witness of whole machines saw of each hart, in a file that outlives QEMU. */
#ifndef TESTS_WITNESS_HARTS_H
#define TESTS_WITNESS_HARTS_H

#include <stdbool.h>
#include <stdint.h>

#define HARTS_MAX 64

/* A number of instructions, and a hash of their addresses in their order. */
struct harts_sum {
	uint64_t insns, hash;
};

/* The same of accesses to memory, where they are wanted. */
struct harts_seen {
	struct harts_sum before; /* the block entered last */
	struct harts_sum now;
	struct harts_sum accesses_before, accesses;
	struct harts_sum written; /* registers that got another value */
	uint64_t registers[64];	  /* as the first instruction found them */
	uint64_t watched;	  /* bit n: register n */
};

static inline void harts_add(struct harts_sum *sum, uint64_t address)
{
	sum->insns++;
	sum->hash = (sum->hash ^ address) * UINT64_C(0x9e3779b97f4a7c15);
	sum->hash ^= sum->hash >> 29;
}

/* An access by the instruction at `pc`; data of 16 bytes at most, 0 where it is not wanted. */
static inline void harts_add_access(struct harts_sum *sum, uint64_t pc, uint64_t address,
				    uint32_t bytes, bool is_store, const uint64_t data[2])
{
	harts_add(sum, pc);
	harts_add(sum, address);
	harts_add(sum, (uint64_t)bytes << 1 | is_store);
	harts_add(sum, data[0]);
	harts_add(sum, data[1]);
}

#endif
