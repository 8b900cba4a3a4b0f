/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * When blocks ran, between two marks of the clock: as if each had taken as long as every
 * other. That is the best that is known, and no more than an estimate.
 */
#ifndef TRACE_PACE_H
#define TRACE_PACE_H

#include <stddef.h>
#include <stdint.h>

/* `blocks` blocks began in turn from begin_ns on; the next one begins at end_ns. */
struct pace {
	uint64_t begin_ns, end_ns; /* the end is not before the begin */
	size_t blocks;
};

/* When block `index` began, from 0 to `blocks`. */
uint64_t pace_at(const struct pace *pace, size_t index);

/* How many blocks began at `ns` or before. */
size_t pace_within(const struct pace *pace, uint64_t ns);

#endif
