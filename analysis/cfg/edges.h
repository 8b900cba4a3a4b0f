/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How often each block was followed by which: exact counts over the walk, of each space.
 * Memory is bounded by the number of distinct pairs.
 */
#ifndef ANALYSIS_CFG_EDGES_H
#define ANALYSIS_CFG_EDGES_H

#include <stddef.h>

#include "analysis/selection.h"
#include "waymark.h"

#define EDGE_WHOLE UINT32_MAX

/* After block `from` came block `to`, `count` times. */
struct edge {
	uint32_t space; /* index */
	uint32_t from, to;
	/*
	 * EDGE_WHOLE: `from` ran to its end and led to `to`. Otherwise control was taken
	 * away after `left` instructions of `from`, by a signal or in any other way.
	 */
	uint32_t left;
	uint64_t count;
};

/* Where the selected part of a thread starts or stops: inside block `id`, or at a gap. */
struct edges_end {
	uint32_t space, id;
	uint32_t index; /* of the instruction that was first, or would have been next */
	uint64_t count;
};

struct edges {
	struct edge *edges; /* [n] by space, from, to, left, each once */
	size_t n;
	struct edges_end *starts, *stops; /* by space, id, index, each once */
	size_t n_starts, n_stops;
};

#define EDGES_INIT ((struct edges){ .edges = NULL })

/* Fills in *edges, which is the caller's to edges_fini(), on failure empty. */
int edges_gather(struct edges *edges, const struct wm_trace *trace,
		 const struct selection *selection, struct wm_error *err);
void edges_fini(struct edges *edges);
extern const struct analysis edges_analysis;

/* The same in steps: edges_begin(), a run of edges_analysis with it, and edges_finish(). */
struct edges_walk {
	const struct wm_trace *trace;
	struct edges *edges;
	/*
	 * Edges of streams that are complete are sorted and summed when the list has this
	 * many.
	 */
	size_t compact_at;
};

void edges_begin(struct edges_walk *walk, struct edges *edges,
		 const struct wm_trace *trace);
/* On failure *edges is empty. */
int edges_finish(struct edges_walk *walk, struct wm_error *err);

#endif
