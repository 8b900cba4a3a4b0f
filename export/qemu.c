// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The lines of QEMU's `-d in_asm` log: address, the instruction's code in a field as wide
 * as in the log, disassembly. QEMU logs a block when it translates it; here there is a
 * line for each execution, so the output is the log's lines in the order in which they
 * ran. (An x86 instruction whose bytes take two lines of the log has one line here.)
 */
#include "export/insn_format.h"

#include <inttypes.h>
#include <string.h>

/*
 * Capstone's mnemonics are padded to 8 columns in the log; QEMU's own text is padded
 * already.
 */
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
