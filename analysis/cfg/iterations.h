/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How often a loop was entered and went on, in a part of a thread or in all of it. */
#ifndef ANALYSIS_CFG_ITERATIONS_H
#define ANALYSIS_CFG_ITERATIONS_H

#include <stdbool.h>

#include "base/buf.h"

struct iterations {
	uint64_t head, at, least, most; /* iterations of one entry */
	uint64_t entries, iterations;
	uint64_t gaps; /* before the last entry */
};

/* The loop is entered; there were `gaps` gaps before in the part. */
void iterations_enter(struct iterations *count, uint64_t gaps);
/* It goes on. */
void iterations_add_one(struct iterations *count, uint64_t gaps);
/* `next` follows `count`, which has `gaps` gaps. */
void iterations_append(struct iterations *count, const struct iterations *next,
		       uint64_t gaps);
/* Adds those of a whole thread. Its open entry ends with it. */
void iterations_add_thread(struct iterations *all, const struct iterations *thread);

/* Whether there are any. Without, all fields are 0. */
bool iterations_any(const struct iterations *count);
void iterations_put(const struct iterations *count, struct buf *out);
void iterations_get(struct iterations *count, struct span *in);

#endif
