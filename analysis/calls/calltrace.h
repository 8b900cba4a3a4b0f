/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The calls of a thread one by one, in their order. */
#ifndef ANALYSIS_CALLS_CALLTRACE_H
#define ANALYSIS_CALLS_CALLTRACE_H

#include "analysis/calls/callstack.h"

/* A call that begins. */
struct calltrace_call {
	/* Its `edge` is, of the handler of a machine's trap, the trap's cause plus 1; else 0. */
	const struct callstack_frame *frame;
	uint32_t caller; /* entity; 0: nothing called it */
	uint32_t space;
	/* Where the calling block ends, see struct site; 0: not known. */
	uint32_t place;
};

struct calltrace {
	const struct wm_trace *trace;
	const struct sites *sites;
	uint64_t from, to; /* instruction ordinals; `to` is not included */
	/*
	 * A call begins, and ends; the last one that began ends first. `over`: it ends
	 * with the thread, or at `to`. `insn` is the ordinal after its last instruction.
	 */
	void (*enter)(void *cookie, const struct calltrace_call *call);
	void (*leave)(void *cookie, const struct callstack_frame *frame, uint64_t insn,
		      bool over);
	/* Called from time to time; false ends the walk. */
	bool (*more)(void *cookie);
	void *cookie;
};

/* Errors are those of cursors, and of callstack.error. */
int calltrace_run(const struct calltrace *calltrace, unsigned stream,
		  struct wm_error *err);

#endif
