// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What a unit is made of is asked for when it comes for the first time. The window is a
 * piece of a larger array, along which it moves.
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

/* ---- units -------------------------------------------------------------------------- */

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

/* ---- the window ------------------------------------------------------------------------ */

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
	if (side->begin)
		memmove(side->places, side_window(side),
			side_held(side) * sizeof(*side->places));
	side->end -= side->begin;
	side->begin = 0;
	/* Half of it stays free, or moving would cost more than what it is for. */
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

/* Spreads out the next unit, as far as it ran. */
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
