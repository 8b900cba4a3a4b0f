// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The lines of QEMU's contributed execlog plugin, as of 7.2: vCPU, address, opcode,
 * disassembly. Its memory accesses are not here: a trace of control flow has none. Nor
 * is what 7.2's own shows above a compressed instruction's two bytes: the opcode is the
 * instruction's and nothing more.
 */
#include "export/insn_format.h"

#include <inttypes.h>

static void print(FILE *out, const struct insn *insn)
{
	fprintf(out, "%u, 0x%" PRIx64 ", 0x%" PRIx64 ", \"%s\"\n", insn->vcpu,
		insn->address, insn_opcode(insn), insn->disas);
}

const struct insn_format insn_execlog = {
	.line = { .format = { "execlog", FORMAT_INSNS, "log",
			      "lines of QEMU's execlog plugin" },
		  .by_vcpu = true },
	.in_qemus_words = true,
	.print = print,
};
