/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lines of what diff prints for people: instructions, to stdout. */
#ifndef CLI_DIFF_INSN_LINE_H
#define CLI_DIFF_INSN_LINE_H

#include "out/number.h"
#include "query/spot.h"

/* Room for a number and " instructions", which is 13 characters and a NUL. */
enum { INSNS_TEXT = NUMBER_TEXT + 16 };
/* "3 instructions"; returns text[INSNS_TEXT]. */
const char *insns_text(uint64_t insns, char *text);

/*
 * Prints the mark, the ordinals in A and in B (NULL: a side does not have it), the address,
 * its name, and the disassembly and the line of source if they are known.
 */
void insn_line_print(char mark, const uint64_t *a, const uint64_t *b,
		     const struct spot *spot);

#endif
