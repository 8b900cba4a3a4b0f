/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the selected threads executed of each bytecode, and of each line of source. */
#ifndef ANALYSIS_METHODS_TALLIES_H
#define ANALYSIS_METHODS_TALLIES_H

#include "analysis/methods/native.h"
#include "analysis/selection.h"
#include "managed/methods.h"

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
	struct units units;
	struct methods index;
	struct method_tally *methods; /* [index.n] by number */
	uint64_t runtime;	      /* instructions of no bytecode */
	struct native native;	      /* of these, those of each native function */
	/* While a thread is followed. */
	struct meter meter;
	uint64_t from;
	struct walk *walk;
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
