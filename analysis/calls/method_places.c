// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The runtime tells where a method begins that it interprets. Of code that it compiled the name may
 * say it, "JS:*fib /app.js:3:13"; else it is the least line that its code has, if lines are
 * divided (functions_divide()).
 */
#include "analysis/calls/method_places.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/calls/interpreted.h"
#include "base/error.h"
#include "program/made/name.h"

struct finding {
	struct srcline *places; /* [n + 1] by entity */
	const struct calls_subject *subject;
	const struct sites *sites;
	uint32_t n;
};

static void place_interpreted(const struct finding *finding)
{
	const struct interpreted *interpreted = sites_interpreted(finding->sites);

	for (uint32_t i = 1; interpreted && i < interpreted->methods.n; i++) {
		const struct unit *unit = interpreted->methods.all[i];
		uint32_t entity = interpreted->entities[i];

		if (entity)
			finding->places[entity] = (struct srcline){
				.source = srclines_source(finding->subject->lines,
							  unit->file),
				.number = method_line(unit),
			};
	}
}

/* False: no memory. */
static bool place_named(const struct finding *finding, uint32_t entity,
			const struct function *function)
{
	struct made_name is;
	char *path;

	if (!function->symbol || !sites_is_method(finding->sites, entity))
		return true;
	is = made_name_of(function->symbol);
	if (!is.file_bytes || !is.line)
		return true;
	path = strndup(is.file, is.file_bytes);
	if (path)
		finding->places[entity] = (struct srcline){
			.source = srclines_source(finding->subject->lines, path),
			.number = is.line,
		};
	free(path);
	return path;
}

/* The functions of lines are known, their entities are not. */
static bool place_by_lines(const struct finding *finding)
{
	struct functions *functions = finding->subject->functions;
	struct srcline *least = calloc(functions_count(functions) + 1ul, sizeof(*least));

	for (uint32_t i = 1; least && i <= functions_count(functions); i++) {
		const struct function *function = functions_get(functions, i);
		struct srcline *known = &least[function->line_of];

		if (function->line_of &&
		    (!known->number || function->line.number < known->number))
			*known = function->line;
	}
	for (uint32_t i = 1; least && i <= finding->n; i++)
		if (!finding->places[i].number && sites_is_method(finding->sites, i))
			finding->places[i] =
				least[sites_entity(finding->sites, i)->function];
	free(least);
	return least;
}

int method_places(struct srcline **places, const struct calls_subject *subject,
		  const struct sites *sites, struct wm_error *err)
{
	struct finding finding = { .subject = subject,
				   .sites = sites,
				   .n = sites_entities(sites) };
	bool good;

	*places = finding.places = calloc(finding.n + 1ul, sizeof(**places));
	good = finding.places;
	if (good)
		place_interpreted(&finding);
	for (uint32_t i = 1; good && i <= finding.n; i++)
		if (!finding.places[i].number)
			good = place_named(
				&finding, i,
				functions_get(subject->functions,
					      sites_entity(sites, i)->function));
	good = good && place_by_lines(&finding);
	return good ? 0 : wm_fail_nomem(err, "methods");
}
