/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The stack as it is shown: functions that were inlined have a frame, too. */
#ifndef CLI_BROWSE_FRAMES_H
#define CLI_BROWSE_FRAMES_H

#include "browse/walk.h"

enum { FRAMES_MAX = 256 };

struct frame {
	struct walk_frame at; /* the same of all that share one real frame */
	uint32_t inlined;     /* the function, as of functions_get(); 0: a real frame */
	struct srcline line;  /* .number 0: not known */
};

struct frames {
	struct frame all[FRAMES_MAX]; /* [n] from the innermost */
	size_t n;
	bool whole; /* the last is where the thread began */
};

/* Reads the stack of the position, at most `blocks` blocks back: see walk_stack(). */
int frames_read(struct frames *frames, struct walk *walk, uint64_t blocks,
		struct wm_error *err);

#endif
