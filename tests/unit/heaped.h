/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A trace whose allocators' values were recorded, made by hand, and what happened in it. */
#ifndef TESTS_HEAPED_H
#define TESTS_HEAPED_H

#include <stddef.h>
#include <stdint.h>

/* Objects begin at multiples of a step and are not longer than one. */
enum { HEAPED_START = 0x100000, HEAPED_STEP = 0x100, HEAPED_STEPS = 300 };
enum { HEAPED_CALLS = 4000 };

struct heaped {
	uint64_t insns; /* of its only thread */
	/* From instruction `insn` on; bytes 0: freed. */
	struct heaped_change {
		uint64_t insn, address, bytes;
	} history[3 * HEAPED_CALLS];
	size_t n_history;
	struct heaped_load {
		uint64_t insn, address;
	} loads[3 * HEAPED_CALLS];
	size_t n_loads;
};
extern struct heaped heaped;

/* Writes the trace, of so many calls; always the same. */
void heaped_make(const char *path, unsigned calls);
/* What lies at an address before an instruction: its bytes, and where it starts; 0: nothing. */
uint64_t heaped_at(uint64_t insn, uint64_t address, uint64_t *start);
/* A random number. */
uint64_t heaped_any(uint64_t below);

#endif
