/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What part of a trace is asked about. */
#ifndef ANALYSIS_SELECTION_H
#define ANALYSIS_SELECTION_H

#include <stdbool.h>
#include <stdint.h>

struct selection {
	const unsigned *streams; /* [n] indexes, ascending; the caller's */
	unsigned n;
	uint64_t from,
		to;	  /* instruction ordinals in each of them; `to` is not included */
	unsigned threads; /* to compute with; the answer is the same for any number */
	/* Blocks that a worker does at once, about; 0: what is best. The answer is the same. */
	uint64_t part_blocks;
	/* Called now and then, by one thread at a time, with what is done; or NULL. */
	void (*progress)(void *cookie, uint64_t done_insns, uint64_t of_insns);
	void *cookie;
	/* Who runs the analyses, or NULL: threads of this process. */
	const struct runner *runner;
};

#endif
