/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The calls of a thread one by one, in their order. */
#ifndef ANALYSIS_CALLS_CALLTRACE_H
#define ANALYSIS_CALLS_CALLTRACE_H

#include "analysis/calls/callcauses.h"

/* A call that begins. */
struct calltrace_call {
	/*
	 * Its `edge` is, of the handler of a machine's trap, the trap's cause plus 1, or
	 * CALLTRACE_SYSCALL plus the number of the system call; of the call by which Linux
	 * handles a device's interrupt, CALLTRACE_IRQ plus its number; else 0.
	 */
	const struct callstack_frame *frame;
	const char *irq; /* its device, printable; valid during the call; else NULL */
	uint32_t caller; /* entity; 0: nothing called it */
	uint32_t space;
	uint32_t place; /* callstack_place() */
};

struct excerpts;
struct method_frames;

struct calltrace {
	const struct wm_trace *trace;
	const struct sites *sites;
	uint64_t from, to; /* instruction ordinals; `to` is not included */
	/*
	 * What is NULL is not called. A call begins, and ends; the last one that began
	 * ends first. `over`: it ends with the thread, or at `to`. `insn` is the ordinal
	 * after its last instruction.
	 */
	void (*enter)(void *cookie, const struct calltrace_call *call);
	void (*leave)(void *cookie, const struct callstack_frame *frame, uint64_t insn,
		      bool over);
	/* Called from time to time; false ends the walk. */
	bool (*more)(void *cookie);
	void *cookie;
	const struct excerpts
		*excerpts; /* [streams] by index, see struct selection; NULL */
	/* Of methods: finds them, for sites_add_methods() alone; NULL: as the sites have them. */
	struct method_frames *frames;
	bool recovers; /* bytecodes in gaps, too: for bytecodes_gather() alone */
};

/* Errors are those of cursors, and of callstack.error. */
int calltrace_run(const struct calltrace *calltrace, unsigned stream,
		  struct wm_error *err);

/*
 * The same for all threads of a selection that has a runner: parts of threads become logs, and
 * the calls of a thread are reported when all of its parts are there. `from`, `to` and excerpts
 * are the selection's. Only frames' entity, kind, insn, entered, edge and level are set: the
 * last is how many calls are open, those included that are not wanted and not reported. `more`
 * is also asked before a thread begins, whose index is *stream then.
 */
struct calllog_wanted;
int calltrace_run_shared(const struct calltrace *calltrace,
			 const struct calllog_wanted *wanted,
			 const struct selection *selection, unsigned *stream,
			 struct wm_error *err);

#endif
