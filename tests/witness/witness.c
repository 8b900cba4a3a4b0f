// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A plugin that sees what Waymark's sees and shares no code with it: it writes down each
 * instruction, or each block, as QEMU begins it.
 *
 * Arguments: dir=DIR (an existing folder), each=insn or each=block; entries=N, the room
 * in a thread's file (2^24; only touched pages take space); kill=N, to have the process
 * killed by SIGKILL as soon as a thread has N entries.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "log.h"
#include "plugin/qemu_api.h"

#define EXPORT __attribute__((visibility("default")))

EXPORT int qemu_plugin_version = QEMU_PLUGIN_API;
EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc,
			       char **argv);

static bool each_block;
static uint64_t kill_at;
static bool is_aarch64;

static void on_entry(unsigned vcpu, void *entry)
{
	if (log_put(vcpu, entry) == kill_at)
		raise(SIGKILL);
}

/* The entry of an instruction; lives as long as QEMU may run the block. */
static struct log_entry *entry_of(const struct qemu_plugin_insn *insn)
{
	struct log_entry *entry = calloc(1, sizeof(*entry));
	uint64_t address = qemu_plugin_insn_vaddr(insn);
	size_t size = qemu_plugin_insn_size(insn);

	if (!entry)
		abort();
	/* What QEMU does without reading code has no bytes, whatever newer ones say. */
	if ((is_aarch64 && address % 4) || address >> 12 == 0xffffffffff600)
		size = 0;
	entry->address = address;
	entry->size = (uint32_t)size;
	insn_copy(insn, &entry->code, size < 4 ? size : 4);
	return entry;
}

static void on_translation QEMU_PARAMETERS(struct qemu_plugin_tb *tb)
{
	size_t n = qemu_plugin_tb_n_insns(tb);

	QEMU_UNUSED();
	for (size_t i = 0; i < n && !each_block; i++) {
		struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);

		qemu_plugin_register_vcpu_insn_exec_cb(
			insn, on_entry, QEMU_PLUGIN_CB_NO_REGS, entry_of(insn));
	}
	if (each_block) {
		struct log_entry *entry = entry_of(qemu_plugin_tb_get_insn(tb, 0));

		entry->size = (uint32_t)n;
		qemu_plugin_register_vcpu_tb_exec_cb(tb, on_entry, QEMU_PLUGIN_CB_NO_REGS,
						     entry);
	}
}

static void on_vcpu_init QEMU_PARAMETERS(unsigned vcpu)
{
	QEMU_UNUSED();
	log_thread(vcpu);
}

/* The value of argument `key`, or the fallback. */
static const char *argument(int argc, char **argv, const char *key, const char *fallback)
{
	size_t n = strlen(key);

	for (int i = 0; i < argc; i++)
		if (!strncmp(argv[i], key, n) && argv[i][n] == '=')
			return argv[i] + n + 1;
	return fallback;
}

int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc,
			char **argv)
{
	is_aarch64 = !strcmp(info->target_name, "aarch64");
	each_block = !strcmp(argument(argc, argv, "each", "insn"), "block");
	kill_at = strtoull(argument(argc, argv, "kill", "0"), NULL, 0);
	if (!log_open(argument(argc, argv, "dir", "."),
		      strtoull(argument(argc, argv, "entries", "16777216"), NULL, 0),
		      sizeof(struct log_entry))) {
		perror("witness");
		return -1;
	}
	qemu_plugin_register_vcpu_init_cb(id, on_vcpu_init QEMU_NO_DATA);
	qemu_plugin_register_vcpu_tb_trans_cb(id, on_translation QEMU_NO_DATA);
	return 0;
}
