/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whose the instructions are that no method has: the native functions of the runtime. */
#ifndef ANALYSIS_METHODS_NATIVE_H
#define ANALYSIS_METHODS_NATIVE_H

#include "analysis/counts.h"
#include "analysis/methods/meter.h"
#include "program/functions.h"

struct native_span {
	uint64_t from, to; /* instructions of the thread */
};

struct native {
	struct functions *functions; /* NULL: they are not asked for */
	const struct wm_trace *trace;
	/* Of one that is counted beside others: later[n_later], which native_join() divides. */
	bool defers;
	struct counts_part *later;
	size_t n_later;
	uint64_t *insns; /* [n] by the function's number */
	uint32_t n;
	/* Of one space, until another one runs: */
	uint32_t space;
	uint64_t *blocks; /* [known + 1] complete executions */
	bool waits;	  /* some are not in insns[] yet */
	/* Of the run of blocks that is passed: */
	struct native_span *spans; /* [n_spans], ascending */
	size_t n_spans;
};

void native_init(struct native *native, struct functions *functions,
		 const struct wm_trace *trace);
void native_fini(struct native *native);
/* What meter_read() would count up to `insn` is of no method. False: no memory. */
bool native_span(struct native *native, const struct meter *meter, uint64_t insn);
/* Counts the blocks of a run, as far as they are in spans, and forgets these. WM_E_NOMEM. */
int native_pass(struct native *native, const uint32_t *ids, size_t n,
		const struct wm_step *step, struct wm_error *err);
/* Counts all that ran of a thread that runs no method. WM_E_NOMEM. */
int native_add(struct native *native, const struct counts *counts, struct wm_error *err);
/* insns[] has all that was passed, or later[] if it defers that. WM_E_NOMEM. */
int native_settle(struct native *native, struct wm_error *err);
/* Adds what another one, which is settled, has deferred. WM_E_NOMEM. */
int native_join(struct native *native, const struct native *part, struct wm_error *err);

#endif
