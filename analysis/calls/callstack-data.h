/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What callstack.c and callstack_feed.c share: the steps of a stack. */
#ifndef ANALYSIS_CALLS_CALLSTACK_DATA_H
#define ANALYSIS_CALLS_CALLSTACK_DATA_H

#include "analysis/calls/callstack.h"

/* Control arrives at `to`; NULL: a signal comes before it is there. */
void callstack_arrive(struct callstack *stack, const struct callstack_exit *from,
		      const struct site *to, uint64_t insn);
/* Pushes the first frame of a stack that begins, or begins anew, inside a function. */
void callstack_originate(struct callstack *stack, const struct site *to, uint64_t insn,
			 bool entered);
/* Leaves frames until `depth` of them are left. */
void callstack_unwind(struct callstack *stack, uint32_t depth, uint64_t insn);
/* Of an open stack: hands a step and all frames to the sink. */
void callstack_report(struct callstack *stack, const struct callstack_step *step);

#endif
