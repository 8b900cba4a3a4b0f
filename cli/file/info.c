// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What the text and the JSON of waymark info both need. Everything comes from the metadata
 * and the lists of partial blocks; no chunk is decoded.
 *
 * Times on CLOCK_MONOTONIC mean something only as differences. Example: a process began at
 * 5,000,000,000 ns and a module was seen at 5,250,000,000 ns, that is 0.25 s into the run.
 */
#include "cli/file/info.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "query/period.h"
#include "trace/symtabs.h"

/*
 * When the recording started, in UTC: "2026-11-20T14:22:21Z". NULL when not known. The
 * recorder stores seconds since the epoch as decimal text.
 */
const char *info_started(const struct wm_trace *trace, char *text, size_t size)
{
	const char *recorded = wm_trace_meta(trace, "started");
	time_t seconds = recorded ? (time_t)strtoll(recorded, NULL, 10) : 0;
	struct tm tm;

	if (!recorded || !gmtime_r(&seconds, &tm))
		return NULL;
	return strftime(text, size, "%Y-%m-%dT%H:%M:%SZ", &tm) ? text : NULL;
}

/*
 * In seconds; negative when not known. period_of() returns an empty period when the trace
 * has no times.
 */
double info_duration(const struct wm_trace *trace)
{
	struct period period = period_of(trace);

	return period.begin_ns < period.end_ns ?
		       (double)(period.end_ns - period.begin_ns) / 1e9 :
		       -1;
}

/*
 * How a process began. execve() keeps the pid, and the trace has a process for each
 * program: a parent with the same pid was replaced by this one, another pid is a fork.
 */
const char *info_began(const struct wm_trace *trace, const struct wm_process *process)
{
	struct wm_process parent;

	if (wm_trace_process(trace, process->parent, &parent))
		return "start";
	return parent.pid == process->pid ? "exec" : "fork";
}

/*
 * Whether execve() replaced the program of a process. The successor is listed after it,
 * names it as its parent, and has its pid.
 */
bool info_is_replaced(const struct wm_trace *trace, unsigned index,
		      const struct wm_process *process)
{
	struct wm_summary summary;
	struct wm_process other;

	wm_trace_summary(trace, &summary);
	for (unsigned i = index + 1; i < summary.spaces; i++)
		if (!wm_trace_process(trace, i, &other) && other.parent == index &&
		    other.pid == process->pid)
			return true;
	return false;
}

/*
 * The number of block executions whose last instructions may not have run. The summary
 * has only the number of instructions, so the lists of partial blocks are read; a trace
 * without uncertain instructions needs none. A list that cannot be read counts as empty:
 * verify reports it.
 */
uint64_t info_uncertain_blocks(const struct wm_trace *trace,
			       const struct wm_summary *summary)
{
	uint64_t blocks = 0;

	for (uint64_t i = 0; i < summary->chunks && summary->uncertain; i++) {
		struct wm_partial *partials = NULL;
		size_t n = 0;

		if (wm_trace_partials(trace, i, &partials, &n, NULL))
			continue;
		for (size_t j = 0; j < n; j++)
			blocks += partials[j].uncertain > 0;
		free(partials);
	}
	return blocks;
}

/*
 * Seconds from the begin of the first process until a module was first seen; negative
 * when not known. A module can be seen earlier than that process began only in a damaged
 * file.
 */
double info_seen_at(const struct wm_trace *trace, const struct wm_module *module)
{
	struct wm_process first;

	if (!module->ns || wm_trace_process(trace, 0, &first) ||
	    module->ns < first.begin_ns)
		return -1;
	return (double)(module->ns - first.begin_ns) / 1e9;
}

/*
 * The order is that in which names are searched: packed names are used even when the file
 * is there (program/providers.c).
 */
const char *info_names(const struct info *info, unsigned index,
		       const struct wm_module *module, const char **found)
{
	struct codemap map;
	uint32_t file;

	*found = files_of_module(info->files, index, &file) ?
			 files_found(info->files, file) :
			 NULL;
	if (module->packed)
		return "packed";
	if (*found)
		return strcmp(*found, module->path) ? "elsewhere" : "file";
	if (trace_codemap(info->trace, index, &map, NULL))
		return "none";
	codemap_fini(&map);
	return "trace";
}
