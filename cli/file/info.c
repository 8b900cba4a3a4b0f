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

#include "base/error.h"
#include "base/intern.h"
#include "program/made/name.h"
#include "trace/made.h"
#include "trace/modes.h"
#include "trace/period.h"
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

/* The first turn of a hart is no switch. Of a part, some harts may have no turn. */
static int count_turns(struct info *info, struct wm_schedule *schedule,
		       struct wm_error *err)
{
	struct interner turned = INTERNER_INIT; /* harts, as addresses of nothing */
	struct wm_turn turn;
	bool first;
	int ret;

	while (!(ret = wm_schedule_next(schedule, &turn, err))) {
		if (turn.hart >= info->harts)
			info->harts = turn.hart + 1;
		if (!intern(&turned, turn.hart, (const uint8_t *)"", 0, &first)) {
			ret = wm_fail_nomem(err, "the harts");
			break;
		}
		info->switches += !first;
	}
	interner_fini(&turned);
	return ret == WM_END ? 0 : ret;
}

/* Where there is no schedule, each thread is a hart. */
int info_count_harts(struct info *info, struct wm_error *err)
{
	struct wm_schedule *schedule;
	struct wm_stream stream;
	int ret;

	info->harts = 0;
	info->switches = 0;
	if (!trace_is_of_machine(info->trace))
		return 0;
	ret = wm_schedule_new(&schedule, info->trace, err);
	if (ret)
		return ret;
	ret = count_turns(info, schedule, err);
	wm_schedule_free(schedule);
	for (unsigned i = 0; !wm_trace_stream(info->trace, i, &stream); i++)
		if (stream.vcpu >= info->harts)
			info->harts = stream.vcpu + 1;
	return ret;
}

/* docs/decisions/system.md says why. */
const char *info_known_limits(const struct wm_trace *trace)
{
	const char *isa = wm_trace_meta(trace, "guest-isa");

	if (!isa || !trace_is_of_machine(trace))
		return NULL;
	if (wm_trace_meta(trace, "faults"))
		return "QEMU did not tell where traps leave blocks: behind such a place the "
		       "rest of the block is in the trace, too, so counts are upper bounds";
	if (!strcmp(isa, "aarch64"))
		return "programs of 32 bits (AArch32) have no system calls, and are "
		       "disassembled as 64-bit code";
	if (!strcmp(isa, "x86_64"))
		return "before 64-bit mode causes of traps are unknown, code is disassembled "
		       "as 64-bit code, and firmware counts as kernel; programs of 32 bits are "
		       "disassembled so, too, and have no system calls";
	return NULL;
}

uint32_t info_generated(const struct wm_trace *trace)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < trace_made_count(trace); i++) {
		struct wm_module piece;

		trace_made(trace, i, &piece);
		n += !strcmp(piece.path, MADE_MODULE);
	}
	return n;
}
