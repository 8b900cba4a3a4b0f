/* SPDX-License-Identifier: GPL-2.0-or-later */
/* waymark info: facts of a trace, as text and as JSON. */
#ifndef CLI_FILE_INFO_H
#define CLI_FILE_INFO_H

#include "analysis/gaps.h"
#include "cli/file/runtimes.h"
#include "cli/file/visits.h"
#include "program/files.h"
#include "waymark.h"

/* What is counted before anything is printed, because counting can fail. */
struct info {
	const struct wm_trace *trace;
	struct wm_summary summary;
	struct gaps gaps;
	struct visits visits;
	struct runtimes runtimes;
	struct files *files; /* of its modules */
	unsigned harts;	     /* of a machine, those that ran anything; 0: not a machine */
	uint64_t switches; /* from one thread to another, of all harts; by the schedule */
};

/*
 * The order goes from the whole to the parts: the run, its restrictions, its sums, then the
 * tables.
 */
void info_print_text(const struct info *info);
/* Everything is written as soon as it is read: no document is held in memory. */
void info_print_json(const struct info *info);

/*
 * When the recording started, in UTC: "2026-11-20T14:22:21Z". NULL when not known. The
 * text may be in text[size].
 */
const char *info_started(const struct wm_trace *trace, char *text, size_t size);
/* Counts harts and switches. Errors are those of schedules. */
int info_count_harts(struct info *info, struct wm_error *err);
/* What is not known, or not exact, of machines of this ISA; NULL: nothing, or no machine. */
const char *info_known_limits(const struct wm_trace *trace);
/* How many pieces of code were made at run time, by what their compilers list. */
uint32_t info_generated(const struct wm_trace *trace);
/* Of the recording, in seconds; negative when not known. */
double info_duration(const struct wm_trace *trace);
/* How a process began: "start", "fork" or "exec"; a static string. */
const char *info_began(const struct wm_trace *trace, const struct wm_process *process);
/* Whether execve() replaced the program of process `index`. */
bool info_is_replaced(const struct wm_trace *trace, unsigned index,
		      const struct wm_process *process);
/* How many executions of blocks end in instructions that may not have run. */
uint64_t info_uncertain_blocks(const struct wm_trace *trace,
			       const struct wm_summary *summary);
/*
 * Where names of a module's code come from: "packed" (all of its file's are in the trace),
 * "file" (it is there), "elsewhere" (found by its build-id), "trace" (only what the recorder
 * packed of the code that ran), "none". *found is the path of the file, or NULL.
 */
const char *info_names(const struct info *info, unsigned index,
		       const struct wm_module *module, const char **found);
/* Seconds from the start of the recording until a module was seen; negative: not known. */
double info_seen_at(const struct wm_trace *trace, const struct wm_module *module);

#endif
