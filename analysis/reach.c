// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Finds where a sequence reaches the instructions that bound a part of it.
 *
 * Each unit (a block of a trace, or of a log) is examined when it comes for the first
 * time: its places are listed, with two bits for each: whether it is a bound of
 * either kind. Most units have no such place, and only their length is added.
 *
 * Example: F and T are places of the two kinds, reached in the order F T F T T, with
 * from_times 2 and to_times 1. The part begins at the second F. The first T comes before
 * it and only counts as a hit; the part ends before the T that follows.
 *
 * Invariant: bits[i] belongs to side.list.places[i], and `insn` is the ordinal of the
 * next instruction.
 */
#include "analysis/reach.h"

#include <stdlib.h>

#include "analysis/diff/side.h"
#include "base/append.h"
#include "base/error.h"

struct going {
	struct reach *reach;
	struct side side;
	struct diff_places places;
	uint8_t *bits; /* [n] parallel to side.list.places; 0: no bound */
	size_t n;
	bool *has;     /* [units] whether any place of a unit is a bound */
	uint64_t insn; /* ordinal of the next */
	struct wm_error *err;
};

/*
 * Instruction `at` is a bound of the kinds in `bits`. The end is checked first and needs
 * a later ordinal than the beginning, so an instruction that is both never makes an empty
 * part.
 */
static void meet(struct reach *reach, unsigned bits, uint64_t at)
{
	if ((bits & REACH_TO) && !reach->closed) {
		reach->closed = ++reach->to_hits >= reach->to_times && reach->opened &&
				at > reach->from;
		if (reach->closed)
			reach->to = at;
	}
	if ((bits & REACH_FROM) && !reach->opened) {
		reach->opened = ++reach->from_hits >= reach->from_times;
		if (reach->opened)
			reach->from = at;
	}
}

/* Examines a unit that comes for the first time. */
static int look_at(struct going *going, uint32_t unit)
{
	struct reach *reach = going->reach;
	struct side *side = &going->side;
	int ret = side_define(side, unit);

	while (!ret && going->n < side->list.n) {
		uint64_t address =
			diff_places_offset(&going->places, side->list.places[going->n]);
		unsigned bits = reach->look(reach->cookie, unit, address);

		going->has[unit] |= bits != 0;
		if (!APPEND(going->bits, going->n, (uint8_t)bits))
			ret = wm_fail_nomem(going->err, "a comparison");
	}
	return ret;
}

/* A unit comes, of which the instructions skip <= index < end run. */
static int pass(struct going *going, uint32_t unit, uint32_t skip, uint32_t end)
{
	struct side *side = &going->side;
	int ret = side->n[unit] ? 0 : look_at(going, unit);

	if (ret)
		return ret;
	/* `end` is UINT32_MAX for a unit of which everything ran. */
	if (side->n[unit] < end)
		end = side->n[unit];
	for (uint32_t i = skip; going->has[unit] && i < end; i++)
		meet(going->reach, going->bits[side->first[unit] + i],
		     going->insn + (i - skip));
	going->insn += end > skip ? end - skip : 0;
	return 0;
}

static int go(struct going *going)
{
	const struct reach *reach = going->reach;
	struct diff_source *source = going->side.source;
	struct diff_run run;
	int ret = 0;

	/*
	 * A bound that was known from the start is already set: nothing is read for it.
	 */
	while (!ret && (!reach->opened || !reach->closed)) {
		ret = source->next(source, &run, going->err);
		for (size_t i = 0; !ret && i < run.n; i++)
			ret = pass(going, run.units[i], run.n == 1 ? run.skip : 0,
				   run.n == 1 ? run.end : UINT32_MAX);
	}
	return ret == WM_END ? 0 : ret;
}

int reach_run(struct reach *reach, struct diff_source *source, struct wm_error *err)
{
	struct going going = {
		.reach = reach,
		.places = DIFF_PLACES_INIT,
		.has = calloc(source->units, sizeof(*going.has)),
		.insn = source->from,
		.err = err,
	};
	int ret = going.has ? side_init(&going.side, source, &going.places, err) :
			      wm_fail_nomem(err, "a comparison");

	if (!ret)
		ret = go(&going);
	side_fini(&going.side);
	diff_places_fini(&going.places);
	free(going.bits);
	free(going.has);
	return ret;
}
