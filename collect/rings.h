/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The memory of the lanes' rings. Pages that a thread has written to stay allocated, so
 * many threads need much memory. Beyond a bound the rings are *tight*: pages go back to
 * the system as soon as their ids are taken, and threads wait sooner for the collector.
 */
#ifndef COLLECT_RINGS_H
#define COLLECT_RINGS_H

#include <stdbool.h>
#include <stddef.h>

#include "collect/memory.h"

struct rings {
	size_t bound;
	size_t bytes; /* in use of all shared memory, at the last look */
	bool tight;
};

/* Measures how much of the shared memory is in use. */
void rings_look(struct rings *rings, const struct memory *memory);
/*
 * Ids from position `from` to `to` of a lane have been taken, and its tail has not been
 * moved yet. Frees their pages, if the rings are tight; after that the tail may move.
 */
void rings_taken(const struct rings *rings, struct arena *arena, unsigned vcpu,
		 uint64_t from, uint64_t to);

/* The same of its values, and words. */
void rings_values_taken(const struct rings *rings, struct arena *arena, unsigned vcpu,
			uint64_t from, uint64_t to);

#endif
