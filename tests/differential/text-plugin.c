// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Asks QEMU what it prints for instructions that no program has: a plugin that, when the
 * guest's first block is translated, writes one word after the other over its first
 * instruction, asks for the disassembly, and holds it against riscv_text(). Ends the run
 * with status 0 when all words that riscv_knows() are equal, 1 when not.
 *
 * The words: all of 16 bits; of each line of the tables some; all CSRs; and many that are
 * random. Arguments: qemu=VERSION; words=N: how many of the last kind; least=N: how many must
 * be known at least.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "isa/riscv.h"
#include "plugin/core/dialect.h"
#include "plugin/qemu_api.h"

#define EXPORT __attribute__((visibility("default")))

EXPORT int qemu_plugin_version = QEMU_PLUGIN_API;
EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc,
			       char **argv);

static unsigned xlen;
static enum riscv_dialect dialect;
static long words, least = 1;
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
		return; /* QEMU reads on after the place for what may be 48 bits or more */
	checked++;
	if (!riscv_knows(word, xlen, dialect))
		return;
	known++;
	memcpy(qemu_plugin_insn_haddr(insn), &word, sizeof(word));
	text = qemu_text(insn, word);
	riscv_text(word, xlen, dialect, address, mine, sizeof(mine));
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

static void check_lines(struct qemu_plugin_insn *insn)
{
	static const struct {
		uint32_t match, mask;
	} lines[] = {
#define INSN(name, match, mask, ...) { match, mask },
#include "isa/riscv.def"
	};

	for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++)
		for (int n = 0; n < 2000; n++)
			check(insn, lines[i].match | (random_word() & ~lines[i].mask));
}

static void check_csrs(struct qemu_plugin_insn *insn)
{
	for (uint32_t csr = 0; csr < 4096; csr++)
		for (uint32_t funct3 = 1; funct3 < 8; funct3++)
			check(insn, csr << 20 | funct3 << 12 | 0x73);
}

static void on_translation QEMU_PARAMETERS(struct qemu_plugin_tb *tb)
{
	struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, 0);
	uintptr_t page = (uintptr_t)qemu_plugin_insn_haddr(insn) & ~(uintptr_t)4095;

	QEMU_UNUSED();
	mprotect((void *)page, 2 * 4096, PROT_READ | PROT_WRITE);
	for (uint32_t word = 0; word < 65536; word++)
		if (is_short(word))
			check(insn, word);
	check_lines(insn);
	check_csrs(insn);
	for (long i = 0; i < words; i++)
		check(insn, random_word() | 3);
	printf("%ld words, %ld known, %ld differ\n", checked, known, differ);
	fflush(stdout);
	_exit(differ || (dialect && known < least));
}

int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc,
			char **argv)
{
	xlen = strstr(info->target_name, "64") ? 64 : 32;
	for (int i = 0; i < argc; i++) {
		if (!strncmp(argv[i], "words=", 6))
			words = atol(argv[i] + 6);
		else if (!strncmp(argv[i], "least=", 6))
			least = atol(argv[i] + 6);
		else if (!strncmp(argv[i], "qemu=", 5))
			dialect = dialect_here(argv[i] + 5);
	}
	qemu_plugin_register_vcpu_tb_trans_cb(id, on_translation QEMU_NO_DATA);
	return 0;
}
