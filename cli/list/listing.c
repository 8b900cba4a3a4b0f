// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What `blocks` and `insns` share: options, the choice of threads, and the loop that
 * moves parts of threads from a merge to a printer. A single thread is a merge of one, so
 * there is one code path.
 *
 * Positions are numbers of blocks or of instructions, as the listing counts lines. With
 * --interleave there are several threads and one of them, the leader, defines the
 * positions: the listing starts when the leader reaches --from, and ends when it reaches
 * --to. Other threads are shown as far as they ran between these two moments.
 *
 * Invariant: the leader is threads->indexes[0]. merge_new(), scope_find() and put_parts()
 * depend on it.
 */
#include "cli/list/listing.h"
#include "cli/habits.h"

#include "base/error.h"
#include "cli/command.h"
#include "cli/fail.h"
#include "cli/formats.h"
#include "cli/list/listed_thread.h"
#include "cli/list/printer.h"
#include "cli/list/range.h"
#include "cli/pager.h"
#include "cli/values.h"
#include "cli/watch.h"
#include "out/number.h"
#include "query/threads.h"
#include "trace/merge.h"

#include <stdlib.h>
#include <sys/wait.h>

enum {
	OPTION_EVENTS = 256,
	OPTION_NO_EVENTS,
	OPTION_INTERLEAVE,
	OPTION_LAST,
	OPTION_VALUES,
	OPTION_LINES,
	OPTION_BYTECODES
};

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
	{ "bytecodes", OPTION_BYTECODES, NULL, 0,
	  "Show which bytecode of a managed program it is of, as method@offset:line "
	  "(formats text, csv and jsonl)",
	  0 },
	{ 0 },
};

/* Of instructions only. */
static const struct argp_option insn_options[] = {
	{ "values", OPTION_VALUES, NULL, 0,
	  "Show what each instruction loads and stores (formats text, csv and jsonl)",
	  0 },
	{ "lines", OPTION_LINES, NULL, 0,
	  "Show the source line of each instruction (formats text and jsonl)", 0 },
	{ 0 },
};

struct arguments {
	const struct listing *listing;
	struct range range;
	bool events, no_events, interleave, values, lines;
	bool bytecodes;
	uint64_t last; /* 0: all */
};

/* ---- options ------------------------------------------------------------- */

/*
 * Every format of a listing begins with a struct line_format, which begins with a struct
 * format.
 */
static const struct line_format *format_of(const struct arguments *args)
{
	return (const struct line_format *)args->range.format;
}

/* Whether lines of several threads can be told apart. */
static bool can_mix(const struct line_format *format)
{
	return format->before_thread || format->by_vcpu;
}

/*
 * Refuses what the chosen format cannot express. A listing without a mark of its threads
 * would be unreadable when they are mixed.
 */
