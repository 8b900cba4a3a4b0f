// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * waymark info --format json: one object, for scripts. Every key is always present, null
 * stands for "not known", and keys are only added, never renamed or removed. The exceptions are
 * "processes" of a thread, which only a thread has that was in several, "harts", "switches"
 * and "known_limits" of a whole machine, and what is only of managed programs.
 *
 * Counts of blocks have the gaps subtracted, which occupy entries among the blocks of a
 * thread: 1000 entries of which 3 are gaps are 997 blocks.
 */
#include "cli/file/info.h"

#include <inttypes.h>
#include <stdio.h>
#include <sys/wait.h>

#include "cli/file/restrictions.h"
#include "out/json.h"
#include "trace/values.h"

/*
 * "processes" of a thread that was in several of them; "process" is the first. Most
 * threads have one, and then the key is absent.
 */
static void json_visits(struct json *json, const struct info *info, unsigned thread)
{
	const uint32_t *spaces;
	size_t n = visits_of(&info->visits, thread, &spaces);

	if (n < 2)
		return;
	json_array(json, "processes");
	for (size_t i = 0; i < n; i++)
		json_uint(json, NULL, spaces[i]);
	json_close(json);
}

/*
 * One object for each thread, in the order of their stream numbers, which are the numbers
 * that --thread takes.
 */
static void json_threads(struct json *json, const struct info *info)
{
	const struct gaps *gaps = &info->gaps;
	struct wm_stream stream;

	json_array(json, "threads");
	for (unsigned i = 0; !wm_trace_stream(info->trace, i, &stream); i++) {
		json_object(json, NULL);
		json_uint(json, "index", i);
		json_uint(json, "process", stream.space);
		json_visits(json, info, i);
		json_uint(json, "vcpu", stream.vcpu);
		json_uint(json, "generation", stream.generation);
		json_uint(json, "tid", stream.tid);
		json_string(json, "name", stream.name);
		json_uint(json, "blocks", stream.blocks - gaps_of(gaps, i));
		json_uint(json, "instructions", stream.insns);
		json_uint(json, "uncertain", stream.uncertain);
		json_uint(json, "gaps", gaps_of(gaps, i));
		json_uint(json, "passed", stream.passed);
		json_uint(json, "chunks", stream.chunks);
		json_close(json);
	}
	json_close(json);
}

/*
 * At most one of "exit" and "signal" is a number. Both are null when the end is not
 * known, as in a trace that was cut short.
 */
static void json_end(struct json *json, int status)
{
	if (status != -1 && WIFEXITED(status))
		json_int(json, "exit", WEXITSTATUS(status));
	else
		json_null(json, "exit");
	if (status != -1 && WIFSIGNALED(status))
		json_int(json, "signal", WTERMSIG(status));
	else
		json_null(json, "signal");
}

/* UINT32_MAX stands for "no parent": the first process of the recording. */
static void json_process(struct json *json, const struct wm_trace *trace, unsigned index,
			 const struct wm_process *process)
{
	json_uint(json, "pid", process->pid);
	if (process->parent == UINT32_MAX)
		json_null(json, "parent");
	else
		json_uint(json, "parent", process->parent);
	json_string(json, "began", info_began(trace, process));
	json_bool(json, "replaced", info_is_replaced(trace, index, process));
	json_string(json, "path", process->path);
	json_end(json, process->status);
}

/*
 * A space that is not a process, such as that of a full-system guest. It has the keys of
 * a process, so that a script can read both in one loop.
 */
static void json_machine(struct json *json, const struct wm_space *space)
{
	json_null(json, "pid");
	json_null(json, "parent");
	json_string(json, "began", "boot");
	json_bool(json, "replaced", false);
	json_string(json, "path", space->name);
	json_end(json, -1);
}

static void json_processes(struct json *json, const struct wm_trace *trace)
{
	struct wm_process process;
	struct wm_space space;

	json_array(json, "processes");
	for (unsigned i = 0; !wm_trace_space(trace, i, &space); i++) {
		json_object(json, NULL);
		json_uint(json, "index", i);
		if (wm_trace_process(trace, i, &process))
			json_machine(json, &space);
		else
			json_process(json, trace, i, &process);
		json_close(json);
	}
	json_close(json);
}

/*
 * Addresses are strings: a JSON number has the precision of a double in most readers, and
 * addresses use all 64 bits.
 */
