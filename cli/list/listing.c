// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * One thread, or all of them in the order of the clock: a listing is a merge of threads,
 * of one at least, that goes to the printer part by part.
 */
#include "cli/list/listing.h"

#include "base/error.h"
#include "cli/command.h"
#include "cli/fail.h"
#include "cli/formats.h"
#include "cli/list/printer.h"
#include "cli/list/range.h"
#include "cli/pager.h"
#include "cli/values.h"
#include "cli/watch.h"
#include "out/number.h"
#include "query/merge.h"
#include "query/threads.h"

#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { OPTION_EVENTS = 256, OPTION_NO_EVENTS, OPTION_INTERLEAVE, OPTION_LAST };

static const struct argp_option options[] = {
	{ "events", OPTION_EVENTS, NULL, 0,
	  "Show events between the lines (formats text, where that is the default, and "
	  "jsonl)",
	  0 },
	{ "no-events", OPTION_NO_EVENTS, NULL, 0, "Show no events", 0 },
	{ "interleave", OPTION_INTERLEAVE, NULL, 0,
	  "All threads, in the best-known order; positions are those of thread T", 0 },
	{ "last", OPTION_LAST, "N", 0, "Only the last N of the thread, or before --to",
	  0 },
	{ 0 },
};

struct arguments {
	const struct listing *listing;
	struct range range;
	bool events, no_events, interleave;
	uint64_t last; /* 0: all */
};

/* ---- options ------------------------------------------------------------------------- */

static const struct line_format *format_of(const struct arguments *args)
{
	return (const struct line_format *)args->range.format;
}

