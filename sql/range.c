// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The conditions of a query as inclusive bounds of its keys. Invariant: every row that
 * fulfils the conditions is in the range. The reverse need not hold, because SQLite
 * checks each row again, so a condition that does not fit the bounds may be ignored.
 *
 * Example: insn > 10 and insn < 20 give the bounds 11 and 19. A condition that no row
 * fulfils, such as insn < 0, makes the lower bound exceed the upper one.
 *
 * Addresses need care: an address of 2^63 or more is a negative number in SQL. There
 * "address < 5" holds for the whole upper half, which the unsigned bounds cannot express.
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

/* A later condition only raises `least` or lowers `most`, so the range stays empty. */
static void make_empty(struct range *range, enum range_key key)
{
	range->of[key].least = 1;
	range->of[key].most = 0;
}

/*
 * No ordinal is at or below a negative number, and each one is above it. For an address
 * the number stands for one of the upper half, and the bound is ignored.
 */
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
		/* No overflow: `value` has a sign, so number + 1 is 2^63 at most. */
		at_least(range, key, number + 1);
		break;
	/* The upper half of addresses is negative in SQL, so it fulfils both bounds. */
	case RANGE_LE:
		if (key != RANGE_ADDRESS)
			at_most(range, key, number);
		break;
	case RANGE_LT:
		if (key == RANGE_ADDRESS)
			break;
		/* number - 1 would wrap at 0 and allow all ordinals. */
		if (number)
			at_most(range, key, number - 1);
		else
			make_empty(range, key);
		break;
	}
}
