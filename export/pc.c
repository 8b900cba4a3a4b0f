// SPDX-License-Identifier: GPL-2.0-or-later
/* One bare hexadecimal address a line: the smallest form that diff and scripts want. */
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
