/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A trace that is made up. Blocks 1 to 4: `jal; nop` and `ret` at 0x1000, `nop` at 0x1000, `ret` at 0x2000. Of other
 * ISAs: 5 of Thumb; 6 of x86, 9 bytes long; 7 without code; 8, of which the disassembler
 * does not know the first one. And 9 and :, the pieces of 1. In a sequence ! is a signal.
 */
#ifndef TESTS_MADE_UP_H
#define TESTS_MADE_UP_H

#include "waymark.h"

struct wm_trace {
	struct wm_stream streams[3];
	const char *ids[3]; /* digits: the sequence of each stream */
	unsigned n;
	bool has_gap; /* it is block GAP, after all others */
	uint32_t pid; /* of its process; 0: a machine */
	int32_t status;
};

#endif
