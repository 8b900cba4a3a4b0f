// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The traces of Dinero III, which Dinero IV reads with -informat d: a line for each
 * reference, of a label and a hexadecimal address. Labels: 0 a load, 1 a store, 2 an
 * instruction. The format has no sizes; readers take each reference for one word.
 *
 *	2 105c4
 *	0 40008007e0
 */
#include "export/mem_format.h"

#include <inttypes.h>

static void print(FILE *out, const struct mem_insn *insn)
{
	fprintf(out, "2 %" PRIx64 "\n", insn->address);
	for (size_t i = 0; i < insn->n; i++)
		fprintf(out, "%c %" PRIx64 "\n",
			insn->accesses[i].kind == WM_ACCESS_STORE ? '1' : '0',
			insn->accesses[i].address);
}

const struct mem_format mem_din = {
	.format = { "din", FORMAT_MEM, "din", "references for Dinero", "--mem" },
	.print = print,
};
