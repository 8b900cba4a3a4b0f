// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A line for an instruction of a comparison, and counts of instructions, for all that diff
 * prints.
 *
 *	            7            7  0x10150        main+0x10        li a0, 1
 */
#include "cli/diff/insn_line.h"

#include <inttypes.h>
#include <stdio.h>

#include "out/text.h"

const char *insns_text(uint64_t insns, char *text)
{
	char number[NUMBER_TEXT];

	sprintf(text, "%s instruction%s", number_grouped(number, insns),
		insns == 1 ? "" : "s");
	return text;
}

/*
 * Returns text[size]: function and offset; the file and an offset where no symbol is
 * known; "[anonymous]" for code without a file, such as that of a JIT compiler.
 */
static const char *place_text(const struct code_name *place, char *text, size_t size)
{
	const char *name = place->symbol ? place->symbol : place->module;

	if (!name)
		snprintf(text, size, "[anonymous]");
	else if (place->symbol && !place->offset)
		snprintf(text, size, "%s", name);
	else
		snprintf(text, size, "%s+0x%" PRIx64, name, place->offset);
	text_make_line(text);
	return text;
}

/*
 * A side that does not have the instruction leaves its column blank. 12 digits hold a
 * trillion instructions.
 */
static void print_ordinal(const uint64_t *ordinal)
{
	if (ordinal)
		printf(" %12" PRIu64, *ordinal);
	else
		printf(" %12s", "");
}

/* The name is padded only when disassembly follows, so no line ends with blanks. */
void insn_line_print(char mark, const uint64_t *a, const uint64_t *b,
		     const struct spot *spot)
{
	char place[320];

	putchar(mark);
	print_ordinal(a);
	print_ordinal(b);
	printf("  0x%-12" PRIx64 " %-*s", spot->address, *spot->disas ? 28 : 0,
	       place_text(&spot->place, place, sizeof(place)));
	if (*spot->disas) {
		putchar(' ');
		text_disas(stdout, spot->disas, 8);
	}
	putchar('\n');
}
