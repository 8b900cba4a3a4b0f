// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The costs of methods alone. What native functions take is of the method that called them, on the
 * line that did: so costs are not those of instructions, as in costs.c, but those of the stack of
 * calls, on which lines are like functions that were inlined (functions_divide()).
 *
 *	fib		0		its own code has lines
 *	fib, line 3	40		fib line 3: 40, of which 25 in the runtime
 *	fib, line 3	calls fib	fib line 3: 2 calls of fib
 *
 * What is not known by line, as of methods that are interpreted, is where the method begins. What no
 * method called is called by entity 0, the runtime.
 */
#include <stdlib.h>

#include "analysis/calls/calls.h"
#include "analysis/calls/costs-data.h"
#include "analysis/calls/method_places.h"
#include "base/append.h"
#include "base/error.h"

struct gathering {
	struct costs *costs;
	struct functions *functions;
	uint32_t *entities; /* [functions + 1] of methods */
};

static const struct function *function_of(const struct gathering *gathering,
					  uint32_t entity)
{
	return functions_get(gathering->functions,
			     sites_entity(gathering->costs->sites, entity)->function);
}

/* What an entity has goes to its method. */
static struct cost cost_of(const struct gathering *gathering, uint32_t entity)
{
	const struct function *function = function_of(gathering, entity);
	uint32_t method = function->line_of ? gathering->entities[function->line_of] :
					      entity;
	struct cost cost = { .entity = method, .at = gathering->costs->entries[method] };

	if (function->line_of) {
		cost.at.source = function->line.source;
		cost.at.line = function->line.number;
	}
	return cost;
}

static bool add_self(struct gathering *gathering, const struct calls *calls)
{
	struct costs *costs = gathering->costs;
	bool good = true;

	for (uint32_t i = 0; good && i < calls->n_functions; i++) {
		struct cost cost = cost_of(gathering, calls->functions[i].entity);

		cost.insns = calls->functions[i].self_insns;
		costs->insns += cost.insns;
		if (cost.insns)
			good = APPEND(costs->all, costs->n, cost);
	}
	return good;
}

/* A line is no function that is called. */
static bool add_calls(struct gathering *gathering, const struct arcs *arcs)
{
	struct costs *costs = gathering->costs;
	bool good = true;

	for (uint32_t i = 1; good && i < arcs->n; i++) {
		const struct arc *arc = &arcs->all[i];
		struct cost cost;

		if (!arc->callee || function_of(gathering, arc->callee)->line_of)
			continue;
		cost = cost_of(gathering, arc->caller);
		cost.callee = arc->callee;
		cost.calls = arc->calls;
		cost.insns = arc->total;
		good = APPEND(costs->all, costs->n, cost);
	}
	return good;
}

static int place(struct gathering *gathering, const struct calls_subject *subject,
		 struct wm_error *err)
{
	struct costs *costs = gathering->costs;
	uint32_t n = sites_entities(costs->sites);
	struct srcline *places;
	int ret = method_places(&places, subject, costs->sites, err);

	costs->entries = calloc(n + 1ul, sizeof(*costs->entries));
	gathering->entities = calloc(functions_count(subject->functions) + 1ul,
				     sizeof(*gathering->entities));
	if (!ret && (!costs->entries || !gathering->entities))
		ret = wm_fail_nomem(err, "calls");
	for (uint32_t i = 1; !ret && i <= n; i++) {
		costs->entries[i].source = places[i].source;
		costs->entries[i].line = places[i].number;
		gathering->entities[sites_entity(costs->sites, i)->function] = i;
	}
	free(places);
	return ret;
}

static int gather_calls(struct calls *calls, const struct calls_subject *subject,
			struct wm_error *err)
{
	struct sites *sites;
	int ret;

	functions_divide(subject->functions, subject->lines);
	ret = subject_sites(subject, &sites, err);
	functions_divide(subject->functions, NULL);
	return ret ? ret :
		     calls_gather_at(calls, sites, subject->trace, subject->selection, 0,
				     err);
}

int costs_gather_methods(struct costs *costs, const struct calls_subject *subject,
			 struct wm_error *err)
{
	struct gathering gathering = { .costs = costs, .functions = subject->functions };
	struct calls calls = { .sites = NULL };
	int ret = gather_calls(&calls, subject, err);

	if (ret)
		return ret;
	costs->sites = sites_share(calls.sites);
	ret = place(&gathering, subject, err);
	if (!ret &&
	    (!add_self(&gathering, &calls) || !add_calls(&gathering, &calls.arcs)))
		ret = wm_fail_nomem(err, "calls");
	free(gathering.entities);
	calls_fini(&calls);
	return ret;
}
