// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * waymark events: system calls, signals and other events of all threads by time, merged
 * with those of QEMU's own trace files.
 *
 * Events come in two kinds. Those of a thread have a position in its sequence. Others
 * have only a time (a process began, a line of a QEMU trace file); they belong to no
 * position, so they are omitted when --thread, --from or --to select a part.
 *
 * -n counts lines. A system call and its return are one line in formats that join them,
 * so the return of the last line is still printed after the limit is reached
 * (put_events()).
 */
#include "base/error.h"
#include "cli/command.h"
#include "cli/fail.h"
#include "cli/formats.h"
#include "cli/habits.h"
#include "cli/list/event_list.h"
#include "cli/list/event_writer.h"
#include "cli/list/range.h"
#include "cli/pager.h"
#include "cli/watch.h"
#include "format/events.h"
#include "query/chronicle.h"
#include "query/filter.h"
#include "query/qemu_traces.h"

#include <stdlib.h>
#include <string.h>

static const char doc[] =
	"List the events of FILE (waymark.wmk): system calls and what they returned, and "
	"signals; of all threads, by the clock."
	"\vNAMES are those of system calls, signals and kinds of events, separated by "
	"commas; wildcards are taken. N is of instructions, in each thread. ";

enum { OPTION_ONLY = 256, OPTION_SIMPLETRACE, OPTION_TRACE_EVENTS };

static const struct argp_option options[] = {
	{ "only", OPTION_ONLY, "NAMES", 0, "Only events of these names", 0 },
	{ "simpletrace", OPTION_SIMPLETRACE, "FILE", 0,
	  "With the events of a file that QEMU's trace back end \"simple\" wrote", 0 },
	{ "trace-events", OPTION_TRACE_EVENTS, "FILE", 0,
	  "As QEMU's trace-events-all FILE declares them", 0 },
	{ 0 },
};

struct arguments {
	struct range range;
	struct filter filter;
	struct qemu_traces *qemu;
};

/*
 * Patterns are checked as they are parsed: a name that no event can have ends the
 * command.
 */
static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct arguments *args = state->input;
	struct wm_error err;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &args->range;
		return 0;
	case OPTION_ONLY:
		if (filter_add(&args->filter, arg, &err))
			argp_error(state, "%s", err.text);
		return 0;
	case OPTION_SIMPLETRACE:
		if (!qemu_traces_add(args->qemu, arg))
			argp_failure(state, EXIT_ERROR, ENOMEM, "--simpletrace");
		return 0;
	case OPTION_TRACE_EVENTS:
		args->qemu->declared = arg;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

/* The next event that passes the filter. WM_END after the last one. */
static int find_event(const struct arguments *args, const struct source *source,
		      struct chronicle *chronicle, struct happening *found,
		      struct wm_error *err)
{
	int ret;

	do
		ret = chronicle_next(chronicle, found, err);
	while (!ret && !filter_passes(&args->filter, source->kernel, found->event));
	return ret;
}

/* Events without a thread print a process instead. */
static void put_event(struct event_writer *writer, const struct happening *found)
{
	if (found->thread == NO_THREAD)
		event_writer_put_clock(writer, found->process, found->event);
	else
		event_writer_put(writer, found->thread, found->event);
}

/* Reads one event ahead: only the next event shows whether it ends the open line. */
static int put_events(const struct arguments *args, struct event_writer *writer,
		      struct chronicle *chronicle, struct wm_error *err)
{
	struct happening found;
	int ret = find_event(args, writer->source, chronicle, &found, err);

	while (!ret && !writer->output->failed &&
	       (writer->lines < args->range.count ||
		event_writer_joins(writer, found.thread, found.event))) {
		put_event(writer, &found);
		ret = find_event(args, writer->source, chronicle, &found, err);
	}
	event_writer_break(writer);
	return ret == WM_END ? WM_OK : ret;
}

/*
 * Nothing is printed before event_writer_init() has succeeded, and what was printed is
 * flushed also after an error: the events before it are valid.
 */
static int print(const struct arguments *args, const struct source *source,
		 struct chronicle *chronicle, struct wm_error *err)
{
	static struct output output; /* too large for a stack */
	struct event_writer writer = {
		.source = source,
		.format = (const struct event_format *)args->range.format,
		.output = &output,
	};
	int ret = event_writer_init(&writer, err);

