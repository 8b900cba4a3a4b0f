/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which instruction of its thread each access of a part is of (analysis.accesses). */
#ifndef ANALYSIS_ACCESSES_H
#define ANALYSIS_ACCESSES_H

#include "analysis/analysis.h"

struct access_places {
	const struct wm_block *blocks; /* of the trace, by id */
	const uint32_t *ids;	       /* of the part */
	uint32_t block;		       /* index of ids[] */
	uint64_t insn;		       /* ordinal of that block's first instruction */
};

static inline struct access_places access_places_of(const struct wm_block *blocks,
						    const struct stretch *part)
{
	/* part->insn is behind the instructions of the first block that are left out. */
	return (struct access_places){ blocks, part->ids, 0, part->insn - part->skip };
}

/* The ordinal of an access' instruction; accesses come in their order. */
static inline uint64_t access_insn(struct access_places *places,
				   const struct wm_access *access)
{
	for (; places->block < access->block; places->block++)
		places->insn += places->blocks[places->ids[places->block]].insns;
	return places->insn + access->insn;
}

#endif
