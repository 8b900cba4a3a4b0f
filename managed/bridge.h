/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a thread executed in a gap, where its methods leave one way only. */
#ifndef MANAGED_BRIDGE_H
#define MANAGED_BRIDGE_H

#include "managed/callees.h"
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
	struct bridge_step {
		struct frame at;
		enum frames_way way; /* by which it was reached */
	} * between;
	size_t n;
	enum frames_way way; /* the same of what is behind the gap */
	bool strayed;	     /* and that is in a frame of which the caller is not known */
};

/*
 * The thread was in `frames` when the gap began, and executes `after` first behind it. From
 * the begin of the last bytecode before it to that of `after` are `insns` instructions, the
 * gap's among them; UINT64_MAX: not known. Calls are followed by `callees`; NULL: they are
 * not, and code of methods may be compiled. Fills in *bridge; where there is one way, *frames
 * has the frames of `after`, but for its offset. False: no memory.
 */
bool bridge_find(struct bridge *bridge, struct frames *frames, const struct frame *after,
		 uint64_t insns, struct callees *callees);

#endif
