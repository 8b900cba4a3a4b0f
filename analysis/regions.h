/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Regions: what a thread ran from a marker that begins to the one of the same id that ends,
 * the first included, the second not. They nest, and need not: of regions of one id, an
 * end closes the one begun last; what of other ids is open meanwhile stays open.
 */
#ifndef ANALYSIS_REGIONS_H
#define ANALYSIS_REGIONS_H

#include <stddef.h>

#include "isa/marker.h"
#include "waymark.h"

/* So many of one id may be open in a thread; when it is more, the oldest half is unended. */
#define REGIONS_OPEN_MAX (1u << 16)

/* A marker, and what is known by it. */
struct mark {
	unsigned stream;
	uint32_t what, id;
	uint32_t depth;	      /* regions around it; around its own, if it has one */
	uint64_t insn, ns;    /* where, and when: as the event has it */
	uint64_t since_insns; /* that the thread executed since the one before */
	/* Of an end: */
	bool paired;
	uint64_t begin; /* its begin's ordinal; insn - begin is what the region took */
};

/* All markers of one id. */
struct region_sums {
	uint64_t points;
	uint64_t regions; /* that have both; of these: */
	uint64_t fewest, most, insns;
	uint64_t unbegun, unended; /* ends and begins that have no other */
};

struct regions;

/*
 * For events of `streams` threads, which each come in their order; `since` of a thread's
 * first marker counts from ordinal `from`. The caller's to free. WM_E_NOMEM.
 */
int regions_new(struct regions **regions, unsigned streams, uint64_t from,
		struct wm_error *err);
void regions_free(struct regions *regions);

/* Tells of an event of a thread in *mark. WM_END: it is no marker. WM_E_NOMEM. */
int regions_take(struct regions *regions, unsigned stream, const struct wm_event *event,
		 struct mark *mark, struct wm_error *err);

/* So far; begins that are open count as unended. `id` is at most MARKER_ID_MAX. */
void regions_sums(const struct regions *regions, uint32_t id, struct region_sums *sums);

/*
 * The begins that are open, by thread and ordinal, into *open[*n], the caller's to free;
 * without what was before them. WM_E_NOMEM.
 */
int regions_open(const struct regions *regions, struct mark **open, size_t *n,
		 struct wm_error *err);

#endif