	if (ret)
		return ret;
	output_init(&output);
	pager_start();
	if (writer.format->header)
		output_put(&output, writer.format->header, strlen(writer.format->header));
	ret = put_events(args, &writer, chronicle, err);
	output_flush(&output);
	event_writer_fini(&writer);
	return ret;
}

/*
 * Selects which events without a thread are included: none when a thread or a part is
 * selected; of a process, those of that process only.
 */
static int list_merged(const struct arguments *args, const struct source *source,
		       const struct threads *threads, struct merge *merge,
		       struct wm_error *err)
{
	const struct scope *scope = &args->range.scope;
	bool clock = !scope->thread && !scope_is_bounded(scope);
	struct chronicle chronicle = {
		.merge = merge,
		.trace = source->trace,
		.clock = clock,
		.threads = scope->process ? threads : NULL,
		.qemu = args->qemu,
	};
	int ret = chronicle_begin(&chronicle, err);

	if (!ret)
		ret = print(args, source, &chronicle, err);
	chronicle_end(&chronicle);
	return ret;
}

/* Cursors skip blocks (events_only), so the time depends on the number of events. */
static int list_threads(const struct arguments *args, const struct source *source,
			const struct threads *threads, struct wm_error *err)
{
	struct slice slice = {
		.by_insn = true,
		.from = args->range.scope.from,
		.events_only = true,
		.events_to = args->range.scope.to,
		.excerpts = threads->excerpts,
	};
	struct merge *merge;
	int ret = merge_new(&merge, source->trace, threads->indexes, threads->n, &slice,
			    err);

	if (ret)
		return ret;
	ret = list_merged(args, source, threads, merge, err);
	merge_free(merge);
	return ret;
}

/*
 * The period must be known before events of QEMU's files are read: those outside it
 * belong to another run (qemu_traces_warn()).
 */
static int list(struct arguments *args, struct wm_error *err)
{
	struct scope *scope = &args->range.scope;
	struct source source;
	struct threads threads = { .n = 0 };
	int ret = source_open(&source, scope->file, &watch_warnings, err);

	if (ret)
		return ret;
	args->qemu->period = period_of(source.trace);
	if (args->qemu->n)
		qemu_traces_find_declarations(args->qemu,
					      wm_trace_meta(source.trace, "qemu"));
	ret = source_add_tables(&source, scope, err);
	if (!ret)
		ret = threads_find(&threads, source.trace, scope, err);
	if (!ret)
		ret = scope_find(scope, &source, threads.indexes, threads.n, true, err);
	if (!ret)
		ret = list_threads(args, &source, &threads, err);
	threads_release(&threads);
	source_close(&source);
	return ret;
}

/*
 * Problems of QEMU's files are reported last, because they concern what was printed. A
 * file that ends with an error makes the exit status that of an error.
 */
static int tell_of_files(const struct qemu_traces *qemu, int status)
{
	for (unsigned i = 0; i < qemu->n; i++) {
		const struct qemu_file *file = &qemu->files[i];

		qemu_traces_warn(qemu, file, &watch_warnings);
		if (file->end < 0)
			status = fail_on(file->path, &file->why);
	}
	return status;
}

/* Files are opened before the trace: a wrong name costs no work. */
static int list_with_files(struct arguments *args)
{
	const char *faulty;
	struct wm_error err;
	int status = EXIT_OK;

	if (qemu_traces_open(args->qemu, &faulty, &err))
		return fail_on(faulty, &err);
	if (list(args, &err))
		status = fail_on(args->range.scope.file, &err);
	return tell_of_files(args->qemu, status);
}

int cmd_events(int argc, char **argv)
{
	static const struct argp_child children[] = { { &range_argp, 0, NULL, 0 },
						      { 0 } };
	const char *help = formats_help(doc, FORMAT_EVENTS);
	const struct argp argp = { options, parse, "[FILE]", help, children, NULL, NULL };
	struct qemu_traces qemu = { .n = 0 };
	struct arguments args = { .range.kind = FORMAT_EVENTS, .qemu = &qemu };
	int status;

	/*
	 * The list needs no trace, so it is handled before FILE gets its default. A trace
	 * that is called "list" can be named ./list.
	 */
	if (argc == 2 && !strcmp(argv[1], "list")) {
		event_list_print(stdout, EVENTS_DEFAULT);
		return EXIT_OK;
	}
	command_parse(&argp, argc, argv, 0, &args);
	status = list_with_files(&args);
	filter_fini(&args.filter);
	qemu_traces_fini(&qemu);
	return status;
}
