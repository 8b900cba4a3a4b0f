/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where the program counter is in QEMU's CPU state. */
#ifndef PLUGIN_SYSTEM_COUNTER_H
#define PLUGIN_SYSTEM_COUNTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Offsets in the state. */
struct counter {
	size_t pc_off;
	size_t base_off; /* of the segment that it counts in */
};

/*
 * A block at `address`, which is its true one, is entered. True when that was enough: then
 * *counter is filled in. `segments`: addresses are sums. Callers hold link_lock().
 */
bool counter_learn(struct counter *counter, uint64_t address, const uint8_t *state,
		   bool segments);

static inline uint64_t state_word(const uint8_t *state, size_t off)
{
	uint64_t word;

	memcpy(&word, state + off, sizeof(word));
	return word;
}

#endif
