/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the witness of whole machines saw of each hart, in a file that outlives QEMU. */
#ifndef TESTS_WITNESS_HARTS_H
#define TESTS_WITNESS_HARTS_H

#include <stdint.h>

#define HARTS_MAX 64

/* A number of instructions, and a hash of their addresses in their order. */
struct harts_sum {
	uint64_t insns, hash;
};

struct harts_seen {
	struct harts_sum before; /* the block entered last */
	struct harts_sum now;
};

static inline void harts_add(struct harts_sum *sum, uint64_t address)
{
	sum->insns++;
	sum->hash = (sum->hash ^ address) * UINT64_C(0x9e3779b97f4a7c15);
	sum->hash ^= sum->hash >> 29;
}

#endif
