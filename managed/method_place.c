// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Words are held against the names of all units once. A step is then a look at its unit, and only
 * those of wanted units are looked at closer.
 */
#include "managed/method_place.h"

#include <stdlib.h>

#include "base/error.h"
#include "managed/methods.h"
#include "program/landmarks.h"

static bool has_name(const struct method_place *place, const struct unit *unit)
{
	return (!place->module || landmarks_fit_file(place->module, unit->file)) &&
	       place->number < unit->bytes && method_fits(unit, place->name);
}

static bool has_line(const struct method_place *place, const struct unit *unit)
{
	bool any = false;

	for (uint32_t i = 0; !any && i < unit->n_lines; i++)
		any = unit->lines[i].line == place->number;
	return any && landmarks_fit_file(place->name, unit->file);
}

int method_place_find(struct method_place *place, const struct units *units,
		      struct wm_error *err)
{
	bool any = false;

	place->units = units;
	place->wanted = calloc(units->n + 1, sizeof(*place->wanted));
	if (!place->wanted)
		return wm_fail_nomem(err, "methods");
	for (size_t i = 0; i < units->n; i++) {
		const struct unit *unit = &units->all[i];

		place->wanted[i] = place->is_line ? has_line(place, unit) :
						    has_name(place, unit);
		any = any || place->wanted[i];
	}
	return any ? 0 : WM_END;
}

void method_place_fini(struct method_place *place)
{
	free(place->wanted);
	place->wanted = NULL;
}

/* Whether its table of lines comes to the line at an offset. */
static bool begins_line(const struct unit *unit, uint32_t offset, uint64_t line)
{
	for (uint32_t i = 0; i < unit->n_lines; i++)
		if (unit->lines[i].offset == offset)
			return unit->lines[i].line == line &&
			       (!i || unit->lines[i - 1].line != line);
	return false;
}

static bool is_wanted(const struct method_place *place, const struct unit *unit)
{
	return unit && place->wanted[unit - place->units->all];
}

bool method_place_is(const struct method_place *place, const struct walk_step *step)
{
	if (place->is_line)
		return step->executed && is_wanted(place, step->unit) &&
		       begins_line(step->unit, step->offset, place->number);
	if (place->number)
		return step->executed && is_wanted(place, step->unit) &&
		       step->offset == place->number;
	return step->unit && step->entered &&
	       is_wanted(place, step->called ? step->called : step->unit);
}
