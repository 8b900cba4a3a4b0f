// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The lines of QEMU's contributed execlog plugin with its memory accesses, which
 * export/execlog.c leaves out:
 *
 *	0, 0x1065e, 0x6105, "addi sp,sp,32", load, 0x40008007e0
 *
 * The opcode is what its first four bytes are as a number.
 *
 * With record --commits there are also the registers that have changed, as of its option
 * reg=NAME for each of RISC-V's, and for those with the data of the others: `, a0 -> 0x0000000000000001`. What an instruction wrote that the
 * register had already is left out, as far as that is known.
 */
#include "export/mem_format.h"

#include <inttypes.h>
#include <string.h>

/* What QEMU calls it. */
static const char *name_of(const char *isa, unsigned number)
{
	const char *name = register_name(isa, number);

	return strcmp(name, "s0") ? name : "fp";
}

/* Registers first <= number < end. */
static void print_registers(FILE *out, const struct mem_insn *insn, unsigned first,
			    unsigned end)
{
	for (size_t i = 0; i < insn->n_written; i++) {
		const struct wm_access *access = &insn->written[i];
		unsigned number = (unsigned)access->address;

		if (number < first || number >= end ||
		    register_set_has(&insn->same, number))
			continue;
		fprintf(out, ", %s -> 0x", name_of(insn->isa, number));
		if (register_words(insn->isa, number) > 1)
			fprintf(out, "%016" PRIx64, access->data[1]);
		fprintf(out, "%0*" PRIx64,
			insn->xlen == 32 && number / 32 != REGISTERS_FIRST_FP / 32 ? 8 :
										     16,
			access->data[0]);
	}
}

static void print(FILE *out, const struct mem_insn *insn)
{
	fprintf(out, "%u, 0x%" PRIx64 ", 0x%" PRIx32 ", \"%s\"", insn->vcpu,
		insn->address, (uint32_t)insn->opcode, insn->disas);
	for (size_t i = 0; i < insn->n; i++)
		fprintf(out, ", %s, 0x%08" PRIx64,
			insn->accesses[i].kind == WM_ACCESS_STORE ? "store" : "load",
			insn->accesses[i].address);
	print_registers(out, insn, 0, REGISTERS_FIRST_CSR);
	/* In QEMU's order vectors come before CSRs. */
	if (insn->xlen) {
		print_registers(out, insn, REGISTERS_FIRST_VECTOR, REGISTERS_FIRST_PART);
		print_registers(out, insn, REGISTERS_FIRST_CSR, REGISTERS_FIRST_VECTOR);
	}
	putc('\n', out);
}

const struct mem_format mem_execlog = {
	.format = { "execmem", FORMAT_MEM, "log",
		    "lines of QEMU's execlog plugin, accesses included", "--mem" },
	.text = MEM_TEXT_QEMU,
	.print = print,
};
