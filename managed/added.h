/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What Java's compilers add to a method: bytecodes that nobody wrote, and copies of what was
 * written once. Coverage leaves them out, as JaCoCo's reports do.
 */
#ifndef MANAGED_ADDED_H
#define MANAGED_ADDED_H

#include "managed/classes.h"

/* In place of an offset in added.as: the compiler added this bytecode. */
#define ADDED_NOT_WRITTEN UINT32_MAX
/* In place of an offset in added.copies: the list ends. */
#define ADDED_NONE UINT32_MAX

/* The way of a switch that nobody wrote. */
struct added_way {
	uint32_t at, to;
};

struct added {
	/*
	 * [unit->bytes] by offset: that of the bytecode which stands for it, itself or one of
	 * which it is a copy; or ADDED_NOT_WRITTEN. NULL: each stands for itself.
	 */
	uint32_t *as;
	uint32_t *copies;	/* [unit->bytes] the next one that it stands for */
	struct added_way *ways; /* [n_ways] */
	size_t n_ways;
};

/* Fills in *added, which added_fini() frees, also after a failure. False: no memory. */
bool added_find(struct added *added, const struct classes *classes,
		const struct unit *unit);
void added_fini(struct added *added);

/* Whether the bytecode at an offset stands for itself. */
static inline bool added_is_written(const struct added *added, uint32_t offset)
{
	return !added->as || added->as[offset] == offset;
}

/* After `offset` the next bytecode that the same one stands for; ADDED_NONE: it was the last. */
static inline uint32_t added_copy(const struct added *added, uint32_t offset)
{
	return added->as ? added->copies[offset] : ADDED_NONE;
}

/* Whether somebody wrote that way of a switch. */
bool added_is_way(const struct added *added, uint32_t offset, uint32_t to);

#endif
