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
 * Both, and returns from a trap, are events: with the mode that each of them leads to, the
 * mode of every instruction is known.
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
#include "plugin/system/modes.h"
#include "plugin/system/turns.h"
#include "waymark.h"

#define SRET 0x10200073u
#define MRET 0x30200073u

bool traps_are_seen(void)
{
	return qemu_plugin_register_vcpu_discon_cb;
}

static void tell_trap(unsigned vcpu, bool exception, uint64_t from, uint64_t to)
{
	struct mode_trap trap = { .cause = WM_TRAP_UNKNOWN };

	modes_read_trap(&trap);
	link_event(vcpu, WM_EVENT_TRAP,
		   (uint64_t[]){ exception, from, to, trap.cause, trap.value, trap.before,
				 trap.after },
		   7, NULL);
}

static void on_discon(qemu_plugin_id_t id, unsigned vcpu,
		      enum qemu_plugin_discon_type type, uint64_t from, uint64_t to)
{
	(void)id;
	if (type != QEMU_PLUGIN_DISCON_INTERRUPT)
		link_left(vcpu, from);
	if (type != QEMU_PLUGIN_DISCON_HOSTCALL && link_wants(WM_EVENT_TRAP))
		tell_trap(vcpu, type == QEMU_PLUGIN_DISCON_EXCEPTION, from, to);
}

/* The instruction is about to run: should it trap itself, that is another event. */
static void on_return(unsigned vcpu, void *is_mret)
{
	struct mode_return ret;

	if (link_wants(WM_EVENT_TRAP_RETURN) && modes_read_return(is_mret, &ret))
		link_event(turns_hart(vcpu), WM_EVENT_TRAP_RETURN,
			   (uint64_t[]){ ret.to, ret.before, ret.after }, 3, NULL);
}

static void on_access(unsigned vcpu, qemu_plugin_meminfo_t info, uint64_t address,
		      void *insn)
{
	uint32_t last;
	uint64_t pc;
	bool left;

	(void)info, (void)address;
	vcpu = turns_hart(vcpu);
	last = link_last_id(vcpu);
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

/* They end a block. */
static void watch_return(struct qemu_plugin_tb *tb)
{
	struct qemu_plugin_insn *last =
		qemu_plugin_tb_get_insn(tb, qemu_plugin_tb_n_insns(tb) - 1);
	uint32_t word = 0;

	insn_copy_riscv(last, (uint8_t *)&word);
	if (word == SRET || word == MRET)
		qemu_plugin_register_vcpu_insn_exec_cb(last, on_return,
						       QEMU_PLUGIN_CB_R_REGS,
						       (void *)(uintptr_t)(word == MRET));
}

void traps_instrument(struct qemu_plugin_tb *tb)
{
	struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, 0);
	void *address = (void *)(uintptr_t)qemu_plugin_tb_vaddr(tb);

	turns_instrument(tb);
	watch_return(tb);
	if (qemu_plugin_tb_n_insns(tb) != 1)
		return;
	qemu_plugin_register_vcpu_mem_cb(insn, on_access, QEMU_PLUGIN_CB_NO_REGS,
					 QEMU_PLUGIN_MEM_RW, address);
}
