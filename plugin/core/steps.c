// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A translation reaches the same end from wherever in it one begins. So there is a block of
 * one instruction, and another that has the same in its middle, only when QEMU wanted no
 * more than the one; and that is when it has just left the other.
 */
#include "plugin/core/steps.h"

#include "plugin/core/link.h"
#include "plugin/core/pieces.h"
#include "plugin/core/tb_code.h"

/* Whether the block has an instruction at `address` that is not its last. */
static bool is_inside(const struct interner *blocks, uint32_t id, uint64_t address)
{
	uint8_t sizes[BLOCK_INSNS_MAX];
	uint64_t at;
	uint32_t bytes, insns;

	intern_code(blocks, id, &at, &bytes);
	if (address <= at || address - at >= bytes)
		return false; /* mostly so, and soon seen: the code is part of these bytes */
	insns = tb_code_sizes(blocks, id, &at, sizes);
	for (uint32_t i = 0; i + 1 < insns; at += sizes[i++])
		if (at == address)
			return true;
	return false;
}

/* QEMU does not say which vCPU it translates for: any will do that stands at such a block. */
bool steps_is_one(const struct interner *blocks, uint64_t address)
{
	uint32_t lanes = slot_lanes();

	for (uint32_t vcpu = 0; vcpu < lanes; vcpu++) {
		uint32_t last = link_last_id(vcpu);

		if (last && last <= blocks->count && is_inside(blocks, last, address))
			return true;
	}
	return false;
}

void steps_on_entry(unsigned vcpu, void *address)
{
	if (vcpu >= LANES_MAX || !link_alive())
		return;
	pieces_left(vcpu, (uintptr_t)address);
	link_left(vcpu, (uintptr_t)address);
}
