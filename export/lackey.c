// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The lines of Valgrind's lackey with --trace-mem=yes: an instruction, then what it loads
 * and stores, each with a hexadecimal address and a size in bytes. A load and the store
 * right after it to the same place are one "modify", as in lackey.
 *
 *	I  000105c4,2
 *	 L 40008007e0,8
 *	 M 00012f40,4
 */
#include "export/mem_format.h"

#include <inttypes.h>

static bool modifies(const struct wm_access *load, const struct wm_access *store)
{
	return load->kind == WM_ACCESS_LOAD && store->kind == WM_ACCESS_STORE &&
	       load->address == store->address && load->size == store->size;
}

static void print(FILE *out, const struct mem_insn *insn)
{
	const struct wm_access *access = insn->accesses, *end = access + insn->n;

	fprintf(out, "I  %08" PRIx64 ",%u\n", insn->address, insn->bytes);
	for (; access < end; access++) {
		char letter = access->kind == WM_ACCESS_STORE ? 'S' : 'L';

		if (access + 1 < end && modifies(access, access + 1)) {
			letter = 'M';
			access++;
		}
		fprintf(out, " %c %08" PRIx64 ",%u\n", letter, access->address,
			access->size);
	}
}

const struct mem_format mem_lackey = {
	.format = { "lackey", FORMAT_MEM, "lackey", "lines of Valgrind's lackey",
		    "--mem" },
	.print = print,
};
