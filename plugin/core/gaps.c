// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The gap's id is made when it is first needed, under link_lock(), before any code that
 * stores it is translated. So the functions that run with the guest take no lock. Until
 * then it is 0, which is also what lane_last() returns for a lane without ids: such a
 * thread counts as being in a gap.
 */
#include "plugin/core/gaps.h"

#include "plugin/core/block_ids.h"
#include "plugin/core/lane.h"
#include "plugin/core/link.h"

static uint32_t gap;

void gaps_prepare(void)
{
	if (!gap)
		gap = block_ids_add_gap();
}

void gaps_enter(unsigned vcpu)
{
	/*
	 * Two gaps in a row would mean no more than one, and a waiting thread would fill
	 * its ring with them.
	 */
	if (lane_last(&lane_heads[vcpu], vcpu) == gap)
		return;
	value_head(vcpu)->block = 0;
	value_head(vcpu)->place = gap;
	if (lane_store(vcpu, gap))
		link_segment_end(vcpu);
}

bool gaps_has(uint32_t id)
{
	return id == gap;
}

uint64_t gaps_insns(unsigned vcpu)
{
	return lane_passed(&lane_heads[vcpu]);
}
