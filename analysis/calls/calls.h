/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The calls of a trace: a flat profile, who called whom, and the calling contexts.
 * analysis/calls/callstack.h defines what counts as a call.
 *
 * Instructions "inside" a call are those from its entry to its exit, with those of the
 * functions it calls. A call that has not returned at the end of the selection is *open*:
 * its instructions count in totals only. Three things are no calls: a function that runs
 * at the beginning, one that control enters in its middle, and a linker's stub.
 *
 * A function's own instructions are those of its code, with the parts that the compiler
 * moved elsewhere: analysis/hot/hot.h counts the same. The numbers are the same for any
 * number of threads.
 */
#ifndef ANALYSIS_CALLS_CALLS_H
#define ANALYSIS_CALLS_CALLS_H

#include "analysis/calls/arcs.h"
#include "analysis/calls/contexts.h"
#include "analysis/calls/sites.h"

struct kernel;

struct calls_function {
	uint32_t entity;      /* see sites_entity() and sites_name() */
	uint64_t self_insns;  /* its own */
	uint64_t total_insns; /* while it was on the stack: recursion counts once */
	uint64_t calls, open; /* calls, and those of them that have not returned */
	uint64_t insns;	      /* inside all that have returned; nested ones count
			       * several times */
	uint64_t least, most; /* inside one of these; 0 without any */
};

struct calls {
	struct sites *sites;
	struct calls_function *functions; /* [n_functions] that ran, by entity */
	uint32_t n_functions;
	struct arcs arcs; /* of these, all.total; those never active are there, too */
	struct contexts contexts; /* node 1 is the root of all, which is no function */
	uint64_t insns;		  /* all that ran */
};

/*
 * Fills in *calls, which is the caller's to calls_fini(), on failure empty. Of calling
 * contexts `most_contexts` are kept at most; 0: none. Errors are those of analysis_run() and
 * sites_new().
 */
int calls_gather(struct calls *calls, const struct wm_trace *trace,
		 struct functions *functions, const struct selection *selection,
		 uint32_t most_contexts, struct wm_error *err);
void calls_fini(struct calls *calls);
/* The same with sites of that selection, which are the calls' from here on, also on failure. */
int calls_gather_at(struct calls *calls, struct sites *sites,
		    const struct wm_trace *trace, const struct selection *selection,
		    uint32_t most_contexts, struct wm_error *err);

/*
 * The arcs by place, for the caller to arcs_fini(): those of a pair alone have no sums. The sites
 * are of that selection, and stay the caller's.
 */
int calls_gather_places(struct arcs *arcs, struct sites *sites,
			const struct wm_trace *trace, const struct selection *selection,
			struct wm_error *err);

/*
 * The same in steps: calls_begin(), a run of calls_walk_analysis() with *walk as its setup, and
 * calls_finish(), which frees the walk and fills in *calls; calls_drop() instead only frees.
 */
struct calls_walk;
int calls_begin(struct calls_walk **walk, const struct wm_trace *trace,
		struct functions *functions, const struct selection *selection,
		uint32_t most_contexts, struct wm_error *err);
/* The same with sites of that selection, which are the walk's from here on, also on failure. */
int calls_begin_at(struct calls_walk **walk, struct sites *sites,
		   const struct wm_trace *trace, uint32_t most_contexts,
		   struct wm_error *err);
int calls_finish(struct calls_walk *walk, struct calls *calls, struct wm_error *err);
void calls_drop(struct calls_walk *walk);
/* The analysis, as long as the walk. */
const struct analysis *calls_walk_analysis(const struct calls_walk *walk);

/* Whether at an event a handler returns, of a signal or of a machine's trap. */
bool calls_is_return(const struct kernel *kernel, const struct wm_event *event);
/* Whether a handler starts there, and where the program is then. */
bool calls_is_signal(const struct wm_event *event, uint64_t *pc);

#endif
