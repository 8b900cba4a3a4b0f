// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Example: insn > 10 and insn < 20 are the bounds 11 and 19. A condition that nothing
 * fulfils, such as insn < 0, makes the least bound higher than the most.
 */
#include "sql/range.h"

void range_init(struct range *range)
{
	for (unsigned i = 0; i < RANGE_KEYS; i++) {
		range->of[i].least = 0;
		range->of[i].most = UINT64_MAX;
	}
}

static void at_least(struct range *range, enum range_key key, uint64_t value)
{
	if (range->of[key].least < value)
		range->of[key].least = value;
}

static void at_most(struct range *range, enum range_key key, uint64_t value)
{
	if (range->of[key].most > value)
		range->of[key].most = value;
}

static void make_empty(struct range *range, enum range_key key)
{
	range->of[key].least = 1;
	range->of[key].most = 0;
}

/* An upper bound below 0 leaves no ordinal; a lower one leaves all of them. */
static void add_negative(struct range *range, enum range_key key, enum range_bound bound)
{
	if (key != RANGE_ADDRESS &&
	    (bound == RANGE_EQ || bound == RANGE_LT || bound == RANGE_LE))
		make_empty(range, key);
}

void range_add(struct range *range, enum range_key key, enum range_bound bound,
	       int64_t value)
{
	uint64_t number = (uint64_t)value;

	if (value < 0) {
		add_negative(range, key, bound);
		return;
	}
	switch (bound) {
	case RANGE_EQ:
		at_least(range, key, number);
		at_most(range, key, number);
		break;
	case RANGE_GE:
		at_least(range, key, number);
		break;
	case RANGE_GT:
		at_least(range, key, number + 1);
		break;
	/* The upper half of addresses is negative, so it is below every bound. */
	case RANGE_LE:
		if (key != RANGE_ADDRESS)
			at_most(range, key, number);
		break;
	case RANGE_LT:
		if (key == RANGE_ADDRESS)
			break;
		if (number)
			at_most(range, key, number - 1);
		else
			make_empty(range, key);
		break;
	}
}
