/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Hands the descriptor of the shared memory to those processes of the guest that have it mapped and
 * may not open it: see format/handout.h.
 */
#ifndef COLLECT_HANDOUT_H
#define COLLECT_HANDOUT_H

#include "collect/memory.h"

struct handouts;

/* Begins, on a thread of its own. NULL where it cannot; the recording goes on without it. */
struct handouts *handouts_start(const struct memory *memory);
/* Ends it, and frees it; NULL is allowed. Call it before memory_fini(). */
void handouts_stop(struct handouts *handouts);

#endif
