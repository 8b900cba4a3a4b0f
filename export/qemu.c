// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The lines of QEMU's `-d in_asm` log: address, the instruction as a number in a field of
 * 18, disassembly. QEMU logs a block when it translates it; here a line stands for each
 * execution, so the output is the log's lines in the order they ran.
 */
#include "export/insn_format.h"

#include <inttypes.h>

static void print(FILE *out, const struct insn *insn)
{
	int digits = insn_digits(insn);

	fprintf(out, "0x%0*" PRIx64 ":  %0*" PRIx64 "%*s%s\n", (int)insn->address_digits,
		insn->address, digits, insn_opcode(insn), 18 - digits, "", insn->disas);
}

const struct insn_format insn_qemu = { .name = "qemu", .print = print };
