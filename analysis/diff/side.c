// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * One side of a comparison: it is passed unit by unit, or place by place.
 *
 * The places of a unit are requested from the source when the unit comes for the first
 * time, and are kept. A comparison by places needs several of them in a row: units are
 * spread out into a window, which moves along a larger array.
 *
 * Example: unit 3 has the places 7 8 9, and the run is 3 3. side_fill() for 4 places
 * spreads out both units: the window is 7 8 9 7 8 9. After side_pass() by 4 it is 8 9.
 *
 * Invariant: the window's first place is instruction `insn`. While the window is empty,
 * the next unit begins there.
 */
#include "analysis/diff/side.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"

int side_init(struct side *side, struct diff_source *source, struct diff_places *places,
	      struct wm_error *err)
{
	side->source = source;
	side->known = places;
	side->err = err;
	side->insn = source->from;
	side->first = calloc(source->units, sizeof(*side->first));
	side->n = calloc(source->units, sizeof(*side->n));
	if (!side->first || !side->n)
		return wm_fail_nomem(err, "a comparison");
	return 0;
}

void side_fini(struct side *side)
{
	free(side->first);
	free(side->n);
	free(side->list.places);
	free(side->places);
}

/* ---- units --------------------------------------------------------------- */

int side_ready(struct side *side)
{
	int ret = 0;

	if (side->at < side->run.n || side->ended)
		return 0;
	side->at = side->run.n = 0;
	ret = side->source->next(side->source, &side->run, side->err);
	if (ret == WM_END) {
		side->ended = true;
		ret = 0;
	}
	/* The caller must know which of the two sides an error is about. */
	side->failed = ret;
	return ret;
}

int side_define(struct side *side, uint32_t unit)
{
	size_t first = side->list.n;
	int ret;

	if (side->n[unit])
		return 0;
	ret = side->source->define(side->source, unit, side->known, &side->list,
				   side->err);
	side->failed = ret;
	if (ret)
		return ret;
	side->first[unit] = first;
	side->n[unit] = (uint32_t)(side->list.n - first);
	return 0;
}

/* ---- the window ---------------------------------------------------------- */

void side_pass(struct side *side, size_t n)
{
	side->begin += n;
	side->insn += n;
	if (side->begin == side->end)
		side->begin = side->end = 0;
}

static bool make_room(struct side *side, size_t n)
{
	size_t room = side->room;
	uint32_t *grown;

	if (side->end + n <= room)
		return true;
	/* The window moves to the front of the array. */
	if (side->begin)
		memmove(side->places, side_window(side),
			side_held(side) * sizeof(*side->places));
	side->end -= side->begin;
	side->begin = 0;
	/*
	 * At least half of the array stays free, so moving the window costs less than
	 * filling the array.
	 */
	if ((side->end + n) * 2 <= room)
		return true;
	room = (side->end + n) * 2 + 4096;
	grown = reallocarray(side->places, room, sizeof(*grown));
	if (!grown)
		return false;
	side->places = grown;
	side->room = room;
	return true;
}

/*
 * Appends the places of the next unit that ran to the window. Only a run of one unit may
 * be cut (source.h).
 */
static int spread(struct side *side)
{
	uint32_t unit = side->run.units[side->at], skip = 0, end;
	int ret = side_define(side, unit);

	if (ret)
		return ret;
	end = side->n[unit];
	if (side->run.n == 1) {
		skip = side->run.skip;
		if (side->run.end < end)
			end = side->run.end;
	}
	side->at++;
	if (skip >= end)
		return 0;
	if (!make_room(side, end - skip))
		return wm_fail_nomem(side->err, "a comparison");
	memcpy(side->places + side->end, side->list.places + side->first[unit] + skip,
	       (end - skip) * sizeof(*side->places));
	side->end += end - skip;
	return 0;
}

int side_fill(struct side *side, size_t want)
{
	int ret = side_ready(side);

	while (!ret && side_held(side) < want && !side->ended) {
		ret = spread(side);
		if (!ret)
			ret = side_ready(side);
	}
	return ret;
}