static void json_modules(struct json *json, const struct info *info)
{
	const struct wm_trace *trace = info->trace;
	const char *found;
	struct wm_module module;
	char address[24];

	json_array(json, "modules");
	for (unsigned i = 0; !wm_trace_module(trace, i, &module); i++) {
		json_object(json, NULL);
		json_uint(json, "process", module.space);
		snprintf(address, sizeof(address), "0x%" PRIx64, module.start);
		json_string(json, "start", address);
		snprintf(address, sizeof(address), "0x%" PRIx64, module.end);
		json_string(json, "end", address);
		json_uint(json, "offset", module.file_off);
		json_string(json, "path", *module.path ? module.path : NULL);
		json_string(json, "build_id", *module.build_id ? module.build_id : NULL);
		json_uint(json, "known_blocks", module.known_blocks);
		if (info_seen_at(trace, &module) < 0)
			json_null(json, "seconds");
		else
			json_real(json, "seconds", info_seen_at(trace, &module), 6);
		json_bool(json, "packed", module.packed);
		json_string(json, "names", info_names(info, i, &module, &found));
		json_string(json, "found", found);
		json_close(json);
	}
	json_close(json);
}

/*
 * What the recorder stored about itself. A value that an older recorder did not store is
 * null.
 */
static void json_run(struct json *json, const struct wm_trace *trace)
{
	double seconds = info_duration(trace);
	char date[32];

	json_string(json, "command", wm_trace_meta(trace, "command"));
	json_string(json, "guest_isa", wm_trace_meta(trace, "guest-isa"));
	json_string(json, "qemu_version", wm_trace_meta(trace, "qemu-version"));
	json_string(json, "qemu_arguments", wm_trace_meta(trace, "qemu-arguments"));
	json_string(json, "qemu_environment", wm_trace_meta(trace, "qemu-environment"));
	if (wm_trace_meta(trace, "imported"))
		json_string(json, "imported", wm_trace_meta(trace, "imported"));
	if (wm_trace_meta(trace, "part"))
		json_string(json, "part", wm_trace_meta(trace, "part"));
	if (wm_trace_meta(trace, "code"))
		json_string(json, "code", wm_trace_meta(trace, "code"));
	json_string(json, "waymark_version", wm_trace_meta(trace, "waymark"));
	json_string(json, "last", wm_trace_meta(trace, "last"));
	json_string(json, "until", wm_trace_meta(trace, "until"));
	json_string(json, "started", info_started(trace, date, sizeof(date)));
	restrictions_json(json, trace);
	json_string(json, "events", wm_trace_meta(trace, "events"));
	if (wm_trace_meta(trace, "values")) {
		json_string(json, "values", wm_trace_meta(trace, "values"));
		json_uint(json, "values_bytes", trace_values_bytes(trace));
	}
	if (seconds < 0)
		json_null(json, "seconds");
	else
		json_real(json, "seconds", seconds, 6);
}

void info_print_json(const struct info *info)
{
	const struct wm_summary *summary = &info->summary;
	const struct gaps *gaps = &info->gaps;
	uint32_t generated = info_generated(info->trace);
	/* A trace without instructions has no density; 0 keeps the key a number. */
	double bits =
		summary->insns ? (double)summary->bytes * 8 / (double)summary->insns : 0;
	struct json json;

	json_init(&json, stdout, true);
	json_object(&json, NULL);
	json_uint(&json, "instructions", summary->insns);
	json_uint(&json, "uncertain", summary->uncertain);
	json_uint(&json, "blocks", summary->blocks - gaps->all);
	json_uint(&json, "gaps", gaps->all);
	json_uint(&json, "passed", gaps->passed);
	json_bool(&json, "passed_exact", gaps->exact);
	json_uint(&json, "bytes", summary->bytes);
	json_real(&json, "bits_per_instruction", bits, 9);
	json_bool(&json, "complete", summary->complete);
	json_string(&json, "cut", summary->cut);
	json_run(&json, info->trace);
	json_uint(&json, "chunks", summary->chunks);
	json_uint(&json, "known_blocks", summary->known_blocks - gaps->ids);
	if (info->harts) {
		json_uint(&json, "harts", info->harts);
		if (!wm_trace_meta(info->trace, "last"))
			json_uint(&json, "switches", info->switches);
		json_string(&json, "known_limits", info_known_limits(info->trace));
	}
	json_threads(&json, info);
	json_processes(&json, info->trace);
	if (generated) {
		json_uint(&json, "generated", generated);
		json_string(&json, "shared_blocks",
			    wm_trace_meta(info->trace, "shared-blocks"));
	}
	runtimes_print_json(&info->runtimes, &json);
	json_modules(&json, info);
	json_close(&json);
}
