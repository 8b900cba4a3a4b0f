// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * An interpreter that replaces bytecodes by specialised ones has some that do the work of
 * two, and skip the second. What it replaced is not recorded, and need not be: after a
 * bytecode that cannot jump, the next fetch in its method is behind it, or one further when
 * the one between was done by it.
 *
 * Example: BINARY_OP at 8 has 4 bytes, STORE_FAST is at 12. A fetch of 12 comes after that of
 * 8; or one of 14, and then 12 was executed by the BINARY_OP.
 */
#include "managed/plain.h"

#include "isa/python.h"

/* It was fetched before, and is executed only now. */
static bool is_again(const struct plain *plain, const struct walk_step *step)
{
	const struct unit *unit = step->unit;

	return unit == plain->unit && step->offset == plain->offset && unit->python &&
	       python_repeats(unit->python, unit->code, unit->bytes, step->offset);
}

/* The offset of what was executed between the two; UINT32_MAX: nothing. */
static uint32_t swallowed(const struct plain *plain, const struct walk_step *step)
{
	const struct unit *unit = plain->unit;
	size_t next, after;

	if (!unit || unit != step->unit || !unit->python ||
	    !python_swallows(unit->python, unit->code, unit->bytes, plain->offset))
		return UINT32_MAX;
	next = plain->offset + unit_length(unit, plain->offset);
	after = next + unit_length(unit, (uint32_t)next);
	return step->offset == after ? (uint32_t)next : UINT32_MAX;
}

/*
 * What goes on with the next bytecode itself, without a fetch: an instruction that extends
 * its operand.
 */
static int take_extended(struct plain *plain, struct walk_step step,
			 int (*take)(void *cookie, const struct walk_step *step,
				     struct wm_error *err),
			 void *cookie, struct wm_error *err)
{
	const struct unit *unit = step.unit;
	int ret = 0;

	step.inferred = true;
	step.entered = false;
	while (!ret && unit->python &&
	       python_extends(unit->python, unit->code, unit->bytes, step.offset)) {
		step.offset += (uint32_t)unit_length(unit, step.offset);
		ret = take(cookie, &step, err);
	}
	plain->offset = step.offset;
	return ret;
}

int plain_fetched(struct plain *plain, const struct walk_step *step,
		  int (*take)(void *cookie, const struct walk_step *step,
			      struct wm_error *err),
		  void *cookie, struct wm_error *err)
{
	struct walk_step inferred = *step;
	int ret = 0;

	if (is_again(plain, step))
		return 0;
	inferred.offset = swallowed(plain, step);
	inferred.inferred = true;
	inferred.entered = false;
	if (inferred.offset != UINT32_MAX)
		ret = take(cookie, &inferred, err);
	plain->unit = step->unit;
	if (!ret)
		ret = take(cookie, step, err);
	return ret ? ret : take_extended(plain, *step, take, cookie, err);
}
