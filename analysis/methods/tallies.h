/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the selected threads executed of each bytecode, and of each line of source. */
#ifndef ANALYSIS_METHODS_TALLIES_H
#define ANALYSIS_METHODS_TALLIES_H

#include "analysis/methods/native.h"
#include "analysis/selection.h"
#include "managed/methods.h"

struct walk_step;

/* How code ran: interpreted, compiled, optimised. */
enum { TALLY_TIERS = 3 };

struct code_tally {
	uint64_t insns[TALLY_TIERS], executions;
};

uint64_t code_tally_insns(const struct code_tally *tally); /* of all tiers */
/* Whether anything ran. */
bool code_tally_ran(const struct code_tally *tally);
void code_tally_add(struct code_tally *to,
		    const struct code_tally *tally); /* but executions */

struct method_tally {
	const struct unit *unit; /* the one whose note came first */
	uint64_t calls;
	struct code_tally *at; /* [its bytes] by offset; NULL: it did not run */
};

struct tallies {
	const struct methods *index;
	struct method_tally *methods; /* [index->n] by number */
	uint64_t runtime;	      /* instructions of no bytecode */
	struct native native;	      /* of these, those of each native function */
	/* While a thread is followed. */
	const struct unit *latest_unit; /* of the latest bytecode; NULL: none yet */
	struct method_tally *latest;	/* its method's */
	struct meter meter;
	uint64_t from;
	/* Its own, of tallies_gather() (analysis/methods/tally_threads.c). */
	struct units units;
	struct methods all;
};

/*
 * Follows the selected threads. With `functions`, which must outlive *tallies, native functions
 * have what is no method's. WM_END: the trace has no bytecodes. The caller frees *tallies
 * with tallies_fini(), whatever is returned. Errors are those of walk_stream(); WM_E_NOMEM.
 */
int tallies_gather(struct tallies *tallies, const struct wm_trace *trace,
		   struct functions *functions, const struct selection *selection,
		   struct wm_error *err);
void tallies_fini(struct tallies *tallies);

/*
 * The same for who walks through the threads anyway: `index`, which must outlive *tallies, has
 * the methods. Between tallies_init() and tallies_settle() for each thread tallies_begin(); then
 * tallies_take() with each step of its walk from the thread's begin, which gives WM_END where the
 * selection ends, and after each run, its steps taken, tallies_pass(), to whom `settled` is
 * walk_settled(); or tallies_add() alone, with all that a thread ran without a bytecode; and
 * tallies_end(). Errors: WM_E_NOMEM.
 */
int tallies_init(struct tallies *tallies, const struct methods *index,
		 const struct wm_trace *trace, struct functions *functions,
		 const struct selection *selection, struct wm_error *err);
void tallies_begin(struct tallies *tallies);
int tallies_take(struct tallies *tallies, const struct walk_step *step,
		 struct wm_error *err);
int tallies_pass(struct tallies *tallies, uint64_t settled, const uint32_t *ids, size_t n,
		 const struct wm_step *step, struct wm_error *err);
int tallies_add(struct tallies *tallies, const struct counts *counts,
		struct wm_error *err);
void tallies_end(struct tallies *tallies, unsigned stream);
int tallies_settle(struct tallies *tallies, struct wm_error *err);
/* Adds a part, whose native functions are deferred and which is settled. */
int tallies_join(struct tallies *sum, const struct tallies *part, struct wm_error *err);

/* What ran of a line of a method; line 0: of none. */
struct source_tally {
	uint32_t line;
	struct code_tally
		sum; /* its executions: those of the bytecode that ran most often */
	uint64_t bytecodes;
};

/* The lines of a method that ran, ascending; the caller frees *lines. WM_E_NOMEM. */
int method_tally_lines(const struct method_tally *method, struct source_tally **lines,
		       size_t *n);

#endif
