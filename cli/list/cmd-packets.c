// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * waymark packets: a run as the processor trace packets that hardware would have sent, for
 * decoders of these. Each selected thread is a hart, numbered from 0.
 *
 * Packets are binary, so they go to standard output past the pager, and the sums to standard
 * error.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "cli/command.h"
#include "cli/fail.h"
#include "cli/formats.h"
#include "cli/habits.h"
#include "cli/options.h"
#include "cli/stdout.h"
#include "cli/values.h"
#include "cli/watch.h"
#include "export/packets_format.h"
#include "out/number.h"
#include "program/elf/search.h"
#include "query/source.h"
#include "query/threads.h"

static const char doc[] =
	"Write the threads of FILE (waymark.wmk) as processor trace packets of RISC-V, each as "
	"a hart, and print how many bits an instruction takes."
	"\v";

enum {
	OPTION_THREAD = 256,
	OPTION_PROCESS,
	OPTION_FORMAT,
	OPTION_SOURCE_BITS,
	OPTION_RESYNC,
	OPTION_TIMESTAMPS,
	OPTION_CONTEXTS,
	OPTION_BRANCHES,
	OPTION_MODES,
	OPTION_SYMFS,
};

enum { SOURCE_BITS = 8, RESYNC = 1024 };

static const struct argp_option options[] = {
	{ "thread", OPTION_THREAD, "T", 0,
	  "Only thread T: its number, as `info` has it, or its name", 0 },
	{ "process", OPTION_PROCESS, "P", 0,
	  "Only process P: its number, its pid, or its program's name", 0 },
	{ "symfs", OPTION_SYMFS, "DIR", 0,
	  "Look below DIR, too, for files with code that the trace has not", 0 },
	{ "format", OPTION_FORMAT, "FORMAT", 0, "One of the formats below", 0 },
	{ "source-bits", OPTION_SOURCE_BITS, "N", 0, "Bits of a hart's number (8)", 0 },
	{ "resync", OPTION_RESYNC, "N", 0,
	  "Packets from one with the whole address to the next (1024)", 0 },
	{ "timestamps", OPTION_TIMESTAMPS, NULL, 0,
	  "Add the time to these, in nanoseconds", 0 },
	{ "contexts", OPTION_CONTEXTS, NULL, 0,
	  "Add the context to these: the number that the kernel gave the thread", 0 },
	{ "modes", OPTION_MODES, "LIST", 0,
	  "What makes packets fewer, separated by commas: returns, jumps; E-Trace: "
	  "prediction, targets, full; N-Trace: repeats, addresses; or all",
	  0 },
	{ "branches", OPTION_BRANCHES, NULL, 0,
	  "N-Trace: a message for each taken branch, instead of histories", 0 },
	{ 0 },
};

static const struct {
	const char *word;
	enum packet_mode mode;
} modes[] = {
	{ "returns", PACKET_RETURNS },
	{ "jumps", PACKET_JUMPS },
	{ "prediction", PACKET_PREDICTION },
	{ "targets", PACKET_TARGETS },
	{ "full", PACKET_FULL },
	{ "repeats", PACKET_REPEATS },
	{ "addresses", PACKET_ADDRESSES },
};
enum { MODES = sizeof(modes) / sizeof(*modes) };

struct arguments {
	const char *file, *thread, *process, *modes;
	const struct packets_format *format;
	struct packet_settings settings;
};

static error_t parse_settings(struct packet_settings *settings, int key, const char *arg,
			      struct argp_state *state)
{
	switch (key) {
	case OPTION_SOURCE_BITS:
		settings->source_bits =
			(unsigned)amount_or_end(arg, "--source-bits", 0, 16, state);
		return 0;
	case OPTION_RESYNC:
		settings->resync =
			(uint32_t)amount_or_end(arg, "--resync", 1, UINT32_MAX, state);
		return 0;
	case OPTION_TIMESTAMPS:
		settings->timestamps = true;
		return 0;
	case OPTION_CONTEXTS:
		settings->contexts = true;
		return 0;
	case OPTION_BRANCHES:
		settings->history = false;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

/*
 * The mode of a word of n bytes. "all" has those that make packets smaller and that decoders
 * find out: full makes them larger, and no message says that addresses are extended.
 */
static unsigned mode_or_end(const struct packets_format *format, const char *word,
			    size_t n, struct argp_state *state)
{
	if (n == 3 && !strncmp(word, "all", n))
		return format->modes & ~(unsigned)(PACKET_FULL | PACKET_ADDRESSES);
	for (unsigned i = 0; i < MODES; i++)
		if (n == strlen(modes[i].word) && !strncmp(word, modes[i].word, n) &&
		    format->modes & modes[i].mode)
			return modes[i].mode;
	argp_error(state, "--modes: %s has no \"%.*s\"", format->format.name, (int)n,
		   word);
	return 0;
}

static unsigned modes_or_end(const struct packets_format *format, const char *list,
			     struct argp_state *state)
{
	unsigned all = 0;

	for (size_t n; *list; list += n + (list[n] == ',')) {
		n = strcspn(list, ",");
		all |= mode_or_end(format, list, n, state);
	}
	return all;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct arguments *args = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &args->file;
		return 0;
	case OPTION_THREAD:
		args->thread = arg;
		return 0;
	case OPTION_PROCESS:
		args->process = arg;
		return 0;
	case OPTION_SYMFS:
		elf_search_below(option_symfs(state, arg));
		return 0;
	case OPTION_FORMAT:
		args->format = (const struct packets_format *)format_or_end(
			arg, FORMAT_PACKETS, state);
		return 0;
	case OPTION_MODES:
		args->modes = arg;
		return 0;
	case ARGP_KEY_END:
		stdout_is_binary(args->format->format.name);
		if (args->modes)
			args->settings.modes =
				modes_or_end(args->format, args->modes, state);
		if (args->settings.source_bits > args->format->source_bits_most)
			argp_error(state, "--source-bits is at most %u in this format",
				   args->format->source_bits_most);
		return 0;
	default:
		return parse_settings(&args->settings, key, arg, state);
	}
}

/* ---- the packets ------------------------------------------------------------------------- */

static void drain(struct packet_output *out)
{
	stdout_write((const char *)out->buf.data, out->buf.len);
	out->buf.len = 0;
}

static int check_harts(const struct arguments *args, const struct threads *threads,
		       struct wm_error *err)
{
	if (threads->n >> args->settings.source_bits <= 1 &&
	    threads->n <= 1u << args->settings.source_bits)
		return 0;
	return wm_fail(err, WM_E_RANGE, 0,
		       "has %u threads, for whose numbers %u bits do not do: "
		       "--source-bits, or --thread",
		       threads->n, args->settings.source_bits);
}

/* What a thread has in the packets: all of it, or these parts. */
static struct excerpts parts_of(const struct threads *threads, unsigned index,
				struct excerpt *all)
{
	return threads->excerpts ? threads->excerpts[index] : (struct excerpts){ all, 1 };
}

/* Whether blocks of a thread are all of one space; UINT32_MAX: of whichever it is. */
static bool is_of(const struct wm_trace *trace, unsigned thread,
		  const struct excerpt *part, uint32_t *space)
{
	uint64_t from = part->from, until = from;
	uint32_t here;

	while (from < part->to &&
	       !wm_trace_space_at(trace, thread, from, &here, &until)) {
		if (*space != UINT32_MAX && here != *space)
			return false;
		*space = here;
		if (until <= from)
			break;
		from = until;
	}
	return true;
}

/* One address has one meaning in packets: no hart may change its program. */
static int check_space(const struct wm_trace *trace, const struct threads *threads,
		       struct wm_error *err)
{
	uint32_t space = UINT32_MAX;
	struct wm_stream stream;

