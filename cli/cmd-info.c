// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * waymark info: what a trace holds, from its table of contents alone; nothing is
 * retraced, so it takes no longer for a larger file. Text is for people; the keys of the
 * JSON are a contract, kept and only added to.
 */
#include "cli/choice.h"
#include "cli/command.h"
#include "cli/fail.h"
#include "cli/number.h"
#include "cli/pager.h"
#include "out/json.h"

#include <argp.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>

static const char doc[] = "Tell what FILE (waymark.wmk) holds.";

enum { OPTION_FORMAT = 256 };
enum { FORMAT_TEXT, FORMAT_JSON };

static const char *const formats[] = { "text", "json", NULL };

static const struct argp_option options[] = {
	{ "format", OPTION_FORMAT, "FORMAT", 0, "text or json (text)", 0 },
	{ 0 },
};

struct arguments {
	const char *file;
	unsigned format;
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct arguments *args = state->input;

	switch (key) {
	case OPTION_FORMAT:
		args->format = choice_or_end(arg, "format", formats, state);
		return 0;
	case ARGP_KEY_ARG:
		if (args->file)
			argp_error(state, "one trace at a time, not also \"%s\"", arg);
		args->file = arg;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

/* ---- what both forms need ------------------------------------------------------------ */

/* "2026-11-20T14:22:21Z", or NULL when not known. */
static const char *started(const struct wm_trace *trace, char *text, size_t size)
{
	const char *recorded = wm_trace_meta(trace, "started");
	time_t seconds = recorded ? (time_t)strtoll(recorded, NULL, 10) : 0;
	struct tm tm;

	if (!recorded || !gmtime_r(&seconds, &tm))
		return NULL;
	return strftime(text, size, "%Y-%m-%dT%H:%M:%SZ", &tm) ? text : NULL;
}

/* From the first process's start to the last sign of life; negative when not known. */
static double duration(const struct wm_trace *trace)
{
	uint64_t begin_ns = UINT64_MAX, end_ns = 0;
	struct wm_process process;
	struct wm_chunk chunk;

	for (unsigned i = 0; !wm_trace_process(trace, i, &process); i++) {
		if (process.begin_ns && process.begin_ns < begin_ns)
			begin_ns = process.begin_ns;
		if (process.end_ns > end_ns)
			end_ns = process.end_ns;
	}
	for (uint64_t i = 0; !wm_trace_chunk(trace, i, &chunk); i++)
		if (chunk.end_ns > end_ns)
			end_ns = chunk.end_ns;
	return begin_ns < end_ns ? (double)(end_ns - begin_ns) / 1e9 : -1;
}

/* ---- JSON ------------------------------------------------------------------------------ */

static void json_threads(struct json *json, const struct wm_trace *trace)
{
	struct wm_stream stream;

	json_array(json, "threads");
	for (unsigned i = 0; !wm_trace_stream(trace, i, &stream); i++) {
		json_object(json, NULL);
		json_uint(json, "index", i);
		json_uint(json, "process", stream.process);
		json_uint(json, "vcpu", stream.vcpu);
		json_uint(json, "generation", stream.generation);
		json_uint(json, "tid", stream.tid);
		json_string(json, "name", stream.name);
		json_uint(json, "blocks", stream.blocks);
		json_uint(json, "instructions", stream.insns);
		json_uint(json, "chunks", stream.chunks);
		json_close(json);
	}
	json_close(json);
}

/* One of "exit" and "signal" is a number; neither is when the end is not known. */
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

static void json_processes(struct json *json, const struct wm_trace *trace)
{
	struct wm_process process;

	json_array(json, "processes");
	for (unsigned i = 0; !wm_trace_process(trace, i, &process); i++) {
		json_object(json, NULL);
		json_uint(json, "index", i);
		json_uint(json, "pid", process.pid);
		if (process.parent == UINT32_MAX)
			json_null(json, "parent");
		else
			json_uint(json, "parent", process.parent);
		json_string(json, "path", process.path);
		json_end(json, process.status);
		json_close(json);
	}
	json_close(json);
}

static void json_modules(struct json *json, const struct wm_trace *trace)
{
	struct wm_module module;
	char address[24];

	json_array(json, "modules");
	for (unsigned i = 0; !wm_trace_module(trace, i, &module); i++) {
		json_object(json, NULL);
		json_uint(json, "process", module.process);
		snprintf(address, sizeof(address), "0x%" PRIx64, module.start);
		json_string(json, "start", address);
		snprintf(address, sizeof(address), "0x%" PRIx64, module.end);
		json_string(json, "end", address);
		json_uint(json, "offset", module.file_off);
		json_string(json, "path", module.path);
		json_close(json);
	}
	json_close(json);
}

static void json_run(struct json *json, const struct wm_trace *trace)
{
	double seconds = duration(trace);
	char date[32];

	json_string(json, "command", wm_trace_meta(trace, "command"));
	json_string(json, "guest_isa", wm_trace_meta(trace, "guest-isa"));
	json_string(json, "qemu_version", wm_trace_meta(trace, "qemu-version"));
	json_string(json, "waymark_version", wm_trace_meta(trace, "waymark"));
	json_string(json, "started", started(trace, date, sizeof(date)));
	if (seconds < 0)
		json_null(json, "seconds");
	else
		json_real(json, "seconds", seconds, 6);
}

static void print_json(const struct wm_trace *trace, const struct wm_summary *summary)
{
	double bits =
		summary->insns ? (double)summary->bytes * 8 / (double)summary->insns : 0;
	struct json json;

	json_init(&json, stdout, true);
	json_object(&json, NULL);
	json_uint(&json, "instructions", summary->insns);
	json_uint(&json, "blocks", summary->blocks);
	json_uint(&json, "bytes", summary->bytes);
	json_real(&json, "bits_per_instruction", bits, 9);
	json_bool(&json, "complete", summary->complete);
	json_string(&json, "cut", summary->cut);
	json_run(&json, trace);
	json_uint(&json, "chunks", summary->chunks);
	json_uint(&json, "known_blocks", summary->known_blocks);
	json_threads(&json, trace);
	json_processes(&json, trace);
	json_modules(&json, trace);
	json_close(&json);
}

/* ---- text ------------------------------------------------------------------------------ */

static void line(const char *label, const char *value)
{
	if (value)
		printf("%-14s %s\n", label, value);
}

static void print_run(const struct wm_trace *trace)
{
	const char *isa = wm_trace_meta(trace, "guest-isa");
	const char *qemu = wm_trace_meta(trace, "qemu-version");
	double seconds = duration(trace);
	char text[NUMBER_TEXT], date[32];

	line("command", wm_trace_meta(trace, "command"));
	printf("%-14s %s under QEMU %s\n", "guest", isa ? isa : "unknown",
	       qemu ? qemu : "(version unknown)");
	line("started", started(trace, date, sizeof(date)));
	if (seconds >= 0)
		line("time", number_seconds(text, seconds));
}

static void print_end(const struct wm_trace *trace)
{
	struct wm_process process;

	if (wm_trace_process(trace, 0, &process) || process.status == -1)
		return;
	if (WIFSIGNALED(process.status))
		printf("%-14s killed by signal %d (%s)\n", "ended",
		       WTERMSIG(process.status), strsignal(WTERMSIG(process.status)));
	else
		printf("%-14s exit status %d\n", "ended", WEXITSTATUS(process.status));
}

static void print_children(const struct wm_trace *trace)
{
	const char *children = wm_trace_meta(trace, "children-not-recorded");

	if (children)
		printf("%-14s %s forked, which are not in the trace\n", "children",
		       children);
}

static void print_counts(const struct wm_summary *summary)
{
	char text[NUMBER_TEXT], distinct[NUMBER_TEXT];

	line("instructions", number_grouped(text, summary->insns));
	printf("%-14s %s, %s distinct\n", "blocks", number_grouped(text, summary->blocks),
	       number_grouped(distinct, summary->known_blocks));
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

/* A thread's own name, or that of its program. */
static const char *thread_name(const struct wm_trace *trace,
			       const struct wm_stream *stream)
{
	struct wm_process process;
	const char *slash;

	if (stream->name[0] || wm_trace_process(trace, stream->process, &process))
		return stream->name;
	slash = strrchr(process.path, '/');
	return slash ? slash + 1 : process.path;
}

static void print_threads(const struct wm_trace *trace)
{
	char insns[NUMBER_TEXT], blocks[NUMBER_TEXT];
	struct wm_process process = { 0 };
	struct wm_stream stream;

	printf("\n%6s %8s %8s %20s %18s  %s\n", "thread", "pid", "tid", "instructions",
	       "blocks", "name");
	for (unsigned i = 0; !wm_trace_stream(trace, i, &stream); i++) {
		wm_trace_process(trace, stream.process, &process);
		printf("%6u %8u %8u %20s %18s  %s\n", i, process.pid, stream.tid,
		       number_grouped(insns, stream.insns),
		       number_grouped(blocks, stream.blocks),
		       thread_name(trace, &stream));
	}
}

static void print_text(const struct wm_trace *trace, const struct wm_summary *summary)
{
	print_run(trace);
	print_end(trace);
	print_children(trace);
	print_counts(summary);
	if (summary->streams)
		print_threads(trace);
}

int cmd_info(int argc, char **argv)
{
	static const struct argp argp = {
		options, parse, "[FILE]", doc, NULL, NULL, NULL
	};
	struct arguments args = { .file = NULL };
	struct wm_summary summary;
	struct wm_trace *trace;
	struct wm_error err;

	argp_parse(&argp, argc, argv, 0, NULL, &args);
	if (!args.file)
		args.file = "waymark.wmk";
	if (wm_trace_open(&trace, args.file, &err))
		return fail_on(args.file, &err);
	wm_trace_summary(trace, &summary);
	pager_start();
	if (args.format == FORMAT_JSON)
		print_json(trace, &summary);
	else
		print_text(trace, &summary);
	wm_trace_close(trace);
	return EXIT_OK;
}
