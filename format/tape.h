/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What was read of a file, in order, so that others who read the same need not read the file:
 * one process of a job opens a trace and notes it, the others take it from there. Who reads
 * something else than what comes next reads the file.
 */
#ifndef FORMAT_TAPE_H
#define FORMAT_TAPE_H

#include "base/buf.h"

struct tape {
	bool plays;	  /* else it notes */
	struct buf bytes; /* the owner's to buf_fini(); `failed` when there was no memory */
	struct span ahead; /* what has not been taken, after tape_play() */
};

/* From the begin of bytes[], which must not move meanwhile. */
void tape_play(struct tape *tape);

void tape_note(struct tape *tape, uint64_t off, const void *data, size_t bytes);
/* False, and nothing is taken, when these bytes are not what comes next. */
bool tape_take(struct tape *tape, uint64_t off, void *data, size_t bytes);

#endif
