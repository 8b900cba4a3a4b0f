// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A machine is chosen once, by QEMU's name of its target. Instructions are looked at when
 * they are translated, and never when they run.
 *
 * Example: 0xd69f03e0 is AArch64's eret, ARCH_RETURN: traps.c gives it a callback.
 */
#include "plugin/system/arch/arch.h"

#include <string.h>

#include "plugin/core/tb_code.h"

const struct arch *arch;

bool arch_init(const char *target_name)
{
	static const struct arch *const all[] = { &arch_riscv64, &arch_aarch64,
						  &arch_x86_64 };

	for (unsigned i = 0; i < sizeof(all) / sizeof(*all); i++)
		if (!strcmp(target_name, all[i]->target)) {
			arch = all[i];
			return true;
		}
	return false;
}

size_t arch_copy(const struct qemu_plugin_insn *insn, uint8_t *to)
{
	size_t size = qemu_plugin_insn_size(insn);

	if (arch == &arch_riscv64)
		return insn_copy_riscv(insn, to);
	if (size > INSN_BYTES_MAX)
		return 0;
	insn_copy(insn, to, size);
	return size;
}

enum arch_insn arch_insn(const struct qemu_plugin_insn *insn)
{
	uint8_t code[INSN_BYTES_MAX] = { 0 };
	size_t size = arch_copy(insn, code);

	return arch->insn(code, (unsigned)size);
}

enum arch_insn arch_last_insn(const struct qemu_plugin_tb *tb)
{
	return arch_insn(qemu_plugin_tb_get_insn(tb, qemu_plugin_tb_n_insns(tb) - 1));
}
