// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A witness for mixes: counts each instruction that QEMU begins by what QEMU's own
 * disassembly calls it and by its size, in a file that outlives the process. It shares no
 * code with Waymark. Threads and forked children add to the same counts.
 *
 * Arguments: counts=FILE, made anew; limit=N: only the first N instructions of each thread.
 *
 * The file is SLOTS slots; unused ones are zeros. See compare-mix.py.
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "plugin/qemu_api.h"

#define EXPORT __attribute__((visibility("default")))

enum { SLOTS = 8192, NAME = 48, VCPUS_MAX = 4096 };

struct slot {
	char name[NAME];
	uint64_t bytes; /* of the instruction */
	_Atomic uint64_t count;
};

EXPORT int qemu_plugin_version = QEMU_PLUGIN_API;
EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc,
			       char **argv);

static bool riscv;
static uint64_t limit = UINT64_MAX;
static uint64_t begun[VCPUS_MAX];
static struct slot *slots;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void on_insn(unsigned vcpu, void *cookie)
{
	struct slot *slot = cookie;

	if (begun[vcpu % VCPUS_MAX]++ < limit)
		atomic_fetch_add_explicit(&slot->count, 1, memory_order_relaxed);
}

/* Cuts QEMU's text down to the mnemonic; an x86 prefix belongs to it. */
static void cut(char *text)
{
	static const char *const prefixes =
		" lock rep repe repz repne repnz bnd notrack ";
	size_t length;
	char word[NAME + 2];

	/* 7.2 puts the word in front, of 4, 8 or more digits: "add" is none. */
	length = strspn(text, "0123456789abcdef");
	if (riscv && length && length % 4 == 0 && text[length] == ' ')
		memmove(text, text + length, strlen(text + length) + 1);
	memmove(text, text + strspn(text, " "), strlen(text + strspn(text, " ")) + 1);
	length = strcspn(text, " \t");
	snprintf(word, sizeof(word), " %.*s ", (int)length, text);
	if (strstr(prefixes, word) && text[length])
		length += 1 + strcspn(text + length + 1, " \t");
	text[length] = 0;
}

static struct slot *slot_of(const struct qemu_plugin_insn *insn)
{
	char *text = qemu_plugin_insn_disas(insn), name[NAME];
	uint64_t bytes = qemu_plugin_insn_size(insn);
	struct slot *slot = slots;

	cut(text);
	snprintf(name, sizeof(name), "%s", text);
	free(text);
	pthread_mutex_lock(&lock);
	while (*slot->name && (strcmp(slot->name, name) || slot->bytes != bytes))
		if (++slot == slots + SLOTS)
			abort();
	strcpy(slot->name, name);
	slot->bytes = bytes;
	pthread_mutex_unlock(&lock);
	return slot;
}

static void on_translation QEMU_PARAMETERS(struct qemu_plugin_tb *tb)
{
	QEMU_UNUSED();
	for (size_t i = 0; i < qemu_plugin_tb_n_insns(tb); i++) {
		struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);

		qemu_plugin_register_vcpu_insn_exec_cb(
			insn, on_insn, QEMU_PLUGIN_CB_NO_REGS, slot_of(insn));
	}
}

static bool map_slots(const char *path)
{
	int fd = open(path, O_CREAT | O_TRUNC | O_RDWR | O_CLOEXEC, 0600);

	if (fd < 0 || ftruncate(fd, SLOTS * sizeof(*slots)) < 0)
		return false;
	slots = mmap(NULL, SLOTS * sizeof(*slots), PROT_READ | PROT_WRITE, MAP_SHARED, fd,
		     0);
	close(fd);
	return slots != MAP_FAILED;
}

int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc,
			char **argv)
{
	const char *path = "kinds";

	riscv = !strncmp(info->target_name, "riscv", 5);
	for (int i = 0; i < argc; i++) {
		if (!strncmp(argv[i], "counts=", 7))
			path = argv[i] + 7;
		else if (!strncmp(argv[i], "limit=", 6))
			limit = strtoull(argv[i] + 6, NULL, 0);
	}
	if (!map_slots(path)) {
		perror("witness");
		return -1;
	}
	qemu_plugin_register_vcpu_tb_trans_cb(id, on_translation QEMU_NO_DATA);
	return 0;
}