static void check(const struct arguments *args, struct argp_state *state)
{
	const struct line_format *format = format_of(args);

	if (args->events && !format->events)
		argp_error(state, "--events goes with the formats text and jsonl, not %s",
			   format->format.name);
	if (args->interleave && !format->before_thread && !format->by_vcpu)
		argp_error(state,
			   "--interleave needs a format that tells threads apart, and "
			   "%s does not",
			   format->format.name);
	if (args->last && (args->range.scope.from || args->range.scope.from_mark.times))
		argp_error(state, "--last and --from exclude each other");
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct arguments *args = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &args->range;
		return 0;
	case OPTION_EVENTS:
	case OPTION_NO_EVENTS:
		args->events = key == OPTION_EVENTS;
		args->no_events = !args->events;
		return 0;
	case OPTION_INTERLEAVE:
		args->interleave = true;
		return 0;
	case OPTION_LAST:
		args->last = amount_or_end(arg, "--last", 1, UINT64_MAX, state);
		return 0;
	case ARGP_KEY_SUCCESS:
		check(args, state);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static void parse_arguments(struct arguments *args, int argc, char **argv)
{
	static const struct argp_child children[] = { { &range_argp, 0, NULL, 0 },
						      { 0 } };
	const struct listing *listing = args->listing;
	const char *doc = formats_help(listing->doc, listing->kind);
	const struct argp argp = { options, parse, "[FILE]", doc, children, NULL, NULL };

	args->range.kind = listing->kind;
	argp_parse(&argp, argc, argv, 0, NULL, args);
}

/* ---- threads ------------------------------------------------------------------------- */

/* All that are wanted, the one whose positions count in front. */
static int choose_all(struct threads *threads, const struct wm_trace *trace,
		      const struct range *range, struct wm_error *err)
{
	unsigned first;
	int ret = threads_find_one(&first, trace, range->scope.thread,
				   range->scope.process, err);

	if (!ret)
		ret = threads_find(threads, trace, NULL, range->scope.process, err);
	for (unsigned i = 0; !ret && i < threads->n; i++)
		if (threads->indexes[i] == first) {
			threads->indexes[i] = threads->indexes[0];
			threads->indexes[0] = first;
		}
	return ret;
}

static int choose_one(struct threads *threads, const struct wm_trace *trace,
		      const struct range *range, struct wm_error *err)
{
	threads->n = 1;
	threads->indexes = calloc(1, sizeof(*threads->indexes));
	if (!threads->indexes)
		return wm_fail_nomem(err, "threads");
	return threads_find_one(threads->indexes, trace, range->scope.thread,
				range->scope.process, err);
}

static void remark_threads(const struct arguments *args, const struct wm_trace *trace,
			   const struct threads *threads)
{
	struct wm_summary summary;

	wm_trace_summary(trace, &summary);
	if (threads->n > 1)
		remark("the order of the threads is approximate; each thread's own is "
		       "exact");
	else if (summary.streams > 1 && !args->range.scope.thread && !args->interleave &&
		 isatty(STDERR_FILENO))
		remark("this is thread %u of %u; --thread chooses another, --interleave "
		       "shows all",
		       threads->indexes[0], summary.streams);
}

/* ---- printing -------------------------------------------------------------------------- */

static uint64_t ordinal_of(const struct feed_item *item, bool per_insn)
{
	if (item->event)
		return per_insn ? item->event->insn_ordinal : item->event->block_ordinal;
	return per_insn ? item->step.insn_ordinal + item->skip : item->step.block_ordinal;
}

/* The signal that ended the thread's process, if one did: the last of what happened. */
static void put_end(struct printer *printer, unsigned thread)
{
	const struct wm_trace *trace = printer->source->trace;
	char name[KERNEL_NAME], text[KERNEL_NAME + 64];
	struct wm_process process;
	struct wm_stream stream;
	const char *signal;
	uint32_t last;
	int n;

	if (wm_trace_stream(trace, thread, &stream) ||
	    wm_trace_space_at(trace, thread, stream.blocks, &last, NULL) ||
	    wm_trace_process(trace, last, &process) || process.status == -1 ||
	    !WIFSIGNALED(process.status))
		return;
	signal = kernel_signal_name((uint64_t)WTERMSIG(process.status), name);
	n = snprintf(text, sizeof(text), "# +++ the process was killed by %s +++\n",
		     signal ? signal : "a signal");
	output_put(&printer->output, text, (size_t)n);
}

/* Up to position `to` of thread `leader`. */
static int put_parts(struct printer *printer, struct merge *merge, unsigned leader,
		     uint64_t to, struct wm_error *err)
{
	struct feed_item item;
	int ret = merge_next(merge, &item, err);

	while (!ret && printer->left && !printer->output.failed) {
		uint64_t most = UINT64_MAX;

		if (item.thread == leader && to != UINT64_MAX) {
			most = ordinal_of(&item, printer->per_insn);
			most = most < to ? to - most : 0;
		}
		if (most)
			ret = printer_put(printer, &item, most, err);
		if (!most || printer_next(printer, leader) == to)
			break;
		if (!ret)
			ret = merge_next(merge, &item, err);
	}
	if (printer->with_events)
		event_writer_break(&printer->events);
	if (ret == WM_END && printer->with_events && printer->format->shows_events)
		put_end(printer, leader);
	return ret == WM_END ? WM_OK : ret;
}

static int print(struct printer *printer, struct merge *merge, unsigned leader,
		 uint64_t to, struct wm_error *err)
{
	int ret = printer_init(printer, err);

	if (ret)
		return ret;
	pager_start();
	printer_header(printer);
	ret = put_parts(printer, merge, leader, to, err);
	/* What was intact is printed, whatever comes after it. */
	output_flush(&printer->output);
	return ret;
}

static void remark_uncertain(const struct printer *printer)
{
	char text[NUMBER_TEXT];

	if (printer->uncertain)
		remark("%s of these instructions may not have run%s",
		       number_grouped(text, printer->uncertain),
		       printer->format->uncertain ? "; they are marked" : "");
}

/* What print() of a listing needs besides the line. */
struct cookie {
	const struct listing *listing;
	const struct line_format *format;
	const struct source *source;
};

static void print_line(void *data, FILE *out, const struct line *line)
{
	const struct cookie *cookie = data;

	cookie->listing->print(out, cookie->format, cookie->source, line);
}

/* Where the listing begins. */
static uint64_t position_of_first(const struct arguments *args,
				  const struct wm_trace *trace, unsigned thread)
{
	const struct scope *scope = &args->range.scope;
	struct wm_stream stream;
	uint64_t end;

	if (!args->last || wm_trace_stream(trace, thread, &stream))
		return scope->from;
	end = args->listing->per_insn ? stream.insns : stream.blocks;
	if (end > scope->to)
		end = scope->to;
	return end > args->last ? end - args->last : 0;
}

static int list_threads(const struct arguments *args, const struct source *source,
			const struct threads *threads, struct wm_error *err)
{
	static struct printer printer; /* too large for a stack */
	const struct range *range = &args->range;
	const struct line_format *format = format_of(args);
	struct cookie cookie = { args->listing, format, source };
	struct slice slice = {
		.by_insn = args->listing->per_insn,
		.from = position_of_first(args, source->trace, threads->indexes[0]),
		.from_first = args->interleave,
	};
	struct merge *merge;
	int ret = merge_new(&merge, source->trace, threads->indexes, threads->n, &slice,
			    err);

	if (ret)
		return ret;
	remark_threads(args, source->trace, threads);
	printer.source = source;
	printer.format = format;
	printer.per_insn = args->listing->per_insn;
	printer.mixed = args->interleave;
	printer.with_events = args->events || (format->shows_events && !args->no_events);
	printer.print = print_line;
	printer.cookie = &cookie;
	printer.left = range->count;
	ret = print(&printer, merge, threads->indexes[0], range->scope.to, err);
	if (!ret)
		remark_uncertain(&printer);
	printer_fini(&printer);
	merge_free(merge);
	return ret;
}

static int list(struct arguments *args, struct wm_error *err)
{
	struct source source;
	struct threads threads = { NULL, 0 };
	int ret = source_open(&source, args->range.scope.file, &watch_warnings, err);

	if (ret)
		return ret;
	ret = source_add_tables(&source, &args->range.scope, err);
	if (!ret && args->interleave)
		ret = choose_all(&threads, source.trace, &args->range, err);
	else if (!ret)
		ret = choose_one(&threads, source.trace, &args->range, err);
	if (!ret) /* positions are those of the first */
		ret = scope_find(&args->range.scope, source.trace, threads.indexes, 1,
				 args->listing->per_insn, err);
	if (!ret)
		ret = list_threads(args, &source, &threads, err);
	free(threads.indexes);
	source_close(&source);
	return ret;
}

int listing_run(const struct listing *listing, int argc, char **argv)
{
	struct arguments args = { .listing = listing };
	struct wm_error err;

	parse_arguments(&args, argc, argv);
	return list(&args, &err) ? fail_on(args.range.scope.file, &err) : EXIT_OK;
}
