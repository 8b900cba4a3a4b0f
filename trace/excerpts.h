/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Excerpts of streams: the blocks of a mode, a hart, a process, or those in a system call. */
#ifndef TRACE_EXCERPTS_H
#define TRACE_EXCERPTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Blocks from <= ordinal < to. */
struct excerpt {
	uint64_t from, to;
};

/* The excerpts of one stream: ascending, none empty, with blocks between each two. */
struct excerpts {
	struct excerpt *all; /* [n] */
	size_t n;
};

void excerpts_fini(struct excerpts *excerpts);

/*
 * Adds blocks behind all others, which join the last excerpt where they touch it; no
 * blocks are no excerpt. False: no memory.
 */
bool excerpts_add(struct excerpts *excerpts, uint64_t from, uint64_t to);

/* Leaves of `excerpts` what is in `others`, too. False: no memory. */
bool excerpts_intersect(struct excerpts *excerpts, const struct excerpts *others);

/* The first excerpt that ends behind a block; n: none. */
size_t excerpts_find(const struct excerpts *excerpts, uint64_t block);

/* Whether all blocks from <= ordinal < to are in one excerpt, or none of them is in any. */
bool excerpts_have_all(const struct excerpts *excerpts, uint64_t from, uint64_t to);
bool excerpts_have_none(const struct excerpts *excerpts, uint64_t from, uint64_t to);

#endif
