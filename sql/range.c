// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The conditions of a query as inclusive bounds of its keys. Invariant: every row that
 * fulfils the conditions is in the range. The reverse need not hold, because SQLite
 * checks each row again, so a condition that does not fit the bounds may be ignored.
 *
 * Example: insn > 10 and insn < 20 give the bounds 11 and 19. A condition that no row
 * fulfils, such as insn < 0, makes the lower bound exceed the upper one.
 *
 * Addresses need care: an address of 2^63 or more is a negative number in SQL, where
 * "address < 5" holds for the whole upper half. So their bounds are kept as SQL has them.
 * Those of one sign are a range of addresses; others are not, and restrict nothing.
 *
 * Example: address between 0x10000 and 0x20000 is a range, address < 0x20000 is not.
 */
#include "sql/range.h"

void range_init(struct range *range)
{
	for (unsigned i = 0; i < RANGE_KEYS; i++) {
		range->of[i].least = 0;
		range->of[i].most = UINT64_MAX;
	}
	range->address_least = INT64_MIN;
	range->address_most = INT64_MAX;
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

/* The bounds of addresses, when those of SQL have the same sign. */
static void set_addresses(struct range *range)
{
	int64_t least = range->address_least, most = range->address_most;

	if (least > most)
		make_empty(range, RANGE_ADDRESS);
	if (least > most || (least < 0 && most >= 0))
		return;
	range->of[RANGE_ADDRESS].least = (uint64_t)least;
	range->of[RANGE_ADDRESS].most = (uint64_t)most;
}

static void add_address(struct range *range, enum range_bound bound, int64_t value)
{
	/* A bound beyond the last number cannot be fulfilled. */
	bool none = (bound == RANGE_GT && value == INT64_MAX) ||
		    (bound == RANGE_LT && value == INT64_MIN);
	int64_t least = bound == RANGE_GT && !none ? value + 1 : value;
	int64_t most = bound == RANGE_LT && !none ? value - 1 : value;

	if (bound != RANGE_LT && bound != RANGE_LE && least > range->address_least)
		range->address_least = least;
	if (bound != RANGE_GT && bound != RANGE_GE && most < range->address_most)
		range->address_most = most;
	if (none) {
		range->address_least = INT64_MAX;
		range->address_most = INT64_MIN;
	}
	set_addresses(range);
}

/* No ordinal is at or below a negative number, and each one is above it. */
static void add_negative(struct range *range, enum range_key key, enum range_bound bound)
{
	if (bound == RANGE_EQ || bound == RANGE_LT || bound == RANGE_LE)
		make_empty(range, key);
}

void range_add(struct range *range, enum range_key key, enum range_bound bound,
	       int64_t value)
{
	uint64_t number = (uint64_t)value;

	if (key == RANGE_ADDRESS) {
		add_address(range, bound, value);
		return;
	}
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
	case RANGE_LE:
		at_most(range, key, number);
		break;
	case RANGE_LT:
		/* number - 1 would wrap at 0 and allow all ordinals. */
		if (number)
			at_most(range, key, number - 1);
		else
			make_empty(range, key);
		break;
	}
}
