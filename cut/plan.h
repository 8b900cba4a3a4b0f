/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which chunks of a trace a part has, and how much of each. */
#ifndef CUT_PLAN_H
#define CUT_PLAN_H

#include "collect/trim.h"
#include "cut/cut.h"

/* A stream that the part has. */
struct cut_stream {
	unsigned old; /* index in the trace; its index in the plan is the new one */
	struct dropped dropped; /* what comes before the part */
	uint64_t end;		/* block ordinal after its last block */
	uint32_t skip,
		id;    /* its first block is that block without `skip` instructions, */
	uint32_t as;   /* and gets this id; skip 0: it is whole */
	uint32_t last; /* instructions of the last block that are in it; UINT32_MAX: all */
};

struct cut_chunk {
	uint32_t index; /* in the trace */
	bool whole;	/* it is copied; else: */
	struct trim_range range;
};

struct cut_plan {
	struct cut_stream *streams; /* [n_streams] */
	struct cut_chunk *chunks;   /* [n_chunks] in the order of the file */
	unsigned n_streams;
	size_t n_chunks;
	uint64_t begin_ns, end_ns; /* about when it ran */
};

/* Errors are those of cursors, and of cut_write(). The caller ends *plan by cut_plan_fini(). */
int cut_plan_make(struct cut_plan *plan, const struct cut *cut, struct wm_error *err);
void cut_plan_fini(struct cut_plan *plan);

/* The stream's index in the plan; plan->n_streams: the part does not have it. */
unsigned cut_plan_find(const struct cut_plan *plan, unsigned old);
/* Sets the ids of shorter first blocks, from first_id on; returns how many there are. */
uint32_t cut_plan_number(struct cut_plan *plan, uint32_t first_id);

#endif
