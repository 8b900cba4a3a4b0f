// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Listings for people: ordinal, address, symbol+offset, then for an instruction its code
 * and disassembly, for a block its size and its last instruction, which decides where
 * control goes. A gap has a line of its own:
 *
 *	1204  0x10424  main+0x8  00a58593  addi    a1, a1, 10
 *	 ...  not recorded: 1,200 instructions
 *
 * The fields have minimum widths: a longer text moves what follows and is never cut.
 */
#include "export/block_format.h"
#include "export/insn_format.h"
#include "export/place_format.h"

#include "out/number.h"
#include "out/text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Widths in characters. */
enum {
	THREAD_WIDTH = 4,
	ORDINAL_WIDTH = 10,
	ADDRESS_WIDTH = 14,
	SYMBOL_WIDTH = 28,
	CODE_WIDTH = 8,
	DISAS_WIDTH = 30
};

/* Fills a field up to its width; a text that is too long is followed by two blanks. */
static void pad(FILE *out, int used, int width)
{
	fprintf(out, "%*s", used < width ? width - used + 2 : 2, "");
}

static void print_address(FILE *out, uint64_t address)
{
	fputs("  ", out);
	pad(out, fprintf(out, "0x%" PRIx64, address), ADDRESS_WIDTH);
}

/* The source line stands behind the disassembly, its file without folders. */
static void print_source(FILE *out, const struct insn *insn)
{
	const char *slash = strrchr(insn->source, '/');
	char *text = text_disas_new(insn->disas, 8);

	/* Without memory the disassembly is missing. */
	pad(out, fprintf(out, "%s", text ? text : ""), DISAS_WIDTH);
	free(text);
	text_line(out, slash ? slash + 1 : insn->source);
	fprintf(out, ":%" PRIu32, insn->source_line);
}

static void print_insn(FILE *out, const struct insn *insn)
{
	char code[INSN_CODE_TEXT];

	print_address(out, insn->address);
	/* Wide enough for most names, so that the code after them is aligned. */
	pad(out, place_print(out, insn->symbol, insn->module, insn->offset),
	    SYMBOL_WIDTH);
	pad(out, fprintf(out, "%s", insn_code(insn, "", code)), CODE_WIDTH);
	if (insn->source)
		print_source(out, insn);
	else
		text_disas(out, insn->disas, 8);
	putc('\n', out);
}

static void print_block(FILE *out, const struct block *block)
{
	print_address(out, block->address);
	pad(out, place_print(out, block->symbol, block->module, block->offset),
	    SYMBOL_WIDTH);
	fprintf(out, "%3u insns %4u bytes  ", block->insns, block->bytes);
	text_disas(out, block->last, 8);
	putc('\n', out);
}

/* The ordinal is that of the next instruction, and its line follows. */
static int print_gap(char *text, size_t size, uint64_t ordinal, uint64_t insns)
{
	char number[NUMBER_TEXT];

	(void)ordinal;
	if (!insns)
		return snprintf(text, size, "%*s  not recorded\n", ORDINAL_WIDTH, "...");
	return snprintf(text, size, "%*s  not recorded: %s %s\n", ORDINAL_WIDTH, "...",
			number_grouped(number, insns),
			insns == 1 ? "instruction" : "instructions");
}

/* An uncertain instruction has a question mark before its newline. */
#define TEXT_LINE                                                                  \
	.before_ordinal = "", .ordinal_width = ORDINAL_WIDTH, .before_thread = "", \
	.thread_width = THREAD_WIDTH, .after_thread = " ", .tail = "\n",           \
	.uncertain = "  ?\n", .gap = print_gap, .events = &event_comment,          \
	.shows_events = true

const struct insn_format insn_text = {
	.line = { .format = { "text", FORMAT_INSNS, "txt", "for people" },
		  TEXT_LINE,
		  .lines = true,
		  .accesses = &accesses_text,
		  .labels = &labels_insn_text },
	.print = print_insn,
};

const struct block_format block_text = {
	.line = { .format = { "text", FORMAT_BLOCKS, "txt", "for people" },
		  TEXT_LINE,
		  .labels = &labels_block_text },
	.print = print_block,
};
