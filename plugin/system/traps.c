// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A hart leaves a block before its end in two ways that are seen here:
 *
 * - An instruction raises an exception: QEMU says so, with the instruction's address.
 *   Interrupts are taken between two blocks; a page of code that is not there is found
 *   before the block is entered, and is in no block.
 * - An instruction in the middle accesses a device. QEMU goes back to where the block was
 *   before it and runs that instruction alone, in a block of one instruction, whose
 *   accesses have callbacks and whose entry has none.
 *
 * Invariant: at each callback the lane's last id is the block that was left. An instruction
 * that raises an exception or accesses a device has begun.
 *
 * Example: block 7 is [0x80000100 lw a0,0(a1); sw a0,4(a1); ret], and a1 is a device's.
 * Entered, it leaves 7 in the lane. Then QEMU runs [lw] alone: on_access() finds that the
 * last block has an instruction at 0x100 in its page with another one behind it, so 7 was
 * left at 0x80000100. It enters [sw; ret], id 8, and leaves that at 0x80000104.
 */
#include "plugin/system/traps.h"

#include "plugin/core/block_ids.h"
#include "plugin/core/link.h"
#include "waymark.h"

bool traps_are_seen(void)
{
	return qemu_plugin_register_vcpu_discon_cb;
}

static void on_discon(qemu_plugin_id_t id, unsigned vcpu,
		      enum qemu_plugin_discon_type type, uint64_t from, uint64_t to)
{
	uint64_t fields[] = { type == QEMU_PLUGIN_DISCON_EXCEPTION, from, to };

	(void)id;
	if (type != QEMU_PLUGIN_DISCON_INTERRUPT)
		link_left(vcpu, from);
	if (type != QEMU_PLUGIN_DISCON_HOSTCALL && link_wants(WM_EVENT_TRAP))
		link_event(vcpu, WM_EVENT_TRAP, fields, 3, NULL);
}

static void on_access(unsigned vcpu, qemu_plugin_meminfo_t info, uint64_t address,
		      void *insn)
{
	uint32_t last = link_last_id(vcpu);
	uint64_t pc;
	bool left;

	(void)info, (void)address;
	link_lock();
	left = last && block_ids_inside(last, (uintptr_t)insn, &pc);
	link_unlock();
	if (left)
		link_left(vcpu, pc);
}

void traps_register(qemu_plugin_id_t id)
{
	qemu_plugin_register_vcpu_discon_cb(id, QEMU_PLUGIN_DISCON_ALL, on_discon);
}

void traps_instrument(struct qemu_plugin_tb *tb)
{
	struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, 0);
	void *address = (void *)(uintptr_t)qemu_plugin_tb_vaddr(tb);

	if (qemu_plugin_tb_n_insns(tb) != 1)
		return;
	qemu_plugin_register_vcpu_mem_cb(insn, on_access, QEMU_PLUGIN_CB_NO_REGS,
					 QEMU_PLUGIN_MEM_RW, address);
}
