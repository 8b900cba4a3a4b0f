// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The instruction trace that riscv-dv makes of each simulator's log, as CSV: address,
 * mnemonic, registers written and their values, CSRs, code, privilege, text, operands.
 * Operands have no blanks, and the base register of an address comes before its offset.
 *
 *	pc,instr,gpr,csr,binary,mode,instr_str,operand,pad
 *	0000000000010596,ld,a0:0000000000000001,,6522,0,"ld a0, 8(sp)","a0,sp,8",
 *
 * Registers are those that record --commits has, or else those that loads write, and CSRs
 * those of the former; vectors are left out. Several are parted by semicolons.
 */
#include "export/mem_format.h"

#include "out/text.h"

#include <inttypes.h>
#include <string.h>

/*
 * "a0, 8(sp)" becomes "a0,sp,8". An address without an offset stays: "a5,(a1)". What follows a
 * '#' is a comment, the target of a branch.
 */
static void print_operands(FILE *out, const char *operands)
{
	char plain[256], *open, *close, *offset;
	size_t n = 0;

	for (; *operands && *operands != '#' && n < sizeof(plain) - 1; operands++)
		if (*operands != ' ')
			plain[n++] = *operands;
	plain[n] = 0;
	open = strchr(plain, '(');
	close = open ? strchr(open, ')') : NULL;
	if (!close || close[1] || open == plain || open[-1] == ',') {
		fputs(plain, out);
		return;
	}
	*open = *close = 0;
	offset = strrchr(plain, ',');
	offset = offset ? offset + 1 : plain;
	fprintf(out, "%.*s%s,%s", (int)(offset - plain), plain, open + 1, offset);
}

/* Registers first <= number < end. */
static void print_written(FILE *out, const struct mem_insn *insn, unsigned first,
			  unsigned end)
{
	const char *before = "";
	struct mem_register written;

	for (size_t i = 0; mem_written(insn, i, &written); i++) {
		int digits = (int)insn->xlen / 4;

		if (written.number < first || written.number >= end)
			continue;
		if (first < REGISTERS_FIRST_CSR && written.number >= REGISTERS_FIRST_FP)
			digits = 16;
		fprintf(out, "%s%s:%0*" PRIx64, before,
			register_name("riscv64", written.number), digits,
			written.data[0]);
		before = ";";
	}
}

static void print(FILE *out, const struct mem_insn *insn)
{
	int digits = (int)insn->xlen / 4;
	size_t mnemonic = strcspn(insn->disas, " ");

	fprintf(out, "%0*" PRIx64 ",%.*s,", digits, insn->address, (int)mnemonic,
		insn->disas);
	print_written(out, insn, 0, REGISTERS_FIRST_CSR);
	putc(',', out);
	print_written(out, insn, REGISTERS_FIRST_CSR, REGISTERS_FIRST_VECTOR);
	fprintf(out, ",%0*" PRIx64 ",%u,\"", 2 * (int)insn->bytes, insn->opcode,
		insn->mode);
	text_disas(out, insn->disas, 0);
	fputs("\",\"", out);
	print_operands(out, insn->disas + mnemonic);
	fputs("\",\n", out);
}

const struct mem_format mem_riscv_dv = {
	.format = { "riscvdv", FORMAT_MEM, "csv", "riscv-dv's instruction trace",
		    "--mem-values or --commits" },
	.text = MEM_TEXT_RIGHT,
	.riscv_only = true,
	.wants_mode = true,
	.needs_data = true,
	.header = "pc,instr,gpr,csr,binary,mode,instr_str,operand,pad\n",
	.print = print,
};
