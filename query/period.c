// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The period of a recording: from the begin of the first process to the latest time that
 * is known. A recording that was cut off lacks the end of processes that were running;
 * the last chunk that arrived then gives the end. Without any time both members are
 * equal, which readers take for "not known".
 */
#include "query/period.h"

/* UINT64_MAX remains when no process has a begin. */
struct period period_of(const struct wm_trace *trace)
{
	struct period period = { UINT64_MAX, 0 };
	struct wm_process process;
	struct wm_summary summary;
	struct wm_chunk chunk;

	wm_trace_summary(trace, &summary);
	for (unsigned i = 0; i < summary.spaces; i++) {
		if (wm_trace_process(trace, i, &process))
			continue;
		if (process.begin_ns && process.begin_ns < period.begin_ns)
			period.begin_ns = process.begin_ns;
		if (process.end_ns > period.end_ns)
			period.end_ns = process.end_ns;
	}
	for (uint64_t i = 0; !wm_trace_chunk(trace, i, &chunk); i++)
		if (chunk.end_ns > period.end_ns)
			period.end_ns = chunk.end_ns;
	if (period.begin_ns > period.end_ns)
		period.begin_ns = period.end_ns;
	return period;
}
