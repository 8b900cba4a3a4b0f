/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The selected part of a trace, and how to compute with it. */
#ifndef ANALYSIS_SELECTION_H
#define ANALYSIS_SELECTION_H

#include <stdbool.h>
#include <stdint.h>

#include "trace/excerpts.h"

struct selection {
	const unsigned *streams; /* [n] indexes, ascending; the caller's */
	unsigned n;
	uint64_t from,
		to; /* instruction ordinals in each of them; `to` is not included */
	/* [streams of the trace], by index: their only blocks that are selected; NULL: all. */
	const struct excerpts *excerpts;
	unsigned threads; /* to compute with; the answer is the same for any number */
	/*
	 * About how many blocks a worker takes at once; 0: the default. The answer is the
	 * same.
	 */
	uint64_t part_blocks;
	/*
	 * Called from time to time, by one thread at a time, with the progress; or NULL.
	 */
	void (*progress)(void *cookie, uint64_t done_insns, uint64_t of_insns);
	void *cookie;
	/* Who runs the analyses, or NULL: threads of this process. */
	const struct runner *runner;
};

/* Of a stream; NULL: all of its blocks. */
static inline const struct excerpts *selection_excerpts(const struct selection *selection,
							unsigned stream)
{
	return selection->excerpts ? &selection->excerpts[stream] : NULL;
}

#endif
