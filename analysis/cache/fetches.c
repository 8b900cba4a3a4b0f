// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Lists the fetches of a block that can miss: one walk over the sizes of its
 * instructions.
 *
 * A fetch that lies in the line where the one before it ended is left out. Whether the
 * first fetch is in the line of the fetch before it depends on the block that ran before,
 * so it is always listed.
 *
 * Example: lines of 64 bytes, instructions of 4 bytes at 0x1036, 0x103a, 0x103e and
 * 0x1042. The first one is listed, and the third, which begins in one line and ends in
 * the next; the fourth is in the line where the third one ended.
 */
#include "analysis/cache/fetches.h"

#include <stdlib.h>

/* Adds the fetch if it is to be listed; `line` is where the one before it ended. */
static uint64_t add(struct fetches *fetches, const struct wm_block *block,
		    struct fetch fetch, unsigned line_bits, uint64_t line)
{
	uint64_t address = block->address + fetch.off;
	uint64_t last = (address + fetch.bytes - 1) >> line_bits;

	if (!fetch.insn || address >> line_bits != last || last != line) {
		if (fetches->n)
			fetches->all[fetches->n - 1].until = fetch.insn;
		fetches->all[fetches->n++] = fetch;
	}
	return last;
}

struct fetches *fetches_new(const struct wm_block *block, unsigned line_bits)
{
	struct fetches *fetches =
		calloc(1, sizeof(*fetches) + block->insns * sizeof(*fetches->all));
	uint64_t line = 0;
	uint32_t off = 0;

	if (!fetches)
		return NULL;
	fetches->address = block->address;
	fetches->insns = block->insns;
	for (uint32_t i = 0; i < block->insns; off += block->sizes[i++]) {
		struct fetch fetch = { off, (uint16_t)i, (uint16_t)block->insns,
				       block->sizes[i] };

		/*
		 * No list: the caller then takes the way that looks at each instruction.
		 */
		if (!fetch.bytes) {
			fetches->n = 0;
			break;
		}
		line = add(fetches, block, fetch, line_bits, line);
	}
	return fetches;
}
