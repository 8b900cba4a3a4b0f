/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The plugin's end of the arena: sending messages, waiting for room, and letting go
 * when the collector is no more. See format/arena.h.
 */
#ifndef PLUGIN_CORE_LINK_H
#define PLUGIN_CORE_LINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format/arena.h"
#include "format/events.h"
#include "plugin/core/probes.h"
#include "plugin/core/slot.h"

/* Maps the memory behind descriptor `fd` and closes it; says what failed on stderr. */
bool link_open(int fd);
/* True until the collector is gone, or this is a child that is not recorded. */
bool link_alive(void);
/* Whether programs that this process becomes are to be recorded, as far as is known. */
bool link_follows(void);

/* The guest runs: from now on there is something to record. */
void link_begin(void);
/* Whether it does. */
bool link_has_begun(void);
/*
 * Around fork(): no other thread is in the middle of a message, and the child, which has
 * `inherited` ids, gets a place of its own; false in one that is not recorded.
 */
void link_before_fork(void);
void link_after_fork(void);
void link_fork_failed(void);
bool link_in_child(uint32_t inherited);

/* One part of a message. */
struct message_part {
	const void *data;
	size_t bytes;
};
/*
 * Sends the concatenation of parts[n] as one message, waiting for room if it must.
 * Callers hold link_lock(), so that messages that belong together stay in order.
 */
void link_send(enum message_type type, const struct message_part *parts, unsigned n);
/* Waits until the collector, as long as it lives, has done what all messages so far told. */
void link_settle(void);
void link_lock(void);
void link_unlock(void);
/* Whether the recorder takes events of a kind, a constant. */
static inline bool link_keeps(unsigned kind)
{
	return EVENTS_BUILT >> kind & 1 &&
	       atomic_load_explicit(&slot_board()->orders.events, memory_order_relaxed) >>
			       kind &
		       1;
}

/* Whether anyone does: to be asked before anything is gathered for one. */
static inline bool link_wants(unsigned kind)
{
	return link_keeps(kind) || probes_on(kind);
}

/*
 * Sends an event of vCPU `vcpu`, at where it is now, to whoever takes it; takes the lock.
 * `text` may be NULL.
 */
void link_event(unsigned vcpu, uint32_t kind, const uint64_t *fields, unsigned n,
		const char *text);
/* The same for who holds the lock. A vCPU of LANE_NONE: it has only a time. */
void link_event_locked(unsigned vcpu, uint32_t kind, const uint64_t *fields, unsigned n,
		       const char *text);
/* Sends it to the recorder although it is of a kind that nobody wants. */
void link_event_needed(unsigned vcpu, uint32_t kind, const uint64_t *fields, unsigned n);
/* vCPU `vcpu` makes a system call: the block it entered last is complete. */
void link_called(unsigned vcpu);
/* Whether it has entered no other block since then. */
bool link_has_called(unsigned vcpu);
/* The block it entered last was left at `pc`, unless it is complete; takes the lock. */
void link_left(unsigned vcpu, uint64_t pc);
/* How many blocks vCPU `vcpu` has entered since its lane began. */
uint64_t link_position(unsigned vcpu);

/* The id it entered last; 0: none yet. */
uint32_t link_last_id(unsigned vcpu);

/* A vCPU begins to write to lane `vcpu`, or to scratch where there is no such lane. */
void link_attach(unsigned vcpu);
/* A lane's segment is full: wakes the collector, waits until there is room for one more. */
void link_segment_end(unsigned vcpu);
/* The process ends in order: nothing more will come. */
void link_exit(void);

#endif
