/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The collector's end of the shared memory: see format/arena.h. */
#ifndef COLLECT_MEMORY_H
#define COLLECT_MEMORY_H

#include "base/error.h"
#include "format/arena.h"

struct memory {
	int fd;
	struct board *board;
	uint32_t slots; /* arenas that fit; the board's copy is not trusted */
};

/* Anonymous shared memory for a recording, private to this user. */
int memory_create(struct memory *memory, struct wm_error *err);
/* The same in an empty memory that a plugin made. Closes `fd`, also on failure. */
int memory_adopt(struct memory *memory, int fd, struct wm_error *err);
void memory_fini(struct memory *memory);

/* Maps an arena; NULL when that cannot be. */
struct arena *memory_map(const struct memory *memory, uint32_t slot);
void memory_unmap(struct arena *arena);
/* The header of an arena that need not be mapped; looking allocates nothing. */
bool memory_header(const struct memory *memory, uint32_t slot,
		   struct arena_header *header);
/* Gives the pages of an arena back, and its slot to whoever wants it next. */
void memory_recycle(const struct memory *memory, uint32_t slot);
/*
 * A process that has the arena at `slot` mapped, neither this one nor `except`; 0: none.
 * The kernel is asked, by /proc/PID/maps of every process that may be looked at: that
 * takes milliseconds, so it is only for cases that counters and process ids do not decide.
 */
uint32_t memory_user(const struct memory *memory, uint32_t slot, uint32_t except);

#endif
