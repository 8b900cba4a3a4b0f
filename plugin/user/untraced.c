// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A program that is not recorded, because the recorder has gone or has no room for it. Where
 * the kernel cannot execute programs of the guest's machine, only the plugin can: what a
 * program executes must not fail from the moment on at which the recorder went. So execve()
 * is still followed, and that is all that is done.
 */
#include "plugin/core/callbacks.h"
#include "plugin/user/exec.h"
#include "plugin/user/guest.h"
#include "plugin/user/user.h"

static const struct abi *abi;

/* Where the guest's memory is in QEMU's. */
static void on_translation(struct qemu_plugin_tb *tb)
{
	guest_learn(qemu_plugin_tb_vaddr(tb),
		    qemu_plugin_insn_haddr(qemu_plugin_tb_get_insn(tb, 0)));
}

static void on_syscall(unsigned vcpu, int64_t number, const uint64_t args[])
{
	(void)vcpu;
	if (abi_is_exec(abi, number))
		exec_follow(number, args);
}

static void on_syscall_ret(unsigned vcpu, int64_t number, int64_t value)
{
	(void)vcpu, (void)number, (void)value;
}

void user_untraced(qemu_plugin_id_t id, const char *target, const char *memory)
{
	abi = abi_find(target);
	if (!abi)
		return;
	guest_init(abi->word);
	exec_init(abi, qemu_line_read(memory), memory);
	callbacks_begin(id);
	callbacks_on_translation(on_translation);
	callbacks_on_syscall(on_syscall, on_syscall_ret);
}
