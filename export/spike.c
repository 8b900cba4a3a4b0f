// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The lines of Spike's `-l` log: core, address, instruction, disassembly; and before the
 * first instruction of a function a line `>>>>` with its name. The disassembly is
 * in QEMU's spelling, which differs from Spike's in places.
 */
#include "export/insn_format.h"

#include "out/text.h"

#include <inttypes.h>

static void print(FILE *out, const struct insn *insn)
{
	if (insn->symbol && !insn->offset) {
		fprintf(out, "core %3u: >>>>  ", insn->vcpu);
		text_end_line(out, insn->symbol);
	}
	fprintf(out, "core %3u: 0x%0*" PRIx64 " (0x%08" PRIx64 ") ", insn->vcpu,
		(int)insn->address_digits, insn->address, insn_opcode(insn));
	text_disas(out, insn->disas, 8);
	putc('\n', out);
}

const struct insn_format insn_spike = {
	.line = { .format = { "spike", FORMAT_INSNS, "log", "Spike's -l log" },
		  .by_vcpu = true },
	.print = print,
};
