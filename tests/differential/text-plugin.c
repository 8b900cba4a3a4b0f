// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Asks QEMU what it prints for instructions that no program has: a plugin that, when the
 * guest's first block is translated, writes one word after the other over its first
 * instruction, asks for the disassembly, and holds it against riscv_text(). Ends the run
 * with status 0 when all words that riscv_knows() are equal, 1 when not.
 *
 * Argument: words=N, how many random words of 32 bits after all words of 16.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "isa/riscv.h"
#include "plugin/qemu_api.h"

#define EXPORT __attribute__((visibility("default")))

EXPORT int qemu_plugin_version = 1;
EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc,
			       char **argv);

static unsigned xlen;
static long words;
static long checked, known, differ;

static bool is_short(uint32_t word)
{
	return (word & 3) != 3;
}

/* QEMU's text of what is in the instruction's place now; the caller frees it. */
static char *qemu_text(struct qemu_plugin_insn *insn, uint32_t word)
{
	char *text = qemu_plugin_insn_disas(insn), hex[16], *rest = text;
	int n = snprintf(hex, sizeof(hex), is_short(word) ? "%04x " : "%08x ", word);

	if (!strncmp(text, hex, (size_t)n))
		rest += n + strspn(text + n, " ");
	memmove(text, rest, strlen(rest) + 1);
	return text;
}

static void check(struct qemu_plugin_insn *insn, uint32_t word)
{
	uint64_t address = qemu_plugin_insn_vaddr(insn);
	char mine[256], *text;

	if ((word & 0x1f) == 0x1f)
		return; /* QEMU reads on behind the place for what may be 48 bits or more */
	checked++;
	if (!riscv_knows(word, xlen))
		return;
	known++;
	memcpy(qemu_plugin_insn_haddr(insn), &word, sizeof(word));
	text = qemu_text(insn, word);
	riscv_text(word, xlen, address, mine, sizeof(mine));
	if (strcmp(mine, text) && differ++ < 20)
		printf("%08x: QEMU prints \"%s\", we print \"%s\"\n", word, text, mine);
	free(text);
}

/* xorshift64, by Marsaglia: the same words in every run. */
static uint32_t random_word(void)
{
	static uint64_t state = 88172645463325252;

	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (uint32_t)(state >> 16);
}

static void on_translation(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
	struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, 0);
	uintptr_t page = (uintptr_t)qemu_plugin_insn_haddr(insn) & ~(uintptr_t)4095;

	(void)id;
	mprotect((void *)page, 2 * 4096, PROT_READ | PROT_WRITE);
	for (uint32_t word = 0; word < 65536; word++)
		if (is_short(word))
			check(insn, word);
	for (long i = 0; i < words; i++)
		check(insn, random_word() | 3);
	printf("%ld words, %ld known, %ld differ\n", checked, known, differ);
	fflush(stdout);
	_exit(!known || differ);
}

int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc,
			char **argv)
{
	xlen = strstr(info->target_name, "64") ? 64 : 32;
	if (argc && !strncmp(argv[0], "words=", 6))
		words = atol(argv[0] + 6);
	qemu_plugin_register_vcpu_tb_trans_cb(id, on_translation);
	return 0;
}
