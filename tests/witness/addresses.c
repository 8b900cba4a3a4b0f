// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A witness of a machine with one hart, for a QEMU whose translations are of one virtual
 * address each (riscv64 before 8.1), and which gives plugins no registers: lists the address of
 * every instruction that begins. It shares no code with Waymark.
 *
 * Argument: out=FILE, 8 bytes for each.
 */
#include <stdio.h>
#include <string.h>

#include "plugin/qemu_api.h"

#define EXPORT __attribute__((visibility("default")))

EXPORT int qemu_plugin_version = QEMU_PLUGIN_API;
EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc,
			       char **argv);

static FILE *list;

static void on_insn(unsigned vcpu, void *address)
{
	uint64_t pc = (uintptr_t)address;

	(void)vcpu;
	fwrite(&pc, sizeof(pc), 1, list);
}

static void on_translation QEMU_PARAMETERS(struct qemu_plugin_tb *tb)
{
	QEMU_UNUSED();
	for (size_t i = 0; i < qemu_plugin_tb_n_insns(tb); i++) {
		struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);

		qemu_plugin_register_vcpu_insn_exec_cb(
			insn, on_insn, QEMU_PLUGIN_CB_NO_REGS,
			(void *)(uintptr_t)qemu_plugin_insn_vaddr(insn));
	}
}

static void on_exit_in_order QEMU_EXIT_PARAMETERS
{
	QEMU_UNUSED();
	(void)unused_data;
	fflush(list);
}

int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc,
			char **argv)
{
	(void)info;
	if (argc != 1 || strncmp(argv[0], "out=", 4) != 0)
		return -1;
	list = fopen(argv[0] + 4, "wbe");
	if (!list)
		return -1;
	qemu_plugin_register_vcpu_tb_trans_cb(id, on_translation QEMU_NO_DATA);
	qemu_plugin_register_atexit_cb(id, on_exit_in_order, NULL);
	return 0;
}
