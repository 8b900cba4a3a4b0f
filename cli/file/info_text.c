// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * waymark info as text, for people: it omits what does not apply (no "gaps" column without
 * gaps) and may change.
 *
 * Counts of blocks have the gaps subtracted, which occupy entries among the blocks of a
 * thread: 1000 entries of which 3 are gaps are "997 blocks, 3 gaps".
 */
#include "cli/file/info.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#include "cli/file/restrictions.h"
#include "isa/registers.h"
#include "out/number.h"
#include "out/text.h"
#include "query/threads.h"
#include "trace/values.h"

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

/* The guest's line is always printed, because everything else depends on it. */
static void print_run(const struct wm_trace *trace)
{
	const char *isa = wm_trace_meta(trace, "guest-isa");
	const char *qemu = wm_trace_meta(trace, "qemu-version");
	const char *imported = wm_trace_meta(trace, "imported");
	const char *last = wm_trace_meta(trace, "last");
	const char *events = wm_trace_meta(trace, "events");
	double seconds = info_duration(trace);
	char text[NUMBER_TEXT], date[32];

	line("command", wm_trace_meta(trace, "command"));
	if (imported)
		line("guest", isa);
	else
		printf("%-14s %s under QEMU %s\n", "guest", isa ? isa : "unknown",
		       qemu ? qemu : "(version unknown)");
	line("options", wm_trace_meta(trace, "qemu-arguments"));
	line("environment", wm_trace_meta(trace, "qemu-environment"));
	line("imported", imported);
	line("part of", wm_trace_meta(trace, "part"));
	if (wm_trace_meta(trace, "code"))
		line("code", "in the program's files, by their build-ids");
	line("started", info_started(trace, date, sizeof(date)));
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

static void print_foreign(const struct wm_trace *trace)
{
	const char *foreign = wm_trace_meta(trace, "foreign");

	if (foreign) {
		printf("%-14s ", "not recorded");
		text_end_line(stdout, foreign);
	}
}

static void print_uncertain(const struct wm_trace *trace,
			    const struct wm_summary *summary)
{
	char insns[NUMBER_TEXT], blocks[NUMBER_TEXT];
	uint64_t n = info_uncertain_blocks(trace, summary);

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
		putchar('\n'); /* before or behind all that is kept */
	else if (gaps->all)
		printf("%-14s %s %s; instructions were not counted\n", "left out", text,
		       noun);
}

/* What a commit log of this guest, under this QEMU, does not tell. */
static const char *omitted(const struct wm_trace *trace)
{
	const char *isa = wm_trace_meta(trace, "guest-isa");
	const char *qemu = wm_trace_meta(trace, "qemu-version");

	if (isa && qemu && !strncmp(isa, "riscv", 5) && !strncmp(qemu, "7.", 2))
		return "CSRs and vectors, which this QEMU does not show";
	return isa ? register_omitted(isa) : NULL;
}

/*
 * Translates the recorder's words, such as "all,data,commits,places": what the file has
 * beside the path.
 */
static void print_values(const struct wm_trace *trace)
{
	/* No word is a part of another one. */
	static const struct {
		const char *word, *text;
	} words[] = {
		{ "all", "of all accesses of memory" },
		{ "loads", "of loads" },
		{ "stores", "of stores" },
		{ "data", "with data" },
		{ "commits", "registers written" },
		{ "places", "at places" },
		{ "sites", "where bytecode is fetched" },
	};
	const char *values = wm_trace_meta(trace, "values"), *between = "";
	char text[NUMBER_TEXT];

	if (!values)
		return;
	printf("%-14s ", "values");
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (strstr(values, words[i].word)) {
			printf("%s%s", between, words[i].text);
			between = ", ";
		}
	printf(": %s of the file\n", number_bytes(text, trace_values_bytes(trace)));
	if (strstr(values, "commits") && omitted(trace))
		line("values lack", omitted(trace));
}

/*
 * A part of a run may have the code of blocks that it did not execute: of what ran before
 * and after it, between windows, or in threads that filters left out.
 */
static bool is_whole(const struct wm_trace *trace, const struct gaps *gaps)
{
	return !gaps->all && !wm_trace_meta(trace, "part") &&
	       !wm_trace_meta(trace, "last") && !wm_trace_meta(trace, "filters");
}

/* Two buffers suffice, because each printf() is complete before they are used again. */
static void print_counts(const struct wm_trace *trace, const struct wm_summary *summary,
			 const struct gaps *gaps)
{
	char text[NUMBER_TEXT], distinct[NUMBER_TEXT];

	line("instructions", number_grouped(text, summary->insns));
	print_uncertain(trace, summary);
	print_gaps(gaps);
	printf(is_whole(trace, gaps) ? "%-14s %s, %s distinct\n" :
				       "%-14s %s, of %s known\n",
	       "blocks", number_grouped(text, summary->blocks - gaps->all),
	       number_grouped(distinct, summary->known_blocks - gaps->ids));
	printf("%-14s %s in %s %s\n", "file", number_bytes(text, summary->bytes),
	       number_grouped(distinct, summary->chunks),
	       summary->chunks == 1 ? "chunk" : "chunks");
	printf("%-14s %s bits per instruction\n", "density",
	       number_ratio(text, summary->bytes, summary->insns));
	print_values(trace);
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
			 info_is_replaced(trace, index, process) ? "exec" : "");
	return text;
}

