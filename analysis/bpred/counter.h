/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Counters of two bits, 0 to 3: from 2 on they predict "taken". */
#ifndef ANALYSIS_BPRED_COUNTER_H
#define ANALYSIS_BPRED_COUNTER_H

#include <stdbool.h>
#include <stdint.h>

/* What counters start with: not taken, but weakly. */
enum { COUNTER_START = 1 };

static inline bool counter_taken(uint8_t counter)
{
	return counter >= 2;
}

static inline uint8_t counter_next(uint8_t counter, bool taken)
{
	if (taken)
		return counter < 3 ? counter + 1 : 3;
	return counter ? counter - 1 : 0;
}

#endif
