/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The stack as it is shown: functions and methods that were inlined have a frame, too. */
#ifndef CLI_BROWSE_FRAMES_H
#define CLI_BROWSE_FRAMES_H

#include "browse/bytewalk.h"
#include "browse/walk.h"

enum { FRAMES_MAX = 256 };

struct frame {
	struct walk_frame
		at; /* the same of all that share one real frame; of a method only insn */
	bool inlined;
	uint32_t function; /* the one that was inlined, as of functions_get(); else 0 */
	const struct unit *unit; /* of a method; NULL: of native code */
	uint32_t offset;	 /* in the unit */
	struct srcline line; /* .number 0: not known; of a method .source means nothing */
};

struct frames {
	struct frame all[FRAMES_MAX]; /* [n] from the innermost */
	size_t n;
	bool whole; /* the last is where the thread began */
};

/* Reads the stack of the position, at most `blocks` blocks back: see walk_stack(). */
int frames_read(struct frames *frames, struct walk *walk, uint64_t blocks,
		struct wm_error *err);
/* The methods that a look at an instruction has found: at least one. */
void frames_of_methods(struct frames *frames, const struct bytewalk_view *view,
		       uint64_t insn);

#endif
