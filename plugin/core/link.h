/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The plugin's end of the arena: sending messages, waiting for room, and giving up when
 * the collector is gone. See format/arena.h.
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

/* Maps the memory of descriptor `fd` and closes it. Reports failure on stderr. */
bool link_open(int fd, const char *guide, bool fetches);
/*
 * For a plugin that was loaded by hand: starts `waymark collect` (the command `waymark`,
 * or the one that belongs to this plugin when NULL) writing to `out`, and waits until it
 * is ready. Returns a descriptor for link_open(), or -1 after a sentence on stderr.
 */
int spawn_collector(const char *out, const char *waymark);
/* False when the collector is gone, or in a child that is not recorded. */
bool link_alive(void);
/* Whether a program that this process becomes by execve() is to be recorded, if it can be. */
bool link_follows(void);

/* The guest begins to run: the collector may look at this process. */
void link_begin(void);
/* Whether it has begun. */
bool link_has_begun(void);
/*
 * Around fork(). The first two keep other threads from sending meanwhile, so no message
 * is half written. link_in_child() gives the child, which has `inherited` ids, an arena
 * of its own; false: this child is not recorded.
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
/* Waits until the collector has handled all messages so far, or is gone. */
void link_settle(void);
void link_lock(void);
void link_unlock(void);
/*
 * Whether the recorder wants events of this kind. `kind` must be a compile-time constant.
 */
static inline bool link_keeps(unsigned kind)
{
	return EVENTS_BUILT >> kind & 1 &&
	       atomic_load_explicit(&slot_board()->orders.events, memory_order_relaxed) >>
			       kind &
		       1;
}

/* Whether the recorder or a probe does. Ask before computing an event's fields. */
static inline bool link_wants(unsigned kind)
{
	return link_keeps(kind) || probes_on(kind);
}

/*
 * Sends an event of vCPU `vcpu`, at its present position, to the recorder and to probes
 * if they want it. Takes the lock. `text` may be NULL.
 */
void link_event(unsigned vcpu, uint32_t kind, const uint64_t *fields, unsigned n,
		const char *text);
/*
 * The same; the caller holds the lock. LANE_NONE for `vcpu`: an event without a thread.
 */
void link_event_locked(unsigned vcpu, uint32_t kind, const uint64_t *fields, unsigned n,
		       const char *text);
/* Sends it to the recorder even if that does not want its kind. Takes the lock. */
void link_event_needed(unsigned vcpu, uint32_t kind, const uint64_t *fields, unsigned n);
/*
 * The block that vCPU `vcpu` entered last is complete, but for what link_left() said of it: it
 * makes a system call, or will not go on.
 */
void link_called(unsigned vcpu);
/* Whether it has entered no block since then. */
bool link_has_called(unsigned vcpu);
/*
 * The block it entered last was left at `pc`. Nothing if it is complete. `done`: the instruction
 * there was run alone and is over. Takes the lock.
 */
void link_left(unsigned vcpu, uint64_t pc, bool done);
/* How many blocks vCPU `vcpu` has entered since its lane began. */
uint64_t link_position(unsigned vcpu);

/* The id of the block, or gap, that it entered last; 0: none yet. */
uint32_t link_last_id(unsigned vcpu);

/*
 * A vCPU begins to write to lane `vcpu`, or to scratch memory when there is no such lane.
 */
void link_attach(unsigned vcpu);
/*
 * A lane's segment is full: wakes the collector, waits until there is room for one more.
 */
void link_segment_end(unsigned vcpu);
/* The same of its values. */
void link_values_end(unsigned vcpu);
/* The process exits: it will write nothing more. */
void link_exit(void);

#endif
