// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Calls by the instruction that made them: the arcs of the call graph by place (arcs.h), but for
 * calls of which the caller is not known.
 *
 * Example: main calls f at line 3 once and at line 5 twice, and each call of f takes 10
 * instructions. There are two callsites: 1 call with 10 instructions, 2 calls with 20.
 */
#include "analysis/calls/callsites.h"

#include <stdlib.h>

#include "analysis/calls/calls.h"
#include "base/append.h"
#include "base/error.h"

static bool add(struct callsites *callsites, const struct arc *arc)
{
	const struct callsite site = {
		.caller = arc->caller,
		.callee = arc->callee,
		.space = arcs_place_space(arc->place),
		.place = (uint32_t)arc->place,
		.calls = arc->calls,
		.insns = arc->total,
	};

	/* In a damaged trace the function may be none that is known. */
	if (!arc->place || !arc->caller || !arc->callee)
		return true;
	return APPEND(callsites->all, callsites->n, site);
}

int callsites_gather(struct callsites *callsites, const struct wm_trace *trace,
		     struct sites *sites, const struct selection *selection,
		     struct wm_error *err)
{
	struct arcs arcs;
	int ret = calls_gather_places(&arcs, sites, trace, selection, err);

	*callsites = (struct callsites){ .n = 0 };
	for (uint32_t i = 1; !ret && i < arcs.n; i++)
		if (!add(callsites, &arcs.all[i]))
			ret = wm_fail_nomem(err, "calls");
	arcs_fini(&arcs);
	if (ret)
		callsites_fini(callsites);
	return ret;
}

void callsites_fini(struct callsites *callsites)
{
	free(callsites->all);
	*callsites = (struct callsites){ .n = 0 };
}
