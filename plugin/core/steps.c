// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A translation ends at the same instruction wherever in the block it begins. So if QEMU
 * makes a block of one instruction, and another block has that instruction in its middle,
 * QEMU wanted this one instruction only. That happens right after it has left the other
 * block there.
 *
 * The instruction must be the same one. Example of the contrary: a program has written a
 * jump over the first instruction of a block, which now is a block of its own.
 *
 * Atomic operations are run alone, too, but blocks are cut around them (plugin/core/pieces.c).
 *
 * Example: the block [0x1000 mov, 0x1003 stos, 0x1005 ret] stores into its own page. QEMU
 * leaves it at 0x1003 and translates [0x1003 stos] alone. The last block that a vCPU
 * entered has 0x1003 inside, not as its last instruction: so that block was left at
 * 0x1003.
 */
#include "plugin/core/steps.h"

#include <string.h>

#include "plugin/core/block_ids.h"
#include "plugin/core/link.h"
#include "plugin/core/pieces.h"
#include "plugin/core/tb_code.h"

/* Whether the block has that instruction, not as its last. */
static bool is_inside(const struct interner *blocks, uint32_t id,
		      const struct tb_code *one)
{
	static struct tb_code block; /* too large for a guest thread's stack */
	const uint8_t *code;
	uint64_t at;
	uint32_t bytes;

	intern_code(blocks, id, &at, &bytes);
	if (one->address < at || one->address - at >= bytes)
		return false; /* the usual case, without decoding sizes */
	tb_code_copy(&block, blocks, id);
	code = block.code;
	for (uint32_t i = 0; i + 1 < block.insns; i++) {
		if (at == one->address)
			return block.sizes[i] == one->bytes &&
			       !memcmp(code, one->code, one->bytes);
		at += block.sizes[i];
		code += block.sizes[i];
	}
	return false;
}

/* QEMU does not pass the vCPU that it translates for, so all are looked at. */
bool steps_is_one(const struct interner *blocks, const struct tb_code *one)
{
	uint32_t lanes = slot_lanes();

	for (uint32_t vcpu = 0; vcpu < lanes; vcpu++) {
		uint32_t last = link_last_id(vcpu);

		if (last && last <= blocks->count && is_inside(blocks, last, one))
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
	link_left(vcpu, (uintptr_t)address, false);
}

void steps_register(struct qemu_plugin_tb *tb)
{
	static struct tb_code one; /* as above */

	/* When each instruction is a block, none is left in its middle. */
	if (slot_board()->precise || tb_insns(tb) != 1)
		return;
	tb_code_take(&one, tb, 0, 1);
	if (steps_is_one(block_ids_table(), &one))
		qemu_plugin_register_vcpu_tb_exec_cb(tb, on_entry, QEMU_PLUGIN_CB_NO_REGS,
						     (void *)(uintptr_t)one.address);
}
