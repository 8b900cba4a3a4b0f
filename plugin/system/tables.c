// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A register has the root of the table: RISC-V's satp and AArch64's TTBR0_EL1, of the lower
 * half of addresses, where programs are. A write to it ends a block, so what runs next is
 * translated by the new table: the callback, which comes before the instruction, computes what
 * that will write. The instruction may trap instead, in a guest of another
 * machine; then it is repeated there. Of x86 tables are not told apart: its kernels have two of
 * them for one process.
 *
 * Example: csrw satp, t0 with t0 = 0x8000000000081234: the table at 0x81234000.
 */
#include "plugin/system/tables.h"

#include <stdint.h>
#include <string.h>

#include "plugin/core/link.h"
#include "plugin/core/registers.h"
#include "plugin/core/tb_code.h"
#include "plugin/core/written.h"
#include "plugin/system/arch/arch.h"
#include "plugin/system/tasks.h"
#include "plugin/system/turns.h"

static void on_write(unsigned vcpu, void *code)
{
	unsigned hart = turns_hart(vcpu);

	link_lock();
	registers_learn();
	tasks_turn_to_table(hart, arch->read_table((uint32_t)(uintptr_t)code));
	link_unlock();
	/* The instruction is in the stream that is left: what it reads from satp is lost. */
	written_called(hart);
}

void tables_instrument(struct qemu_plugin_tb *tb)
{
	struct qemu_plugin_insn *last =
		qemu_plugin_tb_get_insn(tb, qemu_plugin_tb_n_insns(tb) - 1);
	uint8_t bytes[INSN_BYTES_MAX] = { 0 };
	uint32_t code;

	if (!arch->sets_table || arch_copy(last, bytes) != sizeof(code))
		return;
	memcpy(&code, bytes, sizeof(code));
	if (arch->sets_table(code))
		qemu_plugin_register_vcpu_insn_exec_cb(
			last, on_write, QEMU_PLUGIN_CB_R_REGS, (void *)(uintptr_t)code);
}
