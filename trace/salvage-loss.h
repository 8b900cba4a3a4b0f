/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The result of examining a damaged file: what is lost, and how much is kept. */
#ifndef TRACE_SALVAGE_LOSS_H
#define TRACE_SALVAGE_LOSS_H

#include "format/section.h"
#include "waymark.h"

/* A damaged part of the file. */
struct salvage_place {
	struct section section; /* as far as it is known; type 0: not known what it was */
	uint64_t bytes;		/* of the file */
	size_t ordinal;		/* among its sections, from 1 */
	const char *why;	/* a clause */
};

/* Whether it extends beyond the section at its beginning. */
static inline bool salvage_has_more(const struct salvage_place *place)
{
	return section_end(&place->section) < place->section.off + place->bytes;
}

/* Lost definitions of blocks. */
struct salvage_ids {
	uint32_t first, last;
	uint64_t place_off; /* of the place to blame */
};

/* A lost part of a stream. */
struct salvage_loss {
	uint32_t stream;
	uint32_t chunk; /* the first lost chunk of the stream, from 0 */
	uint64_t first_block, blocks, first_insn, insns;
	uint64_t place_off; /* of the place to blame */
};

struct salvage {
	const char *header; /* what is wrong with the file's header, as a clause, or NULL */
	const char *end;    /* what is wrong with its end, or NULL */
	uint32_t features;	      /* incompatible ones of the file */
	struct salvage_place *places; /* by their offsets */
	size_t place_count;
	struct salvage_ids *ids;
	size_t ids_count;
	struct salvage_loss *losses;
	size_t loss_count;
	struct wm_check kept; /* what was retraced and is intact */
	bool ended;	      /* there is an ENDS: the recorder ended in order ... */
	const char *cut; /* ... and why it has less than what ran; NULL: it has all */
	uint64_t prefix_bytes; /* the file's beginning, when all that is lost was after it;
				  else 0 */
	struct salvage_work *work;
};

#endif
