/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which instruction called which function, how often, and what that took. */
#ifndef ANALYSIS_CALLS_CALLSITES_H
#define ANALYSIS_CALLS_CALLSITES_H

#include "analysis/calls/sites.h"

struct callsite {
	uint32_t caller, callee; /* entities, neither 0 */
	uint32_t space;		 /* index */
	/*
	 * Where the block ends whose last instruction it is, see struct site; of an inlined
	 * call its strand; 0: not known.
	 */
	uint32_t place;
	/* Calls; those that entered the function in its middle are none, as in arcs.h. */
	uint64_t calls;
	/*
	 * Inside the calls. A call inside another one with the same caller and callee counts
	 * in that one only, so the sum over their sites is the total of their arc.
	 */
	uint64_t insns;
};

struct callsites {
	struct callsite *all; /* [n] */
	uint32_t n;
};

/*
 * Fills in *callsites, which is the caller's to callsites_fini(), on failure empty. `sites`
 * are those of the selection. Errors are those of analysis_run(), and WM_E_NOMEM.
 */
int callsites_gather(struct callsites *callsites, const struct wm_trace *trace,
		     struct sites *sites, const struct selection *selection,
		     struct wm_error *err);
void callsites_fini(struct callsites *callsites);

#endif
