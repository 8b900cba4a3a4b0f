/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Regions: what a thread ran from a marker that begins a region to the one of the same id
 * that ends it. The beginning belongs to the region, the end does not. Regions may nest
 * or overlap. Among regions of one id, an end closes the one begun last; regions of other
 * ids stay open.
 */
#ifndef ANALYSIS_REGIONS_H
#define ANALYSIS_REGIONS_H

#include <stddef.h>

#include "isa/marker.h"
#include "waymark.h"

/*
 * The most regions of one id that may be open in a thread; beyond, the oldest half counts
 * as unended.
 */
#define REGIONS_OPEN_MAX (1u << 16)

/* A marker, and what follows from it. */
struct mark {
	unsigned stream;
	uint32_t what, id;
	uint32_t depth;	      /* regions around it; around its own, if it has one */
	uint64_t insn, ns;    /* where, and when: as the event has it */
	uint64_t since_insns; /* instructions since the thread's previous marker */
	/* Of an end: */
	bool paired;
	uint64_t begin; /* ordinal of its begin; the region has insn - begin
			 * instructions */
};

/* All markers of one id. */
struct region_sums {
	uint64_t points;
	uint64_t regions; /* regions with both markers; of these: */
	uint64_t fewest, most, insns;
	uint64_t unbegun, unended; /* ends without a begin, begins without an end */
};

struct regions;

/*
 * For events of `streams` threads; each thread's events come in their order.
 * `since_insns` of a thread's first marker counts from ordinal `from`. The caller frees
 * it. Errors: WM_E_NOMEM.
 */
int regions_new(struct regions **regions, unsigned streams, uint64_t from,
		struct wm_error *err);
void regions_free(struct regions *regions);

/*
 * Fills in *mark from an event of a thread. WM_END: the event is no marker. WM_E_NOMEM.
 */
int regions_take(struct regions *regions, unsigned stream, const struct wm_event *event,
		 struct mark *mark, struct wm_error *err);

/* The sums so far; open begins count as unended. `id` is at most MARKER_ID_MAX. */
void regions_sums(const struct regions *regions, uint32_t id, struct region_sums *sums);

/*
 * The open begins, by thread and ordinal, into *open[*n], which the caller frees.
 * `since_insns` is not set in them. Errors: WM_E_NOMEM.
 */
int regions_open(const struct regions *regions, struct mark **open, size_t *n,
		 struct wm_error *err);

#endif
