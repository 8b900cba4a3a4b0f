// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The period of a recording: from the begin of the first space to the latest time that
 * is known. A recording that was cut off lacks the end of spaces that were running;
 * the last chunk that arrived then gives the end. Without any time both members are
 * equal, which readers take for "not known".
 */
#include "trace/period.h"

/* UINT64_MAX remains when no space has a begin. */
struct period period_of(const struct wm_trace *trace)
{
	struct period period = { UINT64_MAX, 0 };
	struct wm_space space;
	struct wm_chunk chunk;

	for (unsigned i = 0; !wm_trace_space(trace, i, &space); i++) {
		if (space.begin_ns && space.begin_ns < period.begin_ns)
			period.begin_ns = space.begin_ns;
		if (space.end_ns > period.end_ns)
			period.end_ns = space.end_ns;
	}
	for (uint64_t i = 0; !wm_trace_chunk(trace, i, &chunk); i++)
		if (chunk.end_ns > period.end_ns)
			period.end_ns = chunk.end_ns;
	if (period.begin_ns > period.end_ns)
		period.begin_ns = period.end_ns;
	return period;
}
