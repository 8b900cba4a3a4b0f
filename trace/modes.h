/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The modes that a thread of a machine runs in, for the tool's own code: struct wm_modes of
 * waymark.h has the rest. The mode of a block is the one that the last event before it in its
 * thread led to: a trap, a return from one, or, where only a part was recorded, an event that
 * says the mode that the thread goes on in. Before the first of these it is the mode that this
 * one left. A thread without any is of the kernel, or, when it was the first on its hart,
 * firmware.
 */
#ifndef TRACE_MODES_H
#define TRACE_MODES_H

#include <stdbool.h>

#include "waymark.h"

enum { MODES = 4 }; /* enum wm_mode */

/* Whether the trace is of a whole machine, and not of one program. */
bool trace_is_of_machine(const struct wm_trace *trace);
/* Whether it is of a machine whose Linux has processes. */
bool trace_has_programs(const struct wm_trace *trace);

/* Whether the mode changes at the event. *before is left alone if the event does not tell. */
bool modes_change(const struct wm_event *event, uint64_t *before, uint64_t *after);

/* The mode of a thread that no event tells of. */
uint64_t modes_default(const struct wm_stream *stream);

/*
 * Whether the trace has the events that tell, and those of system calls if `calls`. WM_E_RANGE
 * when it has not, with what needs them: "--mode needs".
 */
int modes_check(const struct wm_trace *trace, const char *needing, bool calls,
		struct wm_error *err);

/*
 * The mode of a block, none of which is before the last one that was asked for. Not with
 * wm_modes_next() of the same struct.
 */
int modes_at(struct wm_modes *modes, uint64_t block, uint64_t *mode,
	     struct wm_error *err);

#endif
