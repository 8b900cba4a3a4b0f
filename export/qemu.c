// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The lines of QEMU's `-d in_asm` log: address, the instruction's code in a field as wide
 * as in the log, disassembly. QEMU logs a block when it translates it; here a line stands
 * for each execution, so the output is the log's lines in the order they ran. (Where an
 * x86 instruction's bytes go on in a second line of the log, here they are in one.)
 */
#include "export/insn_format.h"

#include <inttypes.h>
#include <string.h>

/* Capstone's mnemonics stand in a field of 8; QEMU's own text has its blanks already. */
static void print_disas(FILE *out, const char *disas)
{
	int mnemonic = (int)strcspn(disas, " ");

	if (disas[mnemonic] && disas[mnemonic + 1] != ' ')
		fprintf(out, "%-8.*s%s\n", mnemonic, disas, disas + mnemonic);
	else
		fprintf(out, "%s\n", disas);
}

static void print(FILE *out, const struct insn *insn)
{
	char code[INSN_CODE_TEXT];

	fprintf(out, "0x%0*" PRIx64 ":  %-*s  ", (int)insn->log_digits, insn->address,
		(int)insn->log_width, insn_code(insn, " ", code));
	print_disas(out, insn->disas);
}

const struct insn_format insn_qemu = {
	.line = { .format = { "qemu", FORMAT_INSNS, "log", "lines of QEMU's -d in_asm log" }, },
	.in_qemus_words = true,
	.print = print,
};
