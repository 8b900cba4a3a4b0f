// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A translation ends at the same instruction wherever in the block it begins. So if QEMU
 * makes a block of one instruction, and another block has that instruction in its middle,
 * QEMU wanted this one instruction only. That happens right after it has left the other
 * block there.
 *
 * Example: the block [0x1000 mov, 0x1003 stos, 0x1005 ret] stores into its own page. QEMU
 * leaves it at 0x1003 and translates [0x1003 stos] alone. The last block that a vCPU
 * entered has 0x1003 inside, not as its last instruction: so that block was left at
 * 0x1003.
 */
#include "plugin/core/steps.h"

#include "plugin/core/block_ids.h"
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
		return false; /* the usual case, without decoding sizes */
	insns = tb_code_sizes(blocks, id, &at, sizes);
	for (uint32_t i = 0; i + 1 < insns; at += sizes[i++])
		if (at == address)
			return true;
	return false;
}

/* QEMU does not pass the vCPU that it translates for, so all are looked at. */
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

static void on_entry(unsigned vcpu, void *address)
{
	/*
	 * The callback is registered by address: link_left() decides by the lane's
	 * position whether the thread really came from inside a block.
	 */
	if (vcpu >= LANES_MAX || !link_alive())
		return;
	pieces_left(vcpu, (uintptr_t)address);
	link_left(vcpu, (uintptr_t)address);
}

void steps_register(struct qemu_plugin_tb *tb)
{
	uint64_t address = qemu_plugin_tb_vaddr(tb);

	/* When each instruction is a block, none is left in its middle. */
	if (!slot_board()->precise && tb_insns(tb) == 1 &&
	    steps_is_one(block_ids_table(), address))
		qemu_plugin_register_vcpu_tb_exec_cb(tb, on_entry, QEMU_PLUGIN_CB_NO_REGS,
						     (void *)(uintptr_t)address);
}
