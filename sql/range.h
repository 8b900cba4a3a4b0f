/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Conditions of a query as ranges of its keys: "thread = 2 and insn >= 5000" is thread 2
 * to 2 and insn 5000 to the highest. Bounds are inclusive. Conditions are joined by AND:
 * each makes a range smaller.
 */
#ifndef SQL_RANGE_H
#define SQL_RANGE_H

#include <stdbool.h>
#include <stdint.h>

enum range_key {
	RANGE_THREAD,
	RANGE_BLOCK,   /* ordinal in the thread */
	RANGE_INSN,    /* ordinal in the thread */
	RANGE_ADDRESS, /* of code */
	RANGE_KEYS,
};

enum range_bound { RANGE_EQ, RANGE_LT, RANGE_LE, RANGE_GT, RANGE_GE };

struct range {
	struct {
		uint64_t least, most;
	} of[RANGE_KEYS];
	/* Of addresses as SQL compares them; of[] has them as they are. */
	int64_t address_least, address_most;
};

void range_init(struct range *range);
/*
 * Adds a condition. SQL's integers are signed. Ordinals are never negative, but addresses
 * of 2^63 or more are negative in SQL: see put_number().
 */
void range_add(struct range *range, enum range_key key, enum range_bound bound,
	       int64_t value);

static inline bool range_has(const struct range *range, enum range_key key,
			     uint64_t value)
{
	return value >= range->of[key].least && value <= range->of[key].most;
}

/* Whether the key is not restricted. */
static inline bool range_is_open(const struct range *range, enum range_key key)
{
	return !range->of[key].least && range->of[key].most == UINT64_MAX;
}

#endif
