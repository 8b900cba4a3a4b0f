/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What ran of the methods of a managed program: each bytecode, and which one came after which
 * in a frame, whatever the method called in between.
 */
#ifndef ANALYSIS_METHODS_BYTECODE_H
#define ANALYSIS_METHODS_BYTECODE_H

#include "analysis/calls/interpreted.h"
#include "analysis/methods/meter.h"
#include "analysis/methods/tallies.h"
#include "analysis/selection.h"
#include "base/intern.h"
#include "program/functions.h"

/* In the place of an offset: where a frame begins or goes on, and where it is left. */
#define BYTECODE_ENTRY UINT32_MAX
#define BYTECODE_EXIT (UINT32_MAX - 1)
/* Or a gap of several ways; or what is not known, as a frame that began before the recording. */
#define BYTECODE_SEVERAL (UINT32_MAX - 2)
#define BYTECODE_UNKNOWN (UINT32_MAX - 3)

struct bytecode {
	uint64_t executions;
	uint64_t recovered; /* more executions: in gaps of one way */
	uint64_t insns;	    /* from its fetch to that of the thread's next bytecode */
	uint64_t first;	    /* the order of first execution among all bytecodes: from 1 */
	/* Where that was, and the last one: instructions of threads. */
	uint64_t first_insn, last_insn;
	unsigned first_thread, last_thread;
	uint32_t edge; /* by which it was reached last: its number; 0: none */
};

/* From one bytecode of a frame to the next. */
struct bytecode_edge {
	uint32_t method, from, to;
	uint64_t count, first; /* the order of first execution among all edges: from 1 */
	uint64_t recovered;    /* how often more, in gaps of one way */
};

struct bytecodes {
	struct sites *sites;	       /* with methods; NULL: no methods are known */
	const struct methods *methods; /* of the sites; NULL: no methods are known */
	struct bytecode **ran;	       /* [methods->n][its bytes]; NULL: none ran */
	uint64_t *calls;	     /* [methods->n] interpreted, compiled and inlined */
	struct bytecode_edge *edges; /* [n_edges] in the order of first execution */
	size_t n_edges;
	struct interner index; /* of edges: their numbers plus 1 */
	uint64_t order;	       /* bytecodes that ran, each once */
	uint64_t runtime;      /* instructions of no bytecode */
	/* While a thread is followed. */
	unsigned thread;
	struct meter meter;
	struct tallies *tallies; /* to be filled, too; NULL */
	bool failed;		 /* no memory */
};

/*
 * Follows the selected threads, one after the other. With `recovers` gaps are connected where
 * there is one way, and else told as ends of edges; the calls of the sites are then not those of
 * other commands. Without bytecodes bytecodes->methods is NULL.
 * The caller frees *bytecodes with bytecodes_fini(), also after a failure. Errors are those of
 * sites_new() and calltrace_run().
 */
int bytecodes_gather(struct bytecodes *bytecodes, const struct wm_trace *trace,
		     struct functions *functions, const struct selection *selection,
		     bool recovers, struct wm_error *err);
/*
 * The same of whole threads, without recovery; *tallies, the caller's to tallies_fini(), gets on the
 * way what tallies_gather() would find. Without bytecodes tallies->index is NULL. It must not outlive
 * *bytecodes.
 */
int bytecodes_and_tallies(struct bytecodes *bytecodes, struct tallies *tallies,
			  const struct wm_trace *trace, struct functions *functions,
			  const struct selection *selection, struct wm_error *err);
void bytecodes_fini(struct bytecodes *bytecodes);

/* How often the one came right after the other. */
uint64_t bytecodes_count(const struct bytecodes *bytecodes, uint32_t method,
			 uint32_t from, uint32_t to);

/* How often that way of a bytecode was gone. */
uint64_t bytecodes_way(const struct bytecodes *bytecodes, uint32_t method, uint32_t from,
		       const struct unit_ways *ways, uint32_t way);

/* ---- for analysis/calls --------------------------------------------------- */

/* A method was called, by the walk's step. */
void bytecodes_called(struct bytecodes *bytecodes, uint32_t method);
/* One of compiled code was: it counts, and nothing is known of what came before it. */
void bytecodes_compiled(struct bytecodes *bytecodes, uint32_t method,
			const struct walk_step *step);
/* A bytecode of a frame was executed, behind `from` of it; `crossing`: from there in a gap. */
void bytecodes_step(struct bytecodes *bytecodes, uint32_t method, uint32_t from,
		    const struct walk_step *step, bool crossing);
/* The one came after the other; `recovered`: in a gap. */
void bytecodes_edge(struct bytecodes *bytecodes, uint32_t method, uint32_t from,
		    uint32_t to, bool recovered);
/* From there on it is not known what is executed. */
void bytecodes_lost(struct bytecodes *bytecodes, uint64_t insn);

#endif
