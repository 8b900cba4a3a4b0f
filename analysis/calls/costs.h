/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What instructions and calls cost, by function and place in the code. */
#ifndef ANALYSIS_CALLS_COSTS_H
#define ANALYSIS_CALLS_COSTS_H

#include "analysis/cache/profile.h"
#include "analysis/calls/sites.h"
#include "analysis/calls/subject.h"

/* A place in the code: zeros when it is not known. */
struct costs_place {
	uint32_t source, line; /* see struct srcline */
	uint64_t address;      /* in the file that it is from; else as it ran */
};

struct cost {
	uint32_t entity; /* whose instructions, or who called */
	uint32_t callee; /* entity; 0: these are instructions of its own */
	struct costs_place at;
	uint64_t calls, insns; /* of a call: inside it */
	/* What caches made of instructions: index + 1 into sites of the profile; 0: not known. */
	size_t cached;
};

struct costs {
	struct sites *sites;
	struct cost *all; /* [n] by entity and file, in each the function's own first */
	size_t n;
	struct costs_place *entries;  /* [entities + 1] where each begins */
	uint64_t insns;		      /* in all */
	struct cache_profile *caches; /* as given */
};

/*
 * Fills in *costs. The caller calls costs_fini(), also after a failure. `caches` is
 * what caches made of the same part of the trace, or NULL; its sites of an instruction that
 * are several (of several blocks) are added up in one of them; a subject of methods alone takes
 * none. Errors are those of
 * sites_new(), counts_gather() and callsites_gather().
 */
int costs_gather(struct costs *costs, const struct calls_subject *subject,
		 struct cache_profile *caches, struct wm_error *err);
/* What caches made of instructions; NULL: not known. */
const struct cache_tally *costs_tally(const struct costs *costs, const struct cost *cost);
void costs_fini(struct costs *costs);

#endif
