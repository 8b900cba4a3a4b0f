/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The plan of a new file, a list of steps: salvage.c makes it, salvage-write.c executes
 * it.
 */
#ifndef TRACE_SALVAGE_FILL_H
#define TRACE_SALVAGE_FILL_H

#include "format/survey.h"
#include "trace/salvage-loss.h"
#include "trace/trace.h"

#define NO_STEP SIZE_MAX

enum step_kind {
	STEP_COPY,   /* a piece as it is */
	STEP_PATH,   /* the same, when a kept chunk uses it */
	STEP_VALUES, /* a VALS, with that of its path, when that is kept */
	STEP_CHUNK,  /* a CHNK, with the new offset of its path */
	STEP_MADE,   /* a section made for the new file */
};

/* One section of the new file. */
struct step {
	enum step_kind kind;
	const struct piece *piece; /* not of STEP_MADE */
	uint32_t type;		   /* of STEP_MADE */
	struct buf made;	   /* of STEP_MADE: the payload */
	size_t path;	/* of both: the step of its path; NO_STEP: it is lost */
	bool same;	/* of STEP_CHUNK: its payload does not change */
	uint32_t users; /* of STEP_PATH: kept chunks that use it */
	uint64_t off;	/* offset in the new file, once it is written */
};

struct salvage_work {
	struct survey survey;
	struct wm_trace *trace; /* of what is kept; its reader is that of the old file */
	struct step *steps;
	size_t step_count;
	size_t *path_steps;  /* [survey.count] by piece; NO_STEP: no path, or not yet */
	size_t *chunk_steps; /* [trace->chunk_count] */
	size_t chunk_step_count;
	uint64_t lost_bytes;	 /* of the places so far, minus those of stand-ins */
	uint64_t blocks_off;	 /* of the last BLKS so far */
	bool no_memory;		 /* while chunks were retraced */
	struct wm_error missing; /* code 0, or a file with code of blocks is */
};

/* All return 0, TRACE_MALFORMED when it does not fit, or an error. */

/* Takes ownership of the step's memory, on failure too. */
int salvage_add_step(struct salvage_work *work, struct step *step);
/* Adds a section to the trace, with all checks of opening one. */
int salvage_take(struct salvage_work *work, const struct section *section,
		 const struct buf *payload);
/* Notes that the next blocks of stream `index` are lost. */
int salvage_add_loss(struct salvage *out, uint32_t index, uint64_t blocks, uint64_t insns,
		     uint64_t place_off);
/* The payload of a lost chunk: only its numbers of blocks and instructions are known. */
void salvage_put_lost_chunk(struct buf *payload, const struct chunk_head *head,
			    uint32_t space);
/*
 * Adds such a chunk as the next of its stream; `off` is the offset of what it stands for.
 */
int salvage_make_lost_chunk(struct salvage_work *work, const struct chunk_head *head,
			    uint32_t space, uint64_t off);

/* These add stand-ins up to a number of records, or up to a block id. */
int salvage_fill_spaces(struct salvage *out, uint32_t count);
int salvage_fill_streams(struct salvage *out, uint32_t count);
int salvage_fill_blocks(struct salvage *out, uint32_t last);
/* Adds lost chunks for the missing blocks before the chunk at `off`. */
int salvage_fill_gap(struct salvage *out, const struct chunk_head *head, uint64_t off);

#endif
