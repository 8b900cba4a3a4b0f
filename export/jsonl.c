// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * JSON lines: one object a line. Addresses are strings, since readers that take numbers
 * for doubles would round them.
 */
#include "export/block_format.h"
#include "export/insn_format.h"

#include "out/json.h"
#include "out/text.h"

#include <inttypes.h>
#include <stdlib.h>

static void print_address(FILE *out, uint64_t address, const char *symbol,
			  uint64_t offset)
{
	fprintf(out, ",\"address\":\"0x%" PRIx64 "\",\"symbol\":", address);
	if (symbol) {
		json_quote(out, symbol);
		fprintf(out, ",\"offset\":%" PRIu64, offset);
	} else {
		fputs("null,\"offset\":null", out);
	}
}

static void print_disas(FILE *out, const char *key, const char *disas)
{
	char *text = NULL;
	size_t bytes;
	FILE *squeezed = open_memstream(&text, &bytes);

	if (squeezed) {
		text_disas(squeezed, disas, 0);
		fclose(squeezed);
	}
	fprintf(out, ",\"%s\":", key);
	json_quote(out, text ? text : disas);
	fputs("}\n", out);
	free(text);
}

static void print_insn(FILE *out, const struct insn *insn)
{
	print_address(out, insn->address, insn->symbol, insn->offset);
	fprintf(out, ",\"code\":\"%0*" PRIx64 "\"", insn_digits(insn), insn_opcode(insn));
	print_disas(out, "disassembly", insn->disas);
}

static void print_block(FILE *out, const struct block *block)
{
	fprintf(out, ",\"block\":%" PRIu32, block->id);
	print_address(out, block->address, block->symbol, block->offset);
	fprintf(out, ",\"insns\":%u,\"bytes\":%u", block->insns, block->bytes);
	print_disas(out, "last", block->last);
}

const struct insn_format insn_jsonl = {
	.name = "jsonl",
	.before_ordinal = "{\"ordinal\":",
	.print = print_insn,
};

const struct block_format block_jsonl = {
	.name = "jsonl",
	.before_ordinal = "{\"ordinal\":",
	.print = print_block,
};
