/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Distinguishes functions of one name: `helper` may be a function of several sources. */
#ifndef PROGRAM_RANKS_H
#define PROGRAM_RANKS_H

#include "format/symtab.h"
#include "trace/u64map.h"

struct ranks {
	bool found;	   /* false: not yet, or no memory */
	struct u64map map; /* where a name starts -> its rank, if that is not 0 */
};

/*
 * How many symbols of the table before the one whose name starts at `name` in
 * names->names have the same name. 0, too, without memory. The table must be the same
 * each time.
 */
uint32_t ranks_get(struct ranks *ranks, const struct symtab *names, uint64_t name);
void ranks_fini(struct ranks *ranks);

#endif