static void print_process(const struct wm_trace *trace, unsigned index,
			  const struct wm_process *process)
{
	char parent[16], end[16];

	snprintf(parent, sizeof(parent), "%u", process->parent);
	printf("%7u %8u %7s  %-6s %-10s ", index, process->pid,
	       process->parent == UINT32_MAX ? "-" : parent, info_began(trace, process),
	       ended(trace, index, process, end, sizeof(end)));
	text_end_line(stdout, process->path);
}

/* What a machine has instead of an exit status. */
static void print_machine(const struct info *info)
{
	char text[NUMBER_TEXT];
	struct wm_space space;
	unsigned processes = 0;

	if (!info->harts)
		return;
	for (unsigned i = 0; !wm_trace_space(info->trace, i, &space); i++)
		processes += space.kind == WM_SPACE_PROCESS;
	printf("%-14s %u %s, %u %s, %u %s", "machine", info->harts,
	       info->harts == 1 ? "hart" : "harts", info->summary.streams,
	       info->summary.streams == 1 ? "thread" : "threads", processes,
	       processes == 1 ? "process" : "processes");
	/* A flight recorder keeps no schedule. */
	if (!wm_trace_meta(info->trace, "last"))
		printf(", %s %s", number_grouped(text, info->switches),
		       info->switches == 1 ? "switch" : "switches");
	printf("\n");
	line("known limits", info_known_limits(info->trace));
}

/*
 * Printed only when there are several processes; for a single one the lines above say the
 * same.
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
 * The processes that a thread was in, in the order in which it first entered them: "0" or
 * "0,2".
 */
static void print_visits(const struct info *info, unsigned thread)
{
	const uint32_t *spaces;
	size_t n = visits_of(&info->visits, thread, &spaces);
	int width = 0;

	for (size_t i = 0; i < n; i++)
		width += snprintf(NULL, 0, "%s%u", i ? "," : "", spaces[i]);
	printf(" %*s", width < 7 ? 7 - width : 0, "");
	for (size_t i = 0; i < n; i++)
		printf("%s%u", i ? "," : "", spaces[i]);
}

static void print_thread(const struct info *info, unsigned thread,
			 const struct wm_stream *stream)
{
	char insns[NUMBER_TEXT], blocks[NUMBER_TEXT], uncertain[NUMBER_TEXT];
	uint64_t gaps = gaps_of(&info->gaps, thread);

	printf("%6u", thread);
	print_visits(info, thread);
	printf(" %4u %3u %8u %18s %16s", stream->vcpu, stream->generation, stream->tid,
	       number_grouped(insns, stream->insns),
	       number_grouped(blocks, stream->blocks - gaps));
	if (info->gaps.all || info->gaps.passed)
		print_thread_gaps(gaps, stream->passed);
	if (info->summary.uncertain)
		printf(" %9s", number_grouped(uncertain, stream->uncertain));
	printf("  ");
	text_end_line(stdout, thread_name(info->trace, stream));
}

/*
 * The columns for gaps and for uncertain instructions appear only when some thread needs
 * them, for then the table fits 80 columns more often.
 */
