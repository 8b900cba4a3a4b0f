// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A system call is read before its ecall runs: in user mode, in which the program's own memory
 * can be read, and QEMU's registers are the program's. That it was entered and where, the trap
 * says, because code at several addresses is translated once.
 *
 * A call returns where its thread goes back to user mode behind the ecall. Anywhere else, the
 * kernel has started a signal's handler, or lets the program make the call again, and there is
 * no value to tell; execve() alone returns at the start of a program.
 *
 * System calls of a program of 32 bits on a kernel of 64 bits are left out: their numbers are of
 * another table.
 *
 * Example: write(1, "hi\n", 3) is {64, 1, 0x3fc0, 3, ...} before the trap, and {64, 3} before
 * the return.
 */
#include "plugin/system/ecalls.h"

#include "kernel/kernel.h"
#include "plugin/core/link.h"
#include "plugin/core/windows.h"
#include "plugin/system/arch/arch.h"
#include "plugin/system/memory.h"
#include "plugin/system/tasks.h"
#include "plugin/system/turns.h"
#include "waymark.h"

enum { TEXT_BYTES = 256 };

static const struct kernel *calls;
static int32_t execve_number, execveat_number;

void ecalls_init(const char *target_name)
{
	calls = kernel_find(target_name);
	execve_number = kernel_number(calls, "execve");
	execveat_number = kernel_number(calls, "execveat");
}

/* False: nothing is recorded now. */
static bool tell_call(unsigned hart, const uint64_t fields[1 + KERNEL_ARGS],
		      const char *text)
{
	if (!windows_open())
		return false;
	if (link_wants(WM_EVENT_SYSCALL))
		link_event_locked(hart, WM_EVENT_SYSCALL, fields, 1 + KERNEL_ARGS, text);
	return true;
}

static void on_ecall(unsigned vcpu, void *unused)
{
	char text[TEXT_BYTES];
	bool told = true;
	unsigned hart = turns_hart(vcpu);
	uint64_t fields[1 + KERNEL_ARGS];
	struct tasks_call *call;
	int string;

	(void)unused;
	if (arch->is_narrow && arch->is_narrow())
		return;
	link_lock();
	call = tasks_call(hart);
	if (call) {
		fields[0] = call->number = memory_register(arch->call_number);
		call->begun = true;
		call->from = 0;
		for (unsigned i = 0; i < KERNEL_ARGS; i++)
			fields[1 + i] = memory_register(arch->call_arguments[i]);
		string = kernel_string(calls, fields[0]);
		*text = 0;
		if (string >= 0)
			memory_string(fields[1 + string], text, sizeof(text));
		told = tell_call(hart, fields, text);
	}
	link_unlock();
	if (!call)
		return;
	/* A window contains both the call that opens it and the one that closes it. */
	windows_reach_syscall(hart, fields[0]);
	if (!told) {
		link_lock();
		tell_call(hart, fields, text);
		link_unlock();
	}
}

void ecalls_trapped(unsigned hart, uint64_t from)
{
	struct tasks_call *call;

	link_lock();
	call = tasks_call(hart);
	if (call && call->begun)
		call->from = from;
	link_unlock();
}

void ecalls_returns(unsigned hart, uint64_t to)
{
	struct tasks_call *call;

	link_lock();
	call = tasks_call(hart);
	/* An interrupt may come between the ecall's callback and the ecall. */
	if (call && call->begun && call->from) {
		call->begun = false;
		if (windows_open() && (to == call->from + arch->call_bytes ||
				       call->number == (uint64_t)execve_number ||
				       call->number == (uint64_t)execveat_number))
			link_event_locked(
				hart, WM_EVENT_SYSCALL_RET,
				(uint64_t[]){ call->number,
					      memory_register(arch->call_result) },
				2, NULL);
	}
	link_unlock();
}

/* The kernel's own calls, of its firmware, are in the upper half of addresses. */
void ecalls_instrument(struct qemu_plugin_tb *tb)
{
	enum arch_insn insn = arch_last_insn(tb);

	if ((insn == ARCH_CALL || insn == ARCH_ENTER) &&
	    !(qemu_plugin_tb_vaddr(tb) >> 63))
		qemu_plugin_register_vcpu_insn_exec_cb(
			qemu_plugin_tb_get_insn(tb, qemu_plugin_tb_n_insns(tb) - 1),
			on_ecall, QEMU_PLUGIN_CB_R_REGS, NULL);
}
