/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The times of blocks between two known times, as if all blocks took equally long.
 * Nothing better is known; it is an estimate.
 */
#ifndef TRACE_PACE_H
#define TRACE_PACE_H

#include <stddef.h>
#include <stdint.h>

/*
 * `blocks` blocks began one after the other from begin_ns on; the next one begins at
 * end_ns.
 */
struct pace {
	uint64_t begin_ns, end_ns; /* begin_ns <= end_ns */
	size_t blocks;
};

/* The time at which block `index` began; `index` is at most `blocks`. */
uint64_t pace_at(const struct pace *pace, size_t index);

/* The number of blocks that began at `ns` or earlier. */
size_t pace_within(const struct pace *pace, uint64_t ns);

#endif
