// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Finds where a thread of a managed program reaches a position that no native code has: the
 * bytecodes that it executed are walked from its begin.
 *
 * Example: "bank.py:main@2" is a method, called main, of a file called bank.py. Native code has a
 * main, too, which is what "main" alone finds.
 */
#include "query/reached_method.h"

#include "base/error.h"
#include "managed/method_place.h"
#include "managed/methods.h"
#include "program/landmarks.h"

struct search {
	struct reaching *reaching;
	const struct method_place *place;
	uint64_t found;
	bool done;
};

static int take(void *cookie, const struct walk_step *step, struct wm_error *err)
{
	struct search *search = cookie;
	struct reaching *reaching = search->reaching;

	(void)err;
	if (!method_place_is(search->place, step))
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

static int find(struct reaching *reaching, const struct units *units, uint64_t *insn,
		struct wm_error *err)
{
	const struct position *position = reaching->position;
	struct method_place place = {
		.is_line = position->kind == POSITION_LINE,
		.name = position->name,
		.module = position->module,
		.number = position->value,
	};
	struct search search = { .reaching = reaching, .place = &place };
	int ret = method_place_find(&place, units, err);

	if (ret == WM_END) {
		ret = place.is_line ? no_line(position, units, err) :
				      no_name(position, units, err);
	} else if (!ret) {
		reaching->hits = 0;
		ret = walk_stream(units, reaching->source->trace, reaching->stream, false,
				  take, &search, err);
		*insn = search.found;
		if (!ret || ret == WM_END)
			ret = search.done ? 0 : WM_END;
	}
	method_place_fini(&place);
	return ret;
}

int reached_method_find(struct reaching *reaching, uint64_t *insn, struct wm_error *err)
{
	struct units units;
	int ret = units_read(&units, reaching->source->trace, err);

	if (!ret && !units.n)
		ret = WM_E_RANGE;
	if (!ret)
		ret = find(reaching, &units, insn, err);
	units_fini(&units);
	return ret;
}
