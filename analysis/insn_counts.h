/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How often each instruction ran, exactly: summed over all the blocks that contain it, for
 * they overlap, and over all spaces that ran it. An instruction is bytes at a place of
 * a file, wherever that was mapped, or without a file at an address; other bytes at the
 * same place, as code that is patched has, are another one.
 */
#ifndef ANALYSIS_INSN_COUNTS_H
#define ANALYSIS_INSN_COUNTS_H

#include <stddef.h>

#include "analysis/counts.h"
#include "program/symbols.h"

#define INSN_NO_FILE UINT32_MAX

struct insn_count {
	struct origin origin; /* .file is INSN_NO_FILE: .file_off is the address */
	uint64_t count;
	uint64_t uncertain; /* executions of these that are uncertain */
	/* Where it was met first: instruction `index` of block `id`. */
	uint32_t space, id, index;
	uint32_t bytes;
	uint64_t address;
	const uint8_t *code; /* [bytes], the trace's */
};

struct insn_counts {
	struct insn_count *all; /* [n] by file, place and code, each once */
	size_t n;
};

#define INSN_COUNTS_INIT ((struct insn_counts){ .all = NULL })

/* Fills in *insns, which is the caller's to insn_counts_fini(), on failure empty. */
int insn_counts_gather(struct insn_counts *insns, const struct wm_trace *trace,
		       const struct symbols *symbols, const struct counts *counts,
		       struct wm_error *err);
void insn_counts_fini(struct insn_counts *insns);

/* Fills in *insn for instruction `index` of block `id` in a space, with no counts. */
void insn_count_at(struct insn_count *insn, const struct wm_block *block,
		   const struct symbols *symbols, uint32_t space, uint32_t id,
		   uint32_t index);
/* Their order by file, place and code: 0 when both are the same instruction. */
int insn_count_compare(const struct insn_count *a, const struct insn_count *b);
/* The same instruction as `insn` among those; NULL when it did not run. */
const struct insn_count *insn_counts_find(const struct insn_counts *insns,
					  const struct insn_count *insn);

#endif
