// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * waymark info: what a trace contains. All figures come from the section headers, the
 * metadata, and the histograms of the chunks. No chunk is decoded, so the time grows with
 * the number of chunks and modules and not with the number of instructions.
 *
 * The two formats have different contracts. Text is for people: it omits what does not
 * apply (no "gaps" column without gaps) and may change. The keys of the JSON are for
 * scripts: every key is always present, null stands for "not known", and keys are only
 * added, never renamed or removed.
 *
 * A gap occupies an entry among the blocks of a thread, so every count of blocks that is
 * printed has the gaps subtracted. Example: 1000 entries of which 3 are gaps are "997
 * blocks, 3 gaps".
 */
#include "analysis/gaps.h"
#include "cli/command.h"
#include "cli/fail.h"
#include "cli/file/restrictions.h"
#include "cli/options.h"
#include "cli/pager.h"
#include "out/json.h"
#include "out/number.h"
#include "out/text.h"
#include "query/period.h"
#include "query/threads.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>

static const char doc[] = "Tell what FILE (waymark.wmk) holds.";

struct arguments {
	const char *file;
	enum fact_format format;
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct arguments *args = state->input;

	(void)arg;
	if (key != ARGP_KEY_INIT)
		return ARGP_ERR_UNKNOWN;
	state->child_inputs[0] = &args->file;
	state->child_inputs[1] = &args->format;
	return 0;
}

/* ---- what both formats need -------------------------------------------------------- */

/*
 * When the recording started, in UTC: "2026-11-20T14:22:21Z". NULL when not known. The
 * recorder stores seconds since the epoch as decimal text.
 */
