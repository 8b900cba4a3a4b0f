/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * This process's slot in the shared memory: taking one when the plugin is loaded, and
 * another one in each forked child. See format/arena.h.
 */
#ifndef PLUGIN_CORE_SLOT_H
#define PLUGIN_CORE_SLOT_H

#include <stdbool.h>
#include <stdint.h>

#include "format/arena.h"

/*
 * Where each vCPU's ids go, by vCPU index. The first LANES_MAX are the arena's own heads,
 * mapped over this array. From link_attach() on they are always valid to write to:
 * threads that are not recorded write to scratch memory that nobody reads.
 */
#define VCPUS_MAX (1u << 22) /* Linux has no more threads; memory only if used */
extern struct lane_head lane_heads[VCPUS_MAX] __attribute__((visibility("hidden")));
/* The same of their values; zeros that nobody reads when none are wanted. */
extern struct value_pages {
	uint8_t apart[VALUE_HEADS_OFF];
	struct value_head heads[VCPUS_MAX];
} value_pages __attribute__((visibility("hidden")));

static inline struct value_head *value_head(unsigned vcpu)
{
	return &value_pages.heads[vcpu];
}

/*
 * Maps the memory of descriptor `fd`, closes it, and takes a slot. `guide` is the name of the
 * program's, or NULL; by it `fetches` of bytecode are recorded. Reports failure on stderr.
 */
bool slot_open(int fd, const char *guide, bool fetches);
struct board *slot_board(void);
/* Whether the descriptor is of the memory that is mapped. */
bool slot_is_memory(int fd);
struct arena *slot_arena(void);
/* Lanes used so far: indexes below it. */
uint32_t slot_lanes(void);
/* Where ids of a vCPU go: to its lane, or to scratch memory when it has none. */
uint32_t *slot_ids(unsigned vcpu);
/* The same of its values; NULL when the board asks for none. */
uint64_t *slot_words(unsigned vcpu);
/* Makes the slot ready: the collector may look. Only the first time does anything. */
void slot_ready(void);
/*
 * In a child forked at `begin_ns`: takes a slot of its own, with the `inherited` ids it
 * has; false when it gets none, which is counted on the board. What is at lane_heads[]
 * and slot_arena() is its own or, without a slot, private memory that nobody reads.
 */
bool slot_fork(uint32_t inherited, uint64_t begin_ns);
/* The same for a child that is not to be recorded, or cannot be. */
void slot_leave(void);

#endif
