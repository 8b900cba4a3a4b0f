// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A line for an instruction of a comparison, and counts of instructions, for all that diff
 * prints.
 *
 *	            7            7  0x10150        main+0x10        li a0, 1        work.c:3
 */
#include "cli/diff/insn_line.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "out/text.h"

enum { DISAS_WIDTH = 34 };

const char *insns_text(uint64_t insns, char *text)
{
	char number[NUMBER_TEXT];

	sprintf(text, "%s instruction%s", number_grouped(number, insns),
		insns == 1 ? "" : "s");
	return text;
}

/* Returns text[size]: the function, else the file, and the offset in it. */
static const char *place_text(const struct code_name *place, char *text, size_t size)
{
	bool is_whole = !place->offset || (!place->symbol && !place->module);
	char *title = source_title(place);

	if (is_whole)
		snprintf(text, size, "%s", title ? title : "");
	else
		snprintf(text, size, "%s+0x%" PRIx64, title ? title : "", place->offset);
	free(title);
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

/* "sort.c:17" behind what the line has so far, which is `printed` wide. */
static void print_source(const struct spot *spot, int printed)
{
	const char *slash = strrchr(spot->path, '/');

	printf("%*s", printed < DISAS_WIDTH ? DISAS_WIDTH - printed : 1, "");
	text_line(stdout, slash ? slash + 1 : spot->path);
	printf(":%" PRIu32, spot->line);
}

/* Returns its width. */
static int print_disas(const struct spot *spot)
{
	char *text = text_disas_new(spot->disas, 8);
	int width = printf(" %s", text ? text : "");

	free(text);
	return width;
}

/* The name is padded only when disassembly follows, so no line ends with blanks. */
void insn_line_print(char mark, const uint64_t *a, const uint64_t *b,
		     const struct spot *spot)
{
	char place[320];
	int printed = 0;

	putchar(mark);
	print_ordinal(a);
	print_ordinal(b);
	printf("  0x%-12" PRIx64 " %-*s", spot->address, *spot->disas ? 28 : 0,
	       place_text(&spot->place, place, sizeof(place)));
	if (*spot->disas)
		printed = print_disas(spot);
	if (spot->path)
		print_source(spot, printed);
	putchar('\n');
}