static void print_threads(const struct info *info)
{
	struct wm_stream stream;

	printf("\n%6s %7s %4s %3s %8s %18s %16s", "thread", "process", "vcpu", "gen",
	       "tid", "instructions", "blocks");
	if (info->gaps.all || info->gaps.passed)
		printf(" %8s %18s", "gaps", "left out");
	printf("%s  name\n", info->summary.uncertain ? " uncertain" : "");
	for (unsigned i = 0; !wm_trace_stream(info->trace, i, &stream); i++)
		print_thread(info, i, &stream);
}

/* Mappings that follow each other and are of one file in one process. */
struct pieces {
	unsigned n, next; /* the index after them */
	uint64_t start, end;
};

enum {
	PIECES_MAX = 8
}; /* mappings of one file that are shown in rows of their own; more share a row */

/* A module with an empty path marks when a file was unmapped: it is no mapping. */
static struct pieces pieces_from(const struct wm_trace *trace, unsigned from)
{
	struct pieces pieces = { .next = from, .start = UINT64_MAX };
	struct wm_module first = { .path = "" }, module;

	for (; !wm_trace_module(trace, pieces.next, &module); pieces.next++) {
		if (!*module.path)
			continue;
		if (pieces.n &&
		    (module.space != first.space || strcmp(module.path, first.path) ||
		     strcmp(module.build_id, first.build_id)))
			break;
		if (!pieces.n++)
			first = module;
		pieces.start = module.start < pieces.start ? module.start : pieces.start;
		pieces.end = module.end > pieces.end ? module.end : pieces.end;
	}
	return pieces;
}

/* File names are printed without folders, which the JSON has. */
static void print_module(const struct info *info, unsigned index,
			 const struct wm_module *module, unsigned pieces)
{
	const char *found, *slash = strrchr(module->path, '/');
	char range[48], when[24], n[NUMBER_TEXT];

	snprintf(range, sizeof(range), "0x%" PRIx64 "-0x%" PRIx64, module->start,
		 module->end);
	snprintf(when, sizeof(when), "%.3f", info_seen_at(info->trace, module));
	/* A time that is not known is negative, so its text begins with '-'. */
	printf("%8s %8u  %-29s  %-12.12s  %-9s  ", *when == '-' ? "" : when,
	       module->space, range, module->build_id,
	       info_names(info, index, module, &found));
	if (pieces > 1)
		printf("%s pieces of ", number_grouped(n, pieces));
	text_end_line(stdout, slash ? slash + 1 : module->path);
}

/* The image of a Lisp is mapped page by page: its many pieces have one row. */
static void print_modules(const struct info *info)
{
	struct pieces pieces = { .next = 0 };
	struct wm_module module;

	printf("\n%8s %8s  %-29s  %-12s  %-9s  %s\n", "seconds", "process", "addresses",
	       "build-id", "names", "file");
	for (unsigned i = 0; !wm_trace_module(info->trace, i, &module); i++) {
		if (!*module.path)
			continue;
		if (i >= pieces.next)
			pieces = pieces_from(info->trace, i);
		if (pieces.n > PIECES_MAX) {
			module.start = pieces.start;
			module.end = pieces.end;
			print_module(info, i, &module, pieces.n);
			i = pieces.next - 1;
		} else {
			print_module(info, i, &module, 1);
		}
	}
}

/* What is known of code that was made at run time, and where that is not certain. */
static void print_generated(const struct wm_trace *trace)
{
	const char *shared = wm_trace_meta(trace, "shared-blocks");
	uint32_t n = info_generated(trace);
	char pieces[NUMBER_TEXT];

	if (!n)
		return;
	printf("%-14s %s piece%s of code with the names of its compiler's list",
	       "generated", number_grouped(pieces, n), n == 1 ? "" : "s");
	if (shared)
		printf("; %s blocks are of several, named by the first", shared);
	printf("\n");
}

void info_print_text(const struct info *info)
{
	const struct wm_summary *summary = &info->summary;
	const struct wm_trace *trace = info->trace;

	print_run(trace);
	print_end(trace);
	print_children(trace);
	print_foreign(trace);
	print_machine(info);
	runtimes_print_text(&info->runtimes);
	print_generated(trace);
	restrictions_print(trace);
	print_counts(trace, summary, &info->gaps);
	if (summary->spaces > 1)
		print_processes(trace);
	if (summary->streams)
		print_threads(info);
	if (summary->modules)
		print_modules(info);
}
