/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The memory of the lanes' rings: pages that a thread has once written to stay, so with many
 * threads they become much. Beyond a bound they are *tight*: what is taken of a ring goes
 * back to the system at once, and threads wait sooner for the collector.
 */
#ifndef COLLECT_RINGS_H
#define COLLECT_RINGS_H

#include <stdbool.h>
#include <stddef.h>

#include "collect/memory.h"

struct rings {
	size_t bound;
	size_t bytes; /* of all shared memory, when it was looked at last */
	bool tight;
};

/* Looks how much of the shared memory is in use. */
void rings_look(struct rings *rings, const struct memory *memory);
/*
 * When they are tight: ids from position `from` to `to` of a lane have been taken, and its
 * writer has not been told so. Afterwards it may be.
 */
void rings_taken(const struct rings *rings, struct arena *arena, unsigned vcpu,
		 uint64_t from, uint64_t to);

#endif
