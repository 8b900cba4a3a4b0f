/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which instructions belong to the functions that match a pattern. */
#ifndef ANALYSIS_INSIDE_H
#define ANALYSIS_INSIDE_H

#include "program/functions.h"

struct inside {
	struct functions *functions;
	const char *pattern; /* NULL: all functions */
	uint8_t *verdicts;   /* [room] by function: 0 not known yet */
	uint32_t room;
};

#define INSIDE_INIT(f, p) ((struct inside){ .functions = (f), .pattern = (p) })
void inside_fini(struct inside *inside);

/*
 * Fills in owners[block.insns] for block `id` in a space: the number of each
 * instruction's function, 0 when it does not match. False: no memory.
 */
bool inside_find(struct inside *inside, const struct wm_block *block, uint32_t space,
		 uint32_t id, uint32_t *owners);

#endif
