// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The lines of QEMU's contributed execlog plugin with its memory accesses, which
 * export/execlog.c leaves out:
 *
 *	0, 0x1065e, 0x6105, "addi sp,sp,32", load, 0x40008007e0
 */
#include "export/mem_format.h"

#include <inttypes.h>

static void print(FILE *out, const struct mem_insn *insn)
{
	fprintf(out, "%u, 0x%" PRIx64 ", 0x%" PRIx64 ", \"%s\"", insn->vcpu,
		insn->address, insn->opcode, insn->disas);
	for (size_t i = 0; i < insn->n; i++)
		fprintf(out, ", %s, 0x%08" PRIx64,
			insn->accesses[i].kind == WM_ACCESS_STORE ? "store" : "load",
			insn->accesses[i].address);
	putc('\n', out);
}

const struct mem_format mem_execlog = {
	.format = { "execmem", FORMAT_MEM, "log",
		    "lines of QEMU's execlog plugin, accesses included" },
	.text = MEM_TEXT_QEMU,
	.print = print,
};
