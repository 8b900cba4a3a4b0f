/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How often blocks ran, from the histograms of chunks: only the two chunks that --from
 * and --to cut are retraced. Exact to the instruction: executions that left a block early
 * are listed separately.
 *
 * An instruction's executions are the sum over all blocks that contain it, because
 * translation blocks overlap. Block ids are the trace's. The same id may stand for
 * different files in different spaces, so a row belongs to a space.
 */
#ifndef ANALYSIS_COUNTS_H
#define ANALYSIS_COUNTS_H

#include <stddef.h>

#include "analysis/selection.h"
#include "waymark.h"

/* Block `id`, which is no gap, ran from its first to its last instruction `count` times. */
struct counts_row {
	uint32_t space; /* index */
	uint32_t id;
	uint64_t count;
};

/* Of block `id` only the instructions `begin` <= index < `end` ran, `count` times. */
struct counts_part {
	uint32_t space, id;
	uint32_t begin, end;
	uint32_t uncertain; /* the last `uncertain` of these may not have run */
	uint64_t count;
};

struct counts {
	struct counts_row *rows; /* [n_rows] by space and id, each once */
	size_t n_rows;
	struct counts_part *parts; /* [n_parts] by space, id, begin, end, uncertain */
	size_t n_parts;
	uint64_t insns, blocks; /* everything recorded, uncertain instructions included */
	uint64_t uncertain;
};

#define COUNTS_INIT ((struct counts){ .rows = NULL })

/* Fills in *counts, which is the caller's to counts_fini(), on failure empty. */
int counts_gather(struct counts *counts, const struct wm_trace *trace,
		  const struct selection *selection, struct wm_error *err);
void counts_fini(struct counts *counts);

/* The space in which most instructions of block `id` ran; 0 when none did. */
uint32_t counts_main_space(const struct counts *counts, const struct wm_trace *trace,
			   uint32_t id);

#endif
