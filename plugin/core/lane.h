/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Writing an id to a lane: the one thing that happens for every block that runs. */
#ifndef PLUGIN_CORE_LANE_H
#define PLUGIN_CORE_LANE_H

#include "plugin/core/slot.h"

#define LANE_AHEAD 512 /* bytes that a lane's lines are asked for ahead of its head */

#ifdef __x86_64__
#define CAN_ASK_FOR_LINES __attribute__((target("prfchw")))
#else
#define CAN_ASK_FOR_LINES
#endif

/*
 * The hot path: fourteen instructions, and two cache lines of data. head is only written
 * here and by link_segment_end(), so a plain load and a release store suffice: whoever
 * sees the new head sees the id. The lines ahead were read by the collector: they are
 * asked for early, because taking one back from another core can last longer than filling
 * it does. (CPUs that cannot do so ignore it; the memory after the ring may be
 * fetched.)
 *
 * True when a segment is full: then the caller calls link_segment_end().
 */
CAN_ASK_FOR_LINES static inline bool lane_store(unsigned vcpu, uint32_t id)
{
	struct lane_head *lane = &lane_heads[vcpu];
	uint32_t head = atomic_load_explicit(&lane->head, memory_order_relaxed);
	char *at = (char *)lane->ids + head;

	__builtin_prefetch(at + LANE_AHEAD, 1);
	*(uint32_t *)at = id;
	head += sizeof(uint32_t);
	atomic_store_explicit(&lane->head, head, memory_order_release);
	return __builtin_expect(head % (LANE_SEGMENT * sizeof(uint32_t)) == 0, 0);
}

/* How many ids of its segment come before the next one. */
static inline uint32_t lane_in_segment(unsigned vcpu)
{
	return atomic_load_explicit(&lane_heads[vcpu].head, memory_order_relaxed) /
	       sizeof(uint32_t) % LANE_SEGMENT;
}

#endif
