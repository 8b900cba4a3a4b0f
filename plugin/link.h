/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The plugin's end of the arena: sending messages, waiting for room, and letting go
 * when the collector is no more. See format/arena.h.
 */
#ifndef PLUGIN_LINK_H
#define PLUGIN_LINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format/arena.h"

/*
 * Where each vCPU's ids go, by vCPU index. The first LANES_MAX are the arena's own heads,
 * mapped over this array. From link_attach() on they are always valid to write to:
 * threads that are not recorded write to scratch memory that nobody reads.
 */
#define LINK_VCPUS_MAX (1u << 22) /* Linux has no more threads; memory only if used */
extern struct lane_head link_heads[LINK_VCPUS_MAX] __attribute__((visibility("hidden")));

/* Maps the arena behind descriptor `fd` and closes it; says what failed on stderr. */
bool link_open(int fd);
/* True until the collector is gone, or this is a forked child. */
bool link_alive(void);
struct arena *link_arena(void);

/* The guest runs: from now on there is something to record. Callers hold link_lock(). */
void link_begin(void);

/* One part of a message. */
struct part {
	const void *data;
	size_t bytes;
};
/*
 * Sends the concatenation of parts[n] as one message, waiting for room if it must.
 * Callers hold link_lock(), so that messages that belong together stay in order.
 */
void link_send(enum message_type type, const struct part *parts, unsigned n);
void link_lock(void);
void link_unlock(void);

/* A vCPU begins to write to lane `vcpu`, or to scratch where there is no such lane. */
void link_attach(unsigned vcpu);
/* A lane's segment is full: wakes the collector, waits until there is room for one more. */
void link_segment_end(unsigned vcpu);
/* The process ends: waits (while the collector lives) until the file is finished. */
void link_finish(void);

#endif
