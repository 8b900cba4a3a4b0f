// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Finds where a thread of a managed program reaches a position that no native code has: the
 * bytecodes that it executed are walked from its begin. A method is reached when it is called,
 * interpreted or compiled, also where it was inlined; METHOD+8 where its bytecode at offset 8
 * is executed; a line where a bytecode is executed with which the method's table of lines
 * comes to it.
 *
 * Example: "bank.py:main@2" is a method, called main, of a file called bank.py. Native code has a
 * main, too, which is what "main" alone finds.
 */
#include "query/reached_method.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "managed/methods.h"
#include "managed/walk.h"
#include "program/landmarks.h"

struct search {
	struct reaching *reaching;
	const bool *wanted; /* [units->n]: of the position */
	const struct units *units;
	uint64_t found;
	bool done;
};

static bool has_name(const struct position *position, const struct unit *unit)
{
	return (!position->module || landmarks_fit_file(position->module, unit->file)) &&
	       position->value < unit->bytes && method_fits(unit, position->name);
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

static bool has_line(const struct position *position, const struct unit *unit)
{
	bool any = false;

	for (uint32_t i = 0; !any && i < unit->n_lines; i++)
		any = unit->lines[i].line == position->value;
	return any && landmarks_fit_file(position->name, unit->file);
}

static bool is_wanted(const struct search *search, const struct unit *unit)
{
	return unit && search->wanted[unit - search->units->all];
}

static bool is_there(const struct search *search, const struct walk_step *step)
{
	const struct position *position = search->reaching->position;

	if (position->kind == POSITION_LINE)
		return step->executed && is_wanted(search, step->unit) &&
		       begins_line(step->unit, step->offset, position->value);
	if (position->value)
		return step->executed && is_wanted(search, step->unit) &&
		       step->offset == position->value;
	return step->entered &&
	       is_wanted(search, step->called ? step->called : step->unit);
}

static int take(void *cookie, const struct walk_step *step, struct wm_error *err)
{
	struct search *search = cookie;
	struct reaching *reaching = search->reaching;

	(void)err;
	if (!step->unit || !is_there(search, step))
		return 0;
	search->found = step->insn;
	search->done = ++reaching->hits >= reaching->position->times &&
		       (reaching->by_insn ? step->insn : step->block) >= reaching->least;
	return search->done ? WM_END : 0;
}

/* The lines of such a file that have bytecodes, around one that has none. */
static int no_line(const struct position *position, const struct units *units,
		   struct wm_error *err)
{
	uint32_t below = 0, above = 0;

	for (size_t i = 0; i < units->n; i++) {
		const struct unit *unit = &units->all[i];
		bool fits = landmarks_fit_file(position->name, unit->file);

		for (uint32_t k = 0; fits && k < unit->n_lines; k++) {
			uint32_t line = unit->lines[k].line;

			if (line < position->value && line > below)
				below = line;
			if (line > position->value && (!above || line < above))
				above = line;
		}
	}
	if (!below && !above)
		return WM_E_RANGE;
	return wm_fail(err, WM_E_RANGE, 0,
		       "%.80s has no bytecode in line %llu; the nearest line with one "
		       "%s %u",
		       position->name, (unsigned long long)position->value,
		       below ? "before is" : "after is", below ? below : above);
}

/* Rather the name of a method that may be meant than that of a function. */
static int no_name(const struct position *position, const struct units *units,
		   struct wm_error *err)
{
	char near[METHODS_HINT];

	methods_hint(near, units, position->name);
	if (!*near)
		return WM_E_RANGE;
	return wm_fail(
		err, WM_E_RANGE, 0,
		"no file of the run has a symbol \"%.60s\", and no method is called "
		"so%s",
		position->name, near);
}

static int find(struct reaching *reaching, const struct units *units, bool *wanted,
		uint64_t *insn, struct wm_error *err)
{
	const struct position *position = reaching->position;
	struct search search = { .reaching = reaching, .wanted = wanted, .units = units };
	bool any = false;
	int ret;

	for (size_t i = 0; i < units->n; i++) {
		wanted[i] = position->kind == POSITION_LINE ?
				    has_line(position, &units->all[i]) :
				    has_name(position, &units->all[i]);
		any = any || wanted[i];
	}
	if (!any)
		return position->kind == POSITION_LINE ? no_line(position, units, err) :
							 no_name(position, units, err);
	reaching->hits = 0;
	ret = walk_stream(units, reaching->source->trace, reaching->stream, false, take,
			  &search, err);
	*insn = search.found;
	return ret && ret != WM_END ? ret : search.done ? 0 : WM_END;
}

int reached_method_find(struct reaching *reaching, uint64_t *insn, struct wm_error *err)
{
	struct units units;
	bool *wanted = NULL;
	int ret = units_read(&units, reaching->source->trace, err);

	if (!ret && !units.n)
		ret = WM_E_RANGE;
	if (!ret && !(wanted = calloc(units.n, sizeof(*wanted))))
		ret = wm_fail_nomem(err, "methods");
	if (!ret)
		ret = find(reaching, &units, wanted, insn, err);
	free(wanted);
	units_fini(&units);
	return ret;
}