static const char *started(const struct wm_trace *trace, char *text, size_t size)
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
static double duration(const struct wm_trace *trace)
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
static const char *began(const struct wm_trace *trace, const struct wm_process *process)
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
static bool is_replaced(const struct wm_trace *trace, unsigned index,
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
static uint64_t uncertain_blocks(const struct wm_trace *trace,
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

/* ---- JSON -------------------------------------------------------------------------- */

/*
 * One object for each thread, in the order of their stream numbers, which are the numbers
 * that --thread takes.
 */
static void json_threads(struct json *json, const struct wm_trace *trace,
			 const struct gaps *gaps)
{
	struct wm_stream stream;

	json_array(json, "threads");
	for (unsigned i = 0; !wm_trace_stream(trace, i, &stream); i++) {
		json_object(json, NULL);
		json_uint(json, "index", i);
		json_uint(json, "process", stream.space);
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
	json_string(json, "began", began(trace, process));
	json_bool(json, "replaced", is_replaced(trace, index, process));
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
 * Seconds from the begin of the first process until a module was first seen; negative
 * when not known. A module can be seen earlier than that process began only in a damaged
 * file.
 */
static double seen_at(const struct wm_trace *trace, const struct wm_module *module)
{
	struct wm_process first;

	if (!module->ns || wm_trace_process(trace, 0, &first) ||
	    module->ns < first.begin_ns)
		return -1;
	return (double)(module->ns - first.begin_ns) / 1e9;
}

/*
 * Addresses are strings: a JSON number has the precision of a double in most readers, and
 * addresses use all 64 bits.
 */
static void json_modules(struct json *json, const struct wm_trace *trace)
{
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
		if (seen_at(trace, &module) < 0)
			json_null(json, "seconds");
		else
			json_real(json, "seconds", seen_at(trace, &module), 6);
		json_bool(json, "packed", module.packed);
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
	double seconds = duration(trace);
	char date[32];

	json_string(json, "command", wm_trace_meta(trace, "command"));
	json_string(json, "guest_isa", wm_trace_meta(trace, "guest-isa"));
	json_string(json, "qemu_version", wm_trace_meta(trace, "qemu-version"));
	json_string(json, "waymark_version", wm_trace_meta(trace, "waymark"));
	json_string(json, "last", wm_trace_meta(trace, "last"));
	json_string(json, "until", wm_trace_meta(trace, "until"));
	json_string(json, "started", started(trace, date, sizeof(date)));
	restrictions_json(json, trace);
	json_string(json, "events", wm_trace_meta(trace, "events"));
	if (seconds < 0)
		json_null(json, "seconds");
	else
		json_real(json, "seconds", seconds, 6);
}

/* Everything is written as soon as it is read: no document is held in memory. */
static void print_json(const struct wm_trace *trace, const struct wm_summary *summary,
		       const struct gaps *gaps)
{
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
	json_run(&json, trace);
	json_uint(&json, "chunks", summary->chunks);
	json_uint(&json, "known_blocks", summary->known_blocks - gaps->ids);
	json_threads(&json, trace, gaps);
	json_processes(&json, trace);
	json_modules(&json, trace);
	json_close(&json);
}

/* ---- text -------------------------------------------------------------------------- */

/*
 * Labels are 14 columns wide, in all functions below. The value comes from the trace, so
 * it must not break its line or control the terminal.
 */
static void line(const char *label, const char *value)
{
	if (value) {
		printf("%-14s ", label);
		text_end_line(stdout, value);
	}
}

/* The guest's line is always printed, because it says how to read everything else. */
static void print_run(const struct wm_trace *trace)
{
	const char *isa = wm_trace_meta(trace, "guest-isa");
	const char *qemu = wm_trace_meta(trace, "qemu-version");
	const char *last = wm_trace_meta(trace, "last");
	const char *events = wm_trace_meta(trace, "events");
	double seconds = duration(trace);
	char text[NUMBER_TEXT], date[32];

	line("command", wm_trace_meta(trace, "command"));
	printf("%-14s %s under QEMU %s\n", "guest", isa ? isa : "unknown",
	       qemu ? qemu : "(version unknown)");
	line("started", started(trace, date, sizeof(date)));
	if (last)
		printf("%-14s the last %s\n", "kept", last);
	if (seconds >= 0)
		line("time", number_seconds(text, seconds));
	if (events)
		line("events", *events ? events : "none");
}

/*
 * A recording that a user or a snapshot ended says nothing about the end of the guest,
 * which went on running. Otherwise the end of the first process is that of the run; the
 * table of processes has the others.
 */
static void print_end(const struct wm_trace *trace)
{
	const char *until = wm_trace_meta(trace, "until");
	struct wm_process process;

	if (until)
		printf("%-14s %s\n", "ended",
		       strcmp(until, "snapshot") ? "by waymark ctl stop; it ran on" :
						   "as a snapshot; it ran on");
	if (until || wm_trace_process(trace, 0, &process) || process.status == -1)
		return;
	if (WIFSIGNALED(process.status))
		printf("%-14s killed by signal %d (%s)\n", "ended",
		       WTERMSIG(process.status), strsignal(WTERMSIG(process.status)));
	else
		printf("%-14s exit status %d\n", "ended", WEXITSTATUS(process.status));
}

/*
 * Forked processes that the recorder knows of and did not record. They have no row in the
 * table of processes.
 */
static void print_children(const struct wm_trace *trace)
{
	const char *children = wm_trace_meta(trace, "children-not-recorded");

	if (children)
		printf("%-14s %s forked, which are not in the trace\n", "children",
		       children);
}

static void print_uncertain(const struct wm_trace *trace,
			    const struct wm_summary *summary)
{
	char insns[NUMBER_TEXT], blocks[NUMBER_TEXT];
	uint64_t n = uncertain_blocks(trace, summary);

	if (!summary->uncertain)
		return;
	printf("%-14s at most %s %s at the %s of %s %s may not have run\n", "uncertain",
	       number_grouped(insns, summary->uncertain),
	       summary->uncertain == 1 ? "instruction" : "instructions",
	       n == 1 ? "end" : "ends", number_grouped(blocks, n),
	       n == 1 ? "block" : "blocks");
}

/*
 * Instructions can be missing without any gap: --last drops the begin of each thread,
 * which is not a gap among its blocks.
 */
static void print_gaps(const struct gaps *gaps)
{
	char insns[NUMBER_TEXT], text[NUMBER_TEXT];
	const char *noun = gaps->all == 1 ? "gap" : "gaps";

	number_grouped(text, gaps->all);
	if (gaps->passed)
		printf("%-14s %s%s %s", "left out", gaps->exact ? "" : "at least ",
		       number_grouped(insns, gaps->passed),
		       gaps->passed == 1 ? "instruction" : "instructions");
	if (gaps->passed && gaps->all)
		printf(", in %s %s\n", text, noun);
	else if (gaps->passed)
		printf(", before what is kept\n");
	else if (gaps->all)
		printf("%-14s %s %s; instructions were not counted\n", "left out", text,
		       noun);
}

/* Each printf() has its own buffers: all arguments are formatted before it prints one. */
static void print_counts(const struct wm_trace *trace, const struct wm_summary *summary,
			 const struct gaps *gaps)
{
	char text[NUMBER_TEXT], distinct[NUMBER_TEXT];

	line("instructions", number_grouped(text, summary->insns));
	print_uncertain(trace, summary);
	print_gaps(gaps);
	printf("%-14s %s, %s distinct\n", "blocks",
	       number_grouped(text, summary->blocks - gaps->all),
	       number_grouped(distinct, summary->known_blocks - gaps->ids));
	printf("%-14s %s in %s %s\n", "file", number_bytes(text, summary->bytes),
	       number_grouped(distinct, summary->chunks),
	       summary->chunks == 1 ? "chunk" : "chunks");
	printf("%-14s %s bits per instruction\n", "density",
	       number_ratio(text, summary->bytes, summary->insns));
	if (summary->complete)
		line("complete", "yes");
	else
		printf("%-14s no: %s\n", "complete", summary->cut);
}

/*
 * "exit 0" or "signal 9"; "exec" when another program replaced this one, which has no
 * status of its own; empty when not known.
 */
static const char *ended(const struct wm_trace *trace, unsigned index,
			 const struct wm_process *process, char *text, size_t size)
{
	if (process->status != -1 && WIFSIGNALED(process->status))
		snprintf(text, size, "signal %d", WTERMSIG(process->status));
	else if (process->status != -1)
		snprintf(text, size, "exit %d", WEXITSTATUS(process->status));
	else
		snprintf(text, size, "%s",
			 is_replaced(trace, index, process) ? "exec" : "");
	return text;
}

static void print_process(const struct wm_trace *trace, unsigned index,
			  const struct wm_process *process)
{
	char parent[16], end[16];

	snprintf(parent, sizeof(parent), "%u", process->parent);
	printf("%7u %8u %7s  %-6s %-10s ", index, process->pid,
	       process->parent == UINT32_MAX ? "-" : parent, began(trace, process),
	       ended(trace, index, process, end, sizeof(end)));
	text_end_line(stdout, process->path);
}

/*
 * Only printed when there are several: of a single process, the lines above say the same.
 */
static void print_processes(const struct wm_trace *trace)
{
	struct wm_process process;
	struct wm_space space;

	printf("\n%7s %8s %7s  %-6s %-10s %s\n", "process", "pid", "parent", "began",
	       "ended", "program");
	for (unsigned i = 0; !wm_trace_space(trace, i, &space); i++) {
		if (!wm_trace_process(trace, i, &process)) {
			print_process(trace, i, &process);
			continue;
		}
		printf("%7u %8s %7s  %-6s %-10s ", i, "-", "-", "boot", "");
		text_end_line(stdout, space.name);
	}
}

/*
 * The number of gaps, and the instructions in them. Gaps with a count of 0 were not
 * counted; a thread without gaps did skip 0.
 */
static void print_thread_gaps(uint64_t gaps, uint64_t passed)
{
	char insns[NUMBER_TEXT], text[NUMBER_TEXT];

	number_grouped(insns, passed);
	printf(" %8s %18s", number_grouped(text, gaps),
	       gaps && !passed ? "not counted" : insns);
}

/*
 * The columns for gaps and for uncertain instructions appear only when some thread needs
 * them, for then the table fits 80 columns more often.
 */
static void print_threads(const struct wm_trace *trace, bool with_uncertain,
			  const struct gaps *gaps)
{
	char insns[NUMBER_TEXT], blocks[NUMBER_TEXT], uncertain[NUMBER_TEXT];
	struct wm_stream stream;

	printf("\n%6s %7s %4s %3s %8s %18s %16s", "thread", "process", "vcpu", "gen",
	       "tid", "instructions", "blocks");
	if (gaps->all || gaps->passed)
		printf(" %8s %18s", "gaps", "left out");
	printf("%s  name\n", with_uncertain ? " uncertain" : "");
	for (unsigned i = 0; !wm_trace_stream(trace, i, &stream); i++) {
		printf("%6u %7u %4u %3u %8u %18s %16s", i, stream.space, stream.vcpu,
		       stream.generation, stream.tid, number_grouped(insns, stream.insns),
		       number_grouped(blocks, stream.blocks - gaps_of(gaps, i)));
		if (gaps->all || gaps->passed)
			print_thread_gaps(gaps_of(gaps, i), stream.passed);
		if (with_uncertain)
			printf(" %9s", number_grouped(uncertain, stream.uncertain));
		printf("  ");
		text_end_line(stdout, thread_name(trace, &stream));
	}
}

/*
 * File names are printed without folders, which the JSON has. A module with an empty path
 * marks the moment when a file was unmapped; it has no row here.
 */
static void print_modules(const struct wm_trace *trace)
{
	struct wm_module module;
	char range[48], when[24];

	printf("\n%8s %8s  %-29s  %-12s  %-6s  %s\n", "seconds", "process", "addresses",
	       "build-id", "names", "file");
	for (unsigned i = 0; !wm_trace_module(trace, i, &module); i++) {
		const char *slash = strrchr(module.path, '/');

		if (!*module.path)
			continue;
		snprintf(range, sizeof(range), "0x%" PRIx64 "-0x%" PRIx64, module.start,
			 module.end);
		snprintf(when, sizeof(when), "%.3f", seen_at(trace, &module));
		/* A time that is not known is negative, so its text begins with '-'. */
		printf("%8s %8u  %-29s  %-12.12s  %-6s  ", *when == '-' ? "" : when,
		       module.space, range, module.build_id,
		       module.packed ? "packed" : "");
		text_end_line(stdout, slash ? slash + 1 : module.path);
	}
}

/*
 * The order goes from the whole to the parts: the run, its restrictions, its sums, then
 * the tables.
 */
static void print_text(const struct wm_trace *trace, const struct wm_summary *summary,
		       const struct gaps *gaps)
{
	print_run(trace);
	print_end(trace);
	print_children(trace);
	restrictions_print(trace);
	print_counts(trace, summary, gaps);
	if (summary->spaces > 1)
		print_processes(trace);
	if (summary->streams)
		print_threads(trace, summary->uncertain > 0, gaps);
	if (summary->modules)
		print_modules(trace);
}

int cmd_info(int argc, char **argv)
{
	static const struct argp_child children[] = { { &file_argp, 0, NULL, 0 },
						      { &facts_argp, 0, NULL, 0 },
						      { 0 } };
	static const struct argp argp = {
		NULL, parse, "[FILE]", doc, children, NULL, NULL
	};
	struct arguments args = { .file = NULL };
	struct wm_summary summary;
	struct wm_trace *trace;
	struct wm_error err;
	struct gaps gaps;

	argp_parse(&argp, argc, argv, 0, NULL, &args);
	if (wm_trace_open(&trace, args.file, &err))
		return fail_on(args.file, &err);
	wm_trace_summary(trace, &summary);
	if (gaps_count(&gaps, trace, &err)) {
		wm_trace_close(trace);
		return fail_on(args.file, &err);
	}
	/* After everything that can fail, so that an error is not shown by the pager. */
	pager_start();
	if (args.format == FACTS_AS_JSON)
		print_json(trace, &summary, &gaps);
	else
		print_text(trace, &summary, &gaps);
	gaps_fini(&gaps);
	wm_trace_close(trace);
	return EXIT_OK;
}
