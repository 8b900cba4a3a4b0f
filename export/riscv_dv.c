// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The instruction trace that riscv-dv makes of each simulator's log, as CSV: address,
 * mnemonic, registers written and their values, CSRs, code, privilege, text, operands.
 * Operands have no blanks, and the base register of an address comes before its offset.
 *
 *	pc,instr,gpr,csr,binary,mode,instr_str,operand,pad
 *	0000000000010596,ld,a0:0000000000000001,,6522,0,"ld a0, 8(sp)","a0,sp,8",
 *
 * Registers are those that record --commits has, or else those that loads write; CSRs are left
 * out. Several are parted by semicolons.
 */
#include "export/mem_format.h"

#include "out/text.h"

#include <inttypes.h>
#include <string.h>

/* "a0, 8(sp)" becomes "a0,sp,8". */
static void print_operands(FILE *out, const char *operands)
{
	char plain[256], *open, *close, *offset;
	size_t n = 0;

	for (; *operands && n < sizeof(plain) - 1; operands++)
		if (*operands != ' ')
			plain[n++] = *operands;
	plain[n] = 0;
	open = strchr(plain, '(');
	close = open ? strchr(open, ')') : NULL;
	if (!close || close[1]) {
		fputs(plain, out);
		return;
	}
	*open = *close = 0;
	offset = strrchr(plain, ',');
	offset = offset ? offset + 1 : plain;
	fprintf(out, "%.*s%s,%s", (int)(offset - plain), plain, open + 1, offset);
}

static void print(FILE *out, const struct mem_insn *insn)
{
	int digits = (int)insn->xlen / 4;
	size_t mnemonic = strcspn(insn->disas, " ");
	struct mem_register written;

	fprintf(out, "%0*" PRIx64 ",%.*s,", digits, insn->address, (int)mnemonic,
		insn->disas);
	for (size_t i = 0; mem_written(insn, i, &written); i++)
		fprintf(out, "%s%s:%0*" PRIx64, i ? ";" : "",
			riscv_register_name(written.file, written.number),
			written.file == RISCV_F ? 16 : digits, written.value);
	fprintf(out, ",,%0*" PRIx64 ",0,\"", 2 * (int)insn->bytes, insn->opcode);
	text_disas(out, insn->disas, 0);
	fputs("\",\"", out);
	print_operands(out, insn->disas + mnemonic);
	fputs("\",\n", out);
}

const struct mem_format mem_riscv_dv = {
	.format = { "riscvdv", FORMAT_MEM, "csv", "riscv-dv's instruction trace" },
	.text = MEM_TEXT_RIGHT,
	.riscv_only = true,
	.needs_data = true,
	.header = "pc,instr,gpr,csr,binary,mode,instr_str,operand,pad\n",
	.print = print,
};
