// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * One bare hexadecimal address a line: the smallest form that diff and scripts can use.
 *
 * It has no ordinals, names or headers, so two runs compare line by line, and a list of
 * the blocks that ran is `sort -u` of it. Example: blocks at 0x10400 and 0x10424 give the
 * lines "10400" and "10424".
 */
#include "export/block_format.h"

#include <inttypes.h>

static void print(FILE *out, const struct block *block)
{
	fprintf(out, "%" PRIx64 "\n", block->address);
}

const struct block_format block_pc = {
	.line = { .format = { "pc", FORMAT_BLOCKS, "txt", "the address, in hexadecimal" }, },
	.print = print,
};