	for (unsigned i = 0; i < threads->n; i++) {
		struct excerpt all = { 0 };
		struct excerpts parts = parts_of(threads, threads->indexes[i], &all);

		if (!wm_trace_stream(trace, threads->indexes[i], &stream))
			all.to = stream.blocks;
		for (size_t j = 0; j < parts.n; j++)
			if (!is_of(trace, threads->indexes[i], &parts.all[j], &space))
				return wm_fail(
					err, WM_E_RANGE, 0,
					"has several processes, whose code packets cannot "
					"tell apart: choose one with --process");
	}
	return 0;
}

static int write_threads(const struct arguments *args, const struct wm_trace *trace,
			 const struct threads *threads, struct packet_output *out,
			 struct wm_error *err)
{
	struct packet_settings settings = args->settings;
	int ret = check_harts(args, threads, err);

	if (!ret)
		ret = check_space(trace, threads, err);
	if (!ret)
		stdout_refuse_terminal();
	for (unsigned i = 0; !ret && i < threads->n; i++) {
		if (threads->excerpts)
			settings.parts = &threads->excerpts[threads->indexes[i]];
		ret = args->format->write(out, trace, threads->indexes[i], i, &settings,
					  err);
	}
	if (!ret)
		drain(out);
	return ret;
}

static void print_sums(const struct arguments *args, const struct wm_trace *trace,
		       const struct packet_output *out)
{
	char insns[NUMBER_TEXT], packets[NUMBER_TEXT], bytes[NUMBER_TEXT];
	struct wm_summary summary;
	uint64_t n = out->insns;

	wm_trace_summary(trace, &summary);
	remark("%s: %s instructions, %s packets, %s bytes: %.3f bits an instruction, as a "
	       "trace %.3f",
	       args->file, number_grouped(insns, n),
	       number_grouped(packets, out->packets), number_grouped(bytes, out->bytes),
	       n ? 8.0 * (double)out->bytes / (double)n : 0,
	       summary.insns ? 8.0 * (double)summary.bytes / (double)summary.insns : 0);
}

static int write_trace(const struct arguments *args, struct wm_error *err)
{
	struct packet_output out = { .drain = drain };
	const struct scope scope = { .thread = args->thread, .process = args->process };
	struct threads threads = { .n = 0 };
	struct wm_trace *trace;
	int ret = wm_trace_open(&trace, args->file, err);

	if (ret)
		return ret;
	source_warn_if_cut(trace, args->file, &watch_warnings);
	ret = threads_find(&threads, trace, &scope, err);
	if (!ret)
		ret = write_threads(args, trace, &threads, &out, err);
	if (!ret)
		print_sums(args, trace, &out);
	buf_fini(&out.buf);
	threads_release(&threads);
	wm_trace_close(trace);
	return ret;
}

int cmd_packets(int argc, char **argv)
{
	static const struct argp_child children[] = { { &file_argp, 0, NULL, 0 }, { 0 } };
	const char *help = formats_help(doc, FORMAT_PACKETS);
	const struct argp argp = { options, parse, "[FILE]", help, children, NULL, NULL };
	struct arguments args = {
		.format = &packets_etrace,
		.settings = { .source_bits = SOURCE_BITS,
			      .history = true,
			      .resync = RESYNC },
	};
	struct wm_error err;

	command_parse(&argp, argc, argv, 0, &args);
	return write_trace(&args, &err) ? fail_on(args.file, &err) : EXIT_OK;
}
