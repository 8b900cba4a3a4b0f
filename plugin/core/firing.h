/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writing values: words into a vCPU's ring of values, and firings, whose words are there
 * before their id is in the lane of ids. See format/values.h.
 */
#ifndef PLUGIN_CORE_FIRING_H
#define PLUGIN_CORE_FIRING_H

#include "plugin/core/lane.h"
#include "plugin/core/link.h"

/* Like lane_store(): the collector sees the word when it sees the new head. */
CAN_ASK_FOR_LINES static inline void value_store(unsigned vcpu, uint64_t word)
{
	struct value_head *values = value_head(vcpu);
	uint32_t head = atomic_load_explicit(&values->head, memory_order_relaxed);
	char *at = (char *)values->words + head;

	__builtin_prefetch(at + LANE_AHEAD, 1);
	*(uint64_t *)at = word;
	head += sizeof(uint64_t);
	atomic_store_explicit(&values->head, head, memory_order_release);
	if (__builtin_expect(head % (VALUE_SEGMENT * sizeof(uint64_t)) == 0, 0))
		link_values_end(vcpu);
}

/* Before a firing's words: a thread that dies now leaves words that no id stands for. */
static inline void firing_begin(unsigned vcpu)
{
	struct value_head *values = value_head(vcpu);

	atomic_store_explicit(&values->firing, atomic_load(&values->head) + 1,
			      memory_order_release);
}

/* After them. */
CAN_ASK_FOR_LINES static inline void firing_end(unsigned vcpu, uint32_t id)
{
	if (lane_store(vcpu, id))
		link_segment_end(vcpu);
	atomic_store_explicit(&value_head(vcpu)->firing, 0, memory_order_release);
}

#endif
