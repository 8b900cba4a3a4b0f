/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The instructions of a thread, each for what was executed last: those from the begin of a
 * bytecode to that of the thread's next one are the bytecode's.
 */
#ifndef ANALYSIS_METHODS_METER_H
#define ANALYSIS_METHODS_METER_H

#include <stdint.h>

struct meter {
	uint64_t since, to; /* what is not counted yet, and where the selection ends */
	uint64_t *sum;	    /* what these instructions are added to */
};

/* Counts the instructions before `insn`. */
static inline void meter_read(struct meter *meter, uint64_t insn)
{
	uint64_t end = insn < meter->to ? insn : meter->to;

	if (end > meter->since) {
		*meter->sum += end - meter->since;
		meter->since = end;
	}
}

#endif
