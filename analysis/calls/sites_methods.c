// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Entities of methods: those that an interpreter ran in the selected part. Each thread is
 * followed once (interpreted.h), several at the same time. Only then are entities numbered,
 * behind those of native functions, so that the numbers do not depend on which thread was
 * first.
 */
#include <stdlib.h>
#include <string.h>

#include "analysis/calls/calltrace.h"
#include "analysis/calls/interpreted.h"
#include "analysis/calls/sites-data.h"
#include "analysis/methods/quiet.h"
#include "analysis/schedule.h"
#include "base/append.h"
#include "base/error.h"
#include "program/made/name.h"

struct following {
	struct sites *sites;
	const struct wm_trace *trace;
	const struct selection *selection;
};

static int follow_stream(const struct following *following, unsigned stream,
			 struct wm_error *err)
{
	const struct selection *selection = following->selection;
	struct calltrace calltrace = {
		.trace = following->trace,
		.sites = following->sites,
		.from = selection->from,
		.to = selection->to,
		.excerpts = selection->excerpts,
	};
	int ret = method_frames_new(&calltrace.frames, following->sites->interpreted,
				    following->trace, stream, selection->from, NULL, err);
	struct wm_error other;

	if (!ret)
		ret = calltrace_run(&calltrace, stream, err);
	return ret ? (method_frames_end(calltrace.frames, &other), ret) :
		     method_frames_end(calltrace.frames, err);
}

static int follow(void *cookie, uint64_t job, unsigned worker, struct wm_error *err)
{
	const struct following *following = cookie;
	unsigned stream = following->selection->streams[job];
	struct counts counts;
	bool quiet;
	int ret = quiet_thread(&quiet, &counts, &following->sites->interpreted->units,
			       following->trace, following->selection, stream, err);

	(void)worker;
	counts_fini(&counts);
	return ret || quiet ? ret : follow_stream(following, stream, err);
}

/* The entity of a method that runs. */
static bool add(struct sites *sites, const struct unit *unit, uint32_t *entity)
{
	struct entity is = { .offset = 0 };

	is.function = method_function(sites->functions, unit);
	if (!is.function ||
	    (!sites->n_entities &&
	     !APPEND(sites->entities, sites->n_entities, (struct entity){ 0 })))
		return false;
	*entity = sites->n_entities;
	return APPEND(sites->entities, sites->n_entities, is);
}

/* The methods that a thread entered. */
static bool add_all(struct sites *sites, unsigned stream)
{
	struct interpreted *interpreted = sites->interpreted;
	struct method_changes changes = method_changes_of(interpreted, stream, 0);

	for (; changes.insn != UINT64_MAX; method_changes_pass(&changes)) {
		uint32_t method = method_changes_method(&changes);

		if (method && !interpreted->entities[method] &&
		    !add(sites, interpreted->methods.all[method],
			 &interpreted->entities[method]))
			return false;
	}
	return true;
}

int sites_read_methods(struct sites *sites, const struct wm_trace *trace,
		       struct wm_error *err)
{
	return interpreted_new(&sites->interpreted, trace, err);
}

bool sites_interpreter_at(const struct sites *sites, uint32_t space, uint64_t address,
			  bool *begins)
{
	const struct piece *piece =
		sites->interpreted ?
			units_piece(&sites->interpreted->units, space, address) :
			NULL;

	*begins = piece && piece->role == PIECE_BEGINS && piece->start == address;
	return piece;
}

int sites_number_methods(struct sites *sites, const struct selection *selection,
			 struct wm_error *err)
{
	sites->first_method = sites->n_entities ? sites->n_entities : 1;
	for (unsigned i = 0; sites->interpreted && i < selection->n; i++)
		if (!add_all(sites, selection->streams[i]))
			return wm_fail_nomem(err, "methods");
	return 0;
}

/* The function of an entity; of a line, that which it is of. */
static const struct function *sites_function(const struct sites *sites, uint32_t entity)
{
	const struct function *function =
		functions_get(sites->functions, sites->entities[entity].function);

	return function->line_of ? functions_get(sites->functions, function->line_of) :
				   function;
}

bool sites_is_method(const struct sites *sites, uint32_t entity)
{
	const struct function *function = sites_function(sites, entity);
	const char *name = function->symbol ? function->symbol : function->inlined;

	return (sites->interpreted && entity >= sites->first_method) ||
	       (name && function->module && !strcmp(function->module, MADE_MODULE) &&
		made_name_is_method(name));
}

int sites_hide_natives(struct sites *sites, struct wm_error *err)
{
	uint32_t n = sites_entities(sites);

	sites->hidden = calloc(n + 1ul, sizeof(*sites->hidden));
	if (!sites->hidden)
		return wm_fail_nomem(err, "methods");
	for (uint32_t i = 1; i <= n; i++)
		sites->hidden[i] = !sites_is_method(sites, i);
	return 0;
}

const bool *sites_hidden(const struct sites *sites)
{
	return sites->hidden;
}

int sites_add_methods(struct sites *sites, const struct wm_trace *trace,
		      const struct selection *selection, struct wm_error *err)
{
	struct following following = { sites, trace, selection };
	struct schedule schedule = { selection->n, selection->threads, follow, NULL,
				     &following };
	int ret = sites->interpreted ? schedule_run(&schedule, NULL, err) : 0;

	return ret ? ret : sites_number_methods(sites, selection, err);
}
