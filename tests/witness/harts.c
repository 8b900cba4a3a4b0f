// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A witness of whole machines, for QEMU 10.2: hashes the address of every instruction that
 * each hart begins. Where a block is entered, QEMU's function for registers gives the
 * program counter, and so the distance of this entry from the address that the block was
 * translated at. It shares no code with Waymark. Which hart it is, QEMU says; with turns=on,
 * when several run in one thread, it does not, and mhartid does.
 *
 * Arguments: out=FILE, made anew, HARTS_MAX times struct harts_seen; list=FILE: the
 * addresses of hart 0 as well, 8 bytes each; turns=on.
 */
#include "harts.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "plugin/qemu_api.h"

#define EXPORT __attribute__((visibility("default")))

EXPORT int qemu_plugin_version = QEMU_PLUGIN_API;
EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc,
			       char **argv);

static struct harts_seen *seen;
static FILE *list;
static struct {
	struct qemu_plugin_register *pc, *id;
	GByteArray *bytes;
	uint64_t distance; /* of the block that the hart is in */
} harts[HARTS_MAX];

static bool turns;
static unsigned turn; /* the hart whose it is */

static uint64_t read_register(unsigned vcpu, struct qemu_plugin_register *which)
{
	uint64_t value;

	g_byte_array_set_size(harts[vcpu].bytes, 0);
	if (qemu_plugin_read_register(which, harts[vcpu].bytes) != sizeof(value))
		abort();
	memcpy(&value, harts[vcpu].bytes->data, sizeof(value));
	return value;
}

static void on_block(unsigned vcpu, void *address)
{
	if (turns)
		vcpu = turn = (unsigned)read_register(0, harts[0].id) % HARTS_MAX;
	harts[vcpu].distance = read_register(vcpu, harts[vcpu].pc) - (uintptr_t)address;
	seen[vcpu].before = seen[vcpu].now;
}

static void on_insn(unsigned vcpu, void *address)
{
	uint64_t pc;

	if (turns)
		vcpu = turn;
	pc = (uintptr_t)address + harts[vcpu].distance;

	harts_add(&seen[vcpu].now, pc);
	if (list && !vcpu)
		fwrite(&pc, sizeof(pc), 1, list);
}

static void on_translation(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
	(void)id;
	qemu_plugin_register_vcpu_tb_exec_cb(tb, on_block, QEMU_PLUGIN_CB_R_REGS,
					     (void *)(uintptr_t)qemu_plugin_tb_vaddr(tb));
	for (size_t i = 0; i < qemu_plugin_tb_n_insns(tb); i++) {
		struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);

		qemu_plugin_register_vcpu_insn_exec_cb(
			insn, on_insn, QEMU_PLUGIN_CB_NO_REGS,
			(void *)(uintptr_t)qemu_plugin_insn_vaddr(insn));
	}
}

static void on_vcpu_init(qemu_plugin_id_t id, unsigned vcpu)
{
	const GArray *registers = qemu_plugin_get_registers();
	const qemu_plugin_reg_descriptor *all = (const void *)registers->data;

	(void)id;
	if (vcpu >= HARTS_MAX)
		abort();
	harts[vcpu].bytes = g_byte_array_new();
	for (unsigned i = 0; i < registers->len; i++) {
		if (!strcmp(all[i].name, "pc"))
			harts[vcpu].pc = all[i].handle;
		if (!strcmp(all[i].name, "mhartid"))
			harts[vcpu].id = all[i].handle;
	}
	if (!harts[vcpu].pc || !harts[vcpu].id)
		abort();
}

static void on_exit_in_order(qemu_plugin_id_t id, void *unused)
{
	(void)id, (void)unused;
	if (list)
		fflush(list);
}

static const char *argument(int argc, char **argv, const char *key)
{
	size_t n = strlen(key);

	for (int i = 0; i < argc; i++)
		if (!strncmp(argv[i], key, n) && argv[i][n] == '=')
			return argv[i] + n + 1;
	return NULL;
}

int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc,
			char **argv)
{
	const char *out = argument(argc, argv, "out"), *to = argument(argc, argv, "list");
	size_t bytes = HARTS_MAX * sizeof(*seen);
	int fd = out ? open(out, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666) : -1;

	(void)info;
	if (fd < 0 || ftruncate(fd, (off_t)bytes))
		return -1;
	seen = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	turns = argument(argc, argv, "turns");
	list = to ? fopen(to, "wbe") : NULL;
	if (seen == MAP_FAILED || (to && !list))
		return -1;
	qemu_plugin_register_vcpu_init_cb(id, on_vcpu_init);
	qemu_plugin_register_vcpu_tb_trans_cb(id, on_translation);
	qemu_plugin_register_atexit_cb(id, on_exit_in_order, NULL);
	return 0;
}
