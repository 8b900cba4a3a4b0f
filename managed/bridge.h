/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a thread executed in a gap, where its methods leave one way only. */
#ifndef MANAGED_BRIDGE_H
#define MANAGED_BRIDGE_H

#include "managed/frames.h"

enum bridge_ways {
	BRIDGE_UNASKED,
	BRIDGE_NONE, /* none is known: what is behind the gap may belong to other frames */
	BRIDGE_ONE,
	BRIDGE_SEVERAL,
};

struct bridge {
	enum bridge_ways ways;
	/* Of one way: [n] what was executed in the gap, in order; free() it. */
	struct frame *between;
	size_t n;
};

/*
 * The thread was in `frames` when the gap began, and executes `after` first behind it. The
 * gap has `insns` instructions; UINT64_MAX: not known. Fills in *bridge; where there is one
 * way, *frames has the frames of `after`, but for its offset. False: no memory.
 */
bool bridge_find(struct bridge *bridge, struct frames *frames, const struct frame *after,
		 uint64_t insns);

#endif