static void check(const struct arguments *args, struct argp_state *state)
{
	const struct line_format *format = format_of(args);

	if (args->events && !format->events)
		argp_error(state, "--events goes with the formats text and jsonl, not %s",
			   format->format.name);
	if (args->interleave && !can_mix(format))
		argp_error(state,
			   "--interleave needs a format that shows threads, and %s "
			   "does not",
			   format->format.name);
	if (args->values && !format->accesses)
		argp_error(state,
			   "--values goes with the formats text, csv and jsonl, not %s",
			   format->format.name);
	if (args->bytecodes && !format->labels)
		argp_error(state,
			   "--bytecodes goes with the formats text, csv and jsonl, not "
			   "%s",
			   format->format.name);
	if (args->lines && !format->lines)
		argp_error(state, "--lines goes with the formats text and jsonl, not %s",
			   format->format.name);
	/* Both determine the begin. */
	if (args->last && (args->range.scope.from || args->range.scope.from_text))
		argp_error(state, "--last and --from exclude each other");
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct arguments *args = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &args->range;
		state->child_inputs[1] = args;
		return 0;
	/* The last one given counts, as with other options that exclude each other. */
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
	case OPTION_BYTECODES:
		args->bytecodes = true;
		return 0;
	/* Only here have the child parsers set the format. */
	case ARGP_KEY_SUCCESS:
		check(args, state);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static error_t parse_insns(int key, char *arg, struct argp_state *state)
{
	struct arguments *args = state->input;

	(void)arg;
	if (key != OPTION_VALUES && key != OPTION_LINES)
		return ARGP_ERR_UNKNOWN;
	args->values |= key == OPTION_VALUES;
	args->lines |= key == OPTION_LINES;
	return 0;
}

static void parse_arguments(struct arguments *args, int argc, char **argv)
{
	static const struct argp_option none[] = { { 0 } };
	const struct listing *listing = args->listing;
	const struct argp insns = { listing->per_insn ? insn_options : none,
				    parse_insns };
	const struct argp_child children[] = { { &range_argp }, { &insns }, { 0 } };
	const char *doc = formats_help(listing->doc, listing->kind);
	const struct argp argp = { options, parse, "[FILE]", doc, children, NULL, NULL };

	args->range.kind = listing->kind;
	command_parse(&argp, argc, argv, 0, args);
}

/* ---- threads ------------------------------------------------------------- */

/*
 * Selects all threads of the process, the leader first. The order of the others does not
 * matter: the merge sorts by time.
 */
static int choose_all(struct threads *threads, const struct wm_trace *trace,
		      const struct range *range, struct wm_error *err)
{
	struct scope all = range->scope;
	struct threads one;
	int ret = threads_find_one(&one, trace, &range->scope, err);
	unsigned first;

	if (ret)
		return ret;
	first = one.indexes[0];
	threads_release(&one);
	all.thread = NULL;
	ret = threads_find(threads, trace, &all, err);
	for (unsigned i = 0; !ret && i < threads->n; i++)
		if (threads->indexes[i] == first) {
			threads->indexes[i] = threads->indexes[0];
			threads->indexes[0] = first;
		}
	return ret;
}

static void remark_threads(const struct threads *threads, bool can_mix)
{
	if (threads->n > 1)
		remark("the order of the threads is approximate; each thread's own is "
		       "exact");
	else
		remark_listed_thread(threads->found, threads->indexes[0],
				     can_mix ? ", --interleave shows all" : "");
}

/* ---- printing ------------------------------------------------------------ */

/*
 * Where an item begins, in the unit of the listing. A block entered in its middle begins
 * after its first `skip` instructions.
 */
static uint64_t ordinal_of(const struct feed_item *item, bool per_insn)
{
	if (item->event)
		return per_insn ? item->event->insn_ordinal : item->event->block_ordinal;
	return per_insn ? item->step.insn_ordinal + item->skip : item->step.block_ordinal;
}

/*
 * Adds a line with the signal that ended the process of a thread, if one did. The process
 * is that of the thread's last block: execve() may have replaced the first one.
 */
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

/*
 * Prints parts until position `to` of the leader, the end of the merge, `left` lines, or
 * a failed write. An item of the leader that crosses `to` is cut: with to = 100 and an
 * item of blocks 98 to 105, `most` is 2.
 *
 * Parts of other threads are never cut: they have positions of their own. So the loop
 * ends by the leader's next ordinal, not by the count of what was printed. When that is the
 * leader's end, the events there follow, which come with the times of other threads' parts.
 */
static int put_parts(struct printer *printer, struct merge *merge, unsigned leader,
		     uint64_t to, struct wm_error *err)
{
	bool holds_end =
		slice_holds_end(printer->per_insn, to, printer->source->trace, leader);
	struct feed_item item;
	int ret = merge_next(merge, &item, err);

	while (!ret && printer->left && !printer->output.failed) {
		uint64_t most = UINT64_MAX;

		if (item.thread == leader && !holds_end) {
			most = ordinal_of(&item, printer->per_insn);
			most = most < to ? to - most : 0;
		}
		if (most &&
		    (item.thread == leader || printer_next(printer, leader) != to))
			ret = printer_put(printer, &item, most, err);
		if (!most || (printer_next(printer, leader) == to && !holds_end))
			break;
		if (!ret)
			ret = merge_next(merge, &item, err);
	}
	/* A system call whose line waits for its return gets its end of line. */
	if (printer->with_events)
		event_writer_break(&printer->events);
	/*
	 * Only at the real end: WM_OK here means that --to or -n stopped the listing
	 * earlier.
	 */
	if (ret == WM_END && printer->with_events && printer->format->shows_events)
		put_end(printer, leader);
	return ret == WM_END ? WM_OK : ret;
}

/*
 * printer_init() allocates what a thread needs and prints nothing, so a failure is
 * reported without a pager in between.
 */
static int print(struct printer *printer, struct merge *merge, unsigned leader,
		 uint64_t to, struct wm_error *err)
{
	int ret = printer_init(printer, err);

	if (ret)
		return ret;
	pager_start();
	printer_header(printer);
	ret = put_parts(printer, merge, leader, to, err);
	/* After an error too: the lines before it are valid. */
	output_flush(&printer->output);
	return ret;
}

/*
 * Formats for other tools have no mark for such instructions; the remark is then all
 * there is.
 */
static void remark_uncertain(const struct printer *printer)
{
	char text[NUMBER_TEXT];

	if (printer->uncertain)
		remark("%s of these instructions may not have run%s",
		       number_grouped(text, printer->uncertain),
		       printer->format->uncertain ? "; they are marked" : "");
}

/* Lines that stand together, and what they are of did not follow each other. */
static void remark_gaps(const struct printer *printer)
{
	char text[NUMBER_TEXT];

	if (printer->gaps)
		remark("between these lines there %s %s gap%s, where what ran was not "
		       "recorded; the formats text and jsonl mark gaps",
		       printer->gaps == 1 ? "is" : "are",
		       number_grouped(text, printer->gaps),
		       printer->gaps == 1 ? "" : "s");
}

/*
 * The printer calls back for each line that it does not have yet. This connects that call
 * to the command's own print().
 */
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

/* The number of gaps among a thread's blocks from *cursor on, to `to`. */
static int count_gaps(struct wm_cursor *cursor, uint64_t to, uint64_t *gaps,
		      struct wm_error *err)
{
	struct wm_step step = { 0 };
	const uint32_t *ids;
	size_t n = 0;
	int ret = 0;

	*gaps = 0;
	while (!ret && step.block_ordinal + n < to) {
		ret = wm_cursor_next_run(cursor, &ids, &n, &step, err);
		/* A run of one, without instructions. */
		if (!ret && !step.insns && step.block_ordinal < to)
			++*gaps;
	}
	return ret == WM_END ? 0 : ret;
}

/*
 * Moves *from back until there are as many blocks from there on as there were ordinals,
 * of which gaps have some: with a gap in the last 10, that is 11.
 */
static int pass_gaps(const struct wm_trace *trace, unsigned thread, uint64_t *from,
		     uint64_t to, struct wm_error *err)
{
	struct wm_cursor *cursor;
	uint64_t gaps = 0;
	int ret = wm_cursor_new(&cursor, trace, thread, err);

	if (ret)
		return ret;
	do {
		ret = wm_cursor_seek_block(cursor, *from, err);
		if (!ret)
			ret = count_gaps(cursor, to, &gaps, err);
		to = *from;
		*from -= gaps < to ? gaps : to;
	} while (!ret && gaps && to);
	wm_cursor_free(cursor);
	return ret;
}

/*
 * Sets --from to the position of the first line. --last N counts back from the end of the
 * thread, or from --to where that is earlier: of 1000 blocks, --last 10 --to 500 begins at
 * 490.
 */
static int find_first(struct arguments *args, const struct wm_trace *trace,
		      unsigned thread, struct wm_error *err)
{
	struct scope *scope = &args->range.scope;
	struct wm_stream stream;
	uint64_t end;

	if (!args->last || wm_trace_stream(trace, thread, &stream))
		return 0;
	end = args->listing->per_insn ? stream.insns : stream.blocks;
	if (end > scope->to)
		end = scope->to;
	scope->from = end > args->last ? end - args->last : 0;
	/* Gaps have no instructions. */
	return args->listing->per_insn ? 0 :
					 pass_gaps(trace, thread, &scope->from, end, err);
}

/* Takes the scope after scope_find(), where its bounds have become ordinals. */
static int list_threads(const struct arguments *args, const struct source *source,
			const struct threads *threads, struct wm_error *err)
{
	static struct printer printer; /* too large for a stack */
	const struct range *range = &args->range;
	const struct line_format *format = format_of(args);
	struct cookie cookie = { args->listing, format, source };
	struct slice slice = {
		.by_insn = args->listing->per_insn,
		.from = range->scope.from,
		.from_first = args->interleave,
		.excerpts = threads->excerpts,
	};
	const struct listing_part part = { threads->indexes[0], slice.from,
					   range->scope.to, range->count,
					   !threads->excerpts };
	struct merge *merge;
	int ret = args->listing->write ?
			  args->listing->write(format, source, &part, err) :
			  WM_END;

	if (!ret)
		remark_threads(threads, can_mix(format));
	if (ret != WM_END)
		return ret;
	ret = merge_new(&merge, source->trace, threads->indexes, threads->n, &slice, err);
	if (ret)
		return ret;
	/*
	 * Before the first line, and after merge_new(), which finds positions beyond the
	 * end.
	 */
	remark_threads(threads, can_mix(format));
	printer.source = source;
	printer.format = format;
	printer.per_insn = args->listing->per_insn;
	printer.mixed = args->interleave;
	printer.with_events = args->events || (format->shows_events && !args->no_events);
	printer.with_accesses = args->values;
	printer.with_labels = args->bytecodes;
	printer.print = print_line;
	printer.cookie = &cookie;
	printer.left = range->count;
	ret = print(&printer, merge, threads->indexes[0], range->scope.to, err);
	if (!ret) {
		if (source->lines && !srclines_any(source->lines))
			remark("%s", source_no_lines);
		remark_uncertain(&printer);
		remark_gaps(&printer);
	}
	printer_fini(&printer);
	merge_free(merge);
	return ret;
}

/*
 * Order: names of generated code are added before anything is printed, and threads are
 * chosen before positions are searched, because that is done in one thread only.
 */
static int list(struct arguments *args, struct wm_error *err)
{
	struct source source;
	struct threads threads = { .n = 0 };
	int ret = source_open(&source, args->range.scope.file, &watch_warnings, err);

	if (ret)
		return ret;
	ret = source_add_tables(&source, &args->range.scope, err);
	if (!ret && args->interleave)
		ret = choose_all(&threads, source.trace, &args->range, err);
	else if (!ret)
		/* An error when a name matches several threads. */
		ret = threads_find_one(&threads, source.trace, &args->range.scope, err);
	if (!ret && args->values && !wm_trace_meta(source.trace, "values"))
		ret = wm_fail(err, WM_E_RANGE, 0,
			      "the trace has no values beside the path: record it with "
			      "waymark record --mem, --value or --commits");
	if (!ret && args->lines)
		ret = source_find_lines(&source, err);
	if (!ret) /* positions are those of the first */
		ret = scope_find(&args->range.scope, &source, threads.indexes, 1,
				 args->listing->per_insn, err);
	if (!ret)
		ret = find_first(args, source.trace, threads.indexes[0], err);
	if (!ret)
		ret = list_threads(args, &source, &threads, err);
	threads_release(&threads);
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
