// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Whether a file without a build-id is the one that ran. The trace has the code of every
 * block that ran, so the file is compared with that. Blocks are taken from the histograms
 * of chunks, not from the table of blocks: the table does not say in which space a block
 * ran, and two spaces may have different code at one address. A few histograms usually
 * have enough blocks; decoding one is expensive.
 *
 * A file of another build may have most blocks in common, because what is behind a change
 * moves and what is before it does not: Go's linker puts the user's functions last. So one
 * block that is other code altogether is enough to refuse a process's file. A block of which
 * only some bytes differ was patched while it ran, or has relocations in it. Kernels replace
 * whole instructions of theirs when they start, so of a machine half of the blocks is enough.
 *
 * Example: 640 blocks of the module in the first histogram; 630 are found in the file, byte
 * for byte, and 10 have another call in their middle: it is the file that ran. In another
 * file 600 are found, and 40 are other code: it is not.
 */
#include "program/sample.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SAMPLE_BLOCKS = 1 << 14, SAMPLE_BYTES = 64, SAMPLE_CHUNKS = 8 };
enum { JUDGED_BYTES = 16 }; /* shorter blocks may look alike, or be one instruction */

struct sample {
	const struct sample_of *of;
	int fd;
	uint32_t blocks; /* compared */
	uint32_t equal;
	uint32_t other; /* that have hardly a byte in common with the file */
};

/* Whether block `id` is code of the module, and not of another one mapped there. */
static bool is_of_module(const struct sample_of *of, uint32_t id, struct wm_block *block)
{
	const struct wm_module *module = of->module;
	const struct extent *extent;

	if (wm_trace_block(of->trace, id, block) != 0 || block->address < module->start ||
	    block->address >= module->end)
		return false;
	extent = extents_find(of->extents, of->trace, module->space, block->address, id);
	return extent && extent->what == of->what;
}

/* Compares the start of a block with the file, at the byte that was mapped there. */
static void compare_block(struct sample *sample, const struct wm_block *block)
{
	const struct wm_module *module = sample->of->module;
	uint64_t off = block->address - module->start + module->file_off;
	size_t n = block->bytes < SAMPLE_BYTES ? block->bytes : SAMPLE_BYTES;
	uint8_t bytes[SAMPLE_BYTES];
	size_t same = 0;

	sample->blocks++;
	if (pread(sample->fd, bytes, n, (off_t)off) == (ssize_t)n)
		for (size_t i = 0; i < n; i++)
			same += bytes[i] == block->code[i];
	sample->equal += same == n;
	sample->other += n >= JUDGED_BYTES && same < n / 2;
}

/*
 * Compares the module's blocks in a histogram. Of very many it compares some, spread over all
 * of them: neighbours may have survived a rebuild. The first pass counts them, so that the
 * stride is known.
 */
static void compare_some(struct sample *sample, const struct wm_count *counts, size_t n)
{
	size_t own = 0, stride, seen = 0;
	struct wm_block block;

	for (size_t i = 0; i < n; i++)
		own += is_of_module(sample->of, counts[i].id, &block);
	stride = own / SAMPLE_BLOCKS + 1;
	for (size_t i = 0; i < n; i++)
		if (is_of_module(sample->of, counts[i].id, &block) &&
		    seen++ % stride == 0)
			compare_block(sample, &block);
}

static bool is_process(const struct sample_of *of)
{
	struct wm_space space;

	return wm_trace_space(of->trace, of->module->space, &space) != 0 ||
	       space.kind == WM_SPACE_PROCESS;
}

/*
 * Histograms are read until a sample is compared. More than one: each is of one thread, and
 * the first thread may run none of the code that differs. A file of which nothing ran
 * passes, because nothing contradicts it.
 */
bool sample_is_what_ran(const struct sample_of *of, int fd)
{
	struct sample sample = { .of = of, .fd = fd };
	unsigned histograms = 0;
	struct wm_chunk chunk;

	for (uint64_t i = 0;
	     sample.blocks < SAMPLE_BLOCKS && histograms < SAMPLE_CHUNKS &&
	     wm_trace_chunk(of->trace, i, &chunk) == 0;
	     i++) {
		struct wm_count *counts;
		size_t n;

		if (chunk.space != of->module->space ||
		    wm_trace_histogram(of->trace, i, &counts, &n, NULL) != 0)
			continue;
		histograms++;
		compare_some(&sample, counts, n);
		free(counts);
	}
	return sample.equal >= sample.blocks - sample.equal &&
	       !(sample.other && is_process(of));
}
