/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the serialised states of analyses have in common. Numbers are varints
 * (base/buf.h). Lists are in ascending order and store differences of keys, so equal sets
 * have equal bytes.
 */
#ifndef ANALYSIS_STATEBYTES_H
#define ANALYSIS_STATEBYTES_H

#include "base/buf.h"

/* How many elements follow, each of at least one byte; marks `in` as failed otherwise. */
static inline uint64_t state_count(struct span *in)
{
	uint64_t n = span_varint(in);

	if (n > span_left(in)) {
		in->failed = true;
		return 0;
	}
	return n;
}

/* A number up to `most`; marks `in` as failed, and is 0, otherwise. */
static inline uint64_t state_below(struct span *in, uint64_t most)
{
	uint64_t value = span_varint(in);

	if (value > most) {
		in->failed = true;
		return 0;
	}
	return value;
}

/* The key after *key, which is up to `most`; moves *key on. Keys begin after 0. */
static inline uint32_t state_next(struct span *in, uint32_t *key, uint32_t most)
{
	uint64_t step = span_varint(in);

	if (!step || step > most - *key)
		in->failed = true;
	else
		*key += (uint32_t)step;
	return in->failed ? 0 : *key;
}

static inline bool state_bool(struct span *in)
{
	return state_below(in, 1);
}

#endif
