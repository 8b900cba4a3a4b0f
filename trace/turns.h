/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * When harts turned to the streams of a machine, and left them, by stream. A sched_switch, which
 * also says when a thread was left, is at the same block as the turn that goes on with it.
 */
#ifndef TRACE_TURNS_H
#define TRACE_TURNS_H

#include "waymark.h"

struct turns;

/*
 * When a hart turned to the stream at a block, not before `ns`; `ns` where that is not known. The
 * schedule is read when this is first asked. On any thread.
 */
uint64_t turns_after(const struct wm_trace *trace, uint32_t stream, uint64_t block,
		     uint64_t ns);

/* `ns`, or when the hart left the stream in the turn that has a block, if that was before. */
uint64_t turns_until(const struct wm_trace *trace, uint32_t stream, uint64_t block,
		     uint64_t ns);

/* What a trace has read of them, or NULL. */
void turns_free(struct turns *turns);

#endif
