// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Comma-separated values with a line of column names (RFC 4180, but with bare newlines).
 * Addresses are hexadecimal, symbol and offset empty when not known.
 */
#include "export/block_format.h"
#include "export/insn_format.h"

#include "out/text.h"

#include <inttypes.h>

static void print_symbol(FILE *out, const char *symbol, uint64_t offset)
{
	if (symbol) {
		text_csv(out, symbol);
		fprintf(out, ",%" PRIu64 ",", offset);
	} else {
		fputs(",,", out);
	}
}

/* Commas separate operands too, so this field is always quoted; it has no quotes. */
static void print_disas(FILE *out, const char *disas)
{
	putc('"', out);
	text_disas(out, disas, 0);
	fputs("\"\n", out);
}

static void print_insn(FILE *out, const struct insn *insn)
{
	fprintf(out, ",0x%" PRIx64 ",", insn->address);
	print_symbol(out, insn->symbol, insn->offset);
	fprintf(out, "%0*" PRIx64 ",", insn_digits(insn), insn_opcode(insn));
	print_disas(out, insn->disas);
}

static void print_block(FILE *out, const struct block *block)
{
	fprintf(out, ",%" PRIu32 ",0x%" PRIx64 ",", block->id, block->address);
	print_symbol(out, block->symbol, block->offset);
	fprintf(out, "%u,%u,", block->insns, block->bytes);
	print_disas(out, block->last);
}

const struct insn_format insn_csv = {
	.name = "csv",
	.header = "ordinal,address,symbol,offset,code,disassembly\n",
	.before_ordinal = "",
	.print = print_insn,
};

const struct block_format block_csv = {
	.name = "csv",
	.header = "ordinal,block,address,symbol,offset,insns,bytes,last\n",
	.before_ordinal = "",
	.print = print_block,
};
