/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the allocators of all threads did, in the order of the clock. */
#ifndef ANALYSIS_MEM_HEAP_TURNS_H
#define ANALYSIS_MEM_HEAP_TURNS_H

#include "analysis/mem/heap_ops.h"

struct heap_turns {
	struct heap_ops_reader *readers; /* [streams] */
	unsigned *heap;			 /* [n] of streams: the root's op comes next */
	unsigned n;
	bool taken; /* the root's op was handed out */
};

/* Of logs[streams], which must outlive it. False: no memory; it is freed in any case. */
bool heap_turns_init(struct heap_turns *turns, const struct heap_log *logs,
		     unsigned streams);
void heap_turns_fini(struct heap_turns *turns);
/*
 * The next op, valid until the next call, and its thread; NULL: there is none. Of equal times
 * the lower thread goes first, as in trace/merge.c.
 */
const struct heap_op *heap_turns_next(struct heap_turns *turns, unsigned *stream);

#endif
