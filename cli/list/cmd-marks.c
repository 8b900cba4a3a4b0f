// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * waymark marks: the markers that the guest executed, and the instructions between them.
 *
 * There are two outputs. The summary by id is a table of the question "marks". The list
 * is written in a format of the registry, marker by marker as they are found, because a
 * run may have millions. A begin without an end is known only when the trace has been
 * read to its end, so these follow the list.
 */
#include <string.h>

#include "cli/ask.h"
#include "cli/command.h"
#include "cli/fail.h"
#include "cli/formats.h"
#include "cli/habits.h"
#include "cli/list/range.h"
#include "cli/pager.h"
#include "cli/values.h"
#include "export/marks_format.h"
#include "query/questions/marks.h"
#include "trace/period.h"

static const char doc[] =
	"List the markers of FILE (waymark.wmk), set by the guest with waymark-mark.h, of "
	"all threads by the clock, with the instructions between them."
	"\vN is of instructions, in each thread. A region is what a thread executed from a "
	"begin, with it, to the end of the same id, without it. ";

enum { OPTION_SUMMARY = 256, OPTION_ID };

static const struct argp_option options[] = {
	{ "summary", OPTION_SUMMARY, NULL, 0,
	  "For each id: the number of markers, and what its regions took", 0 },
	{ "id", OPTION_ID, "ID", 0, "Only markers of that id", 0 },
	{ 0 },
};

struct arguments {
	struct range range;
	bool summary;
	const char *id; /* NULL: all */
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct arguments *args = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		/* The range has options of its own, shared with other listings. */
		state->child_inputs[0] = &args->range;
		return 0;
	case OPTION_SUMMARY:
		args->summary = true;
		return 0;
	/* Only checked here; the query parses the text again. */
	case OPTION_ID:
		amount_or_end(arg, "--id", 0, MARKER_ID_MAX, state);
		args->id = arg;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

/* ---- the list ------------------------------------------------------------ */

/*
 * Two loops, one after the other: markers by time, then the begins that were never ended.
 * `left` limits their sum. A write error ends both without an error of its own: stdout
 * reports it at exit. WM_END of the walk is no failure.
 */
static int put_marks(struct marks *marks, uint64_t left,
		     const struct marks_format *format, struct marks_writer *writer,
		     struct wm_error *err)
{
	struct mark mark;
	int ret = 0;

	while (left && !ferror(writer->out)) {
		ret = marks_next(marks, &mark, err);
		if (ret)
			break;
		format->mark(writer, &mark);
		left--;
	}
	if (ret < 0)
		return ret;
	while (left && !ferror(writer->out)) {
		ret = marks_next_open(marks, &mark, err);
		if (ret)
			break;
		format->unended(writer, &mark);
		left--;
	}
	return ret == WM_END ? 0 : ret;
}

/* format->end() is called after an error too, so that a JSON document is closed. */
static int list(const struct arguments *args, const struct query *query,
		struct wm_error *err)
{
	const struct marks_format *format =
		(const struct marks_format *)args->range.format;
	struct marks_writer writer;
	struct marks marks;
	int ret = marks_open(&marks, query, err);

	if (ret)
		return ret;
	/* Only now: an error before must not start a pager. */
	pager_start();
	writer = (struct marks_writer){
		.out = stdout,
		.begin_ns = period_of(query->source.trace).begin_ns,
	};
	format->begin(&writer);
	ret = put_marks(&marks, args->range.count, format, &writer, err);
	format->end(&writer);
	marks_close(&marks);
	return ret;
}

/* ---- the command --------------------------------------------------------- */

/*
 * The range parser has set the scope, so it is copied as a whole; other options are set
 * by their names.
 */
static int set(struct query *query, const struct arguments *args, struct wm_error *err)
{
	int ret = query_set(query, "by", args->summary ? "id" : "mark", NULL, err);

	query->scope = args->range.scope;
	query->view.rows = args->range.count;
	if (!ret && args->id)
		ret = query_set(query, "id", args->id, NULL, err);
	return ret ? ret : query_settle(query, err);
}

/* The table format with the same name. If none has it, the loop ends at the last one. */
static enum table_format table_format(const char *name)
{
	unsigned i = 0;

	while (table_formats[i + 1] && strcmp(table_formats[i], name) != 0)
		i++;
	return (enum table_format)i;
}

/* The query stays closed when query_open() fails, so there is nothing to undo. */
static int answer(const struct arguments *args, struct query *query, struct watch *watch,
		  struct wm_error *err)
{
	int ret = set(query, args, err);

	if (!ret)
		ret = query_open(query, err);
	if (ret)
		return ret;
	/* The summary is a table; formats of the registry are for the list. */
	ret = args->summary ? ask_print_query(query, watch,
					      table_format(args->range.format->name),
					      NULL, NULL, err) :
			      list(args, query, err);
	query_close(query);
	return ret;
}

int cmd_marks(int argc, char **argv)
{
	static const struct argp_child children[] = { { &range_argp, 0, NULL, 0 },
						      { 0 } };
	const char *help = formats_help(doc, FORMAT_MARKS);
	const struct argp argp = { options, parse, "[FILE]", help, children, NULL, NULL };
	struct arguments args = { .range.kind = FORMAT_MARKS };
	struct watch watch;
	struct query query;
	struct wm_error err;
	int ret;

	command_parse(&argp, argc, argv, 0, &args);
	watch_init(&watch);
	query_init(&query, question_find("marks"), &watch.listener);
	ret = answer(&args, &query, &watch, &err);
	watch_end(&watch);
	query_fini(&query);
	return ret ? fail_on(args.range.scope.file, &err) : EXIT_OK;
}
