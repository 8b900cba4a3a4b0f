// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * waymark calls: who called whom, how often, and how many instructions that took.
 * Functions and pairs of caller and callee are tables of the question "calls". A tree
 * (--tree) is the same question with one row for each begin and end of a call; CSV prints
 * these rows as they are, text and JSON nest them (cli/flow/calltree.c). Profiles and
 * timelines for other programs are formats of the registry (export/calls_format.h).
 *
 * Example: `calls --tree -n 100` sets by=tree and calls=100, which are up to 200 rows.
 */
#include "cli/ask.h"
#include "cli/command.h"
#include "cli/fail.h"
#include "cli/flow/calltree.h"
#include "cli/formats.h"
#include "cli/fresh_file.h"
#include "export/calls_format.h"
#include "out/number.h"
#include "query/questions/calltree.h"

#include <inttypes.h>
#include <stdio.h>

static const char doc[] =
	"Print which functions were called in all of the FILEs (waymark.wmk), how often, and how many "
	"instructions they took. self: their own; total: also those of all they called; min, "
	"mean and max: of one call that has returned. Calls that have not returned are open."
	"\vWithout options there is a row for each function; with --graph for each caller and "
	"callee; --tree prints every call, nested, and -n is the number of calls. ";

enum { OPTION_FORMAT = 512, OPTION_AGAINST, OPTION_NO_INLINE };

static const struct argp_option options[] = {
	{ "graph", 'g', NULL, 0, "Who called whom", 0 },
	{ "by", 'b', "trace", 0, "A row for each FILE", 0 },
	{ "tree", 't', NULL, 0, "Every call, in order", 0 },
	{ "depth", 'D', "DEPTH", 0, "In the tree, at most DEPTH levels", 0 },
	{ "filter", 'F', "NAME", 0,
	  "In the tree, only calls of NAME and calls inside them", 0 },
	{ "notrace", 'N', "NAME", 0,
	  "In the tree, no calls of NAME nor calls inside them", 0 },
	{ "methods", 'm', NULL, 0,
	  "Only methods of a managed program, not native functions", 0 },
	{ "no-inline", OPTION_NO_INLINE, NULL, 0,
	  "Count inlined functions in those that they were inlined into", 0 },
	{ "format", OPTION_FORMAT, "FORMAT", 0,
	  "text, csv or json (text); or a format below, instead of the table", 0 },
	{ "against", OPTION_AGAINST, "TRACE", 0,
	  "With --format folded: also the numbers of TRACE, before those of FILE", 0 },
	{ 0 },
};

struct arguments {
	int mode;			   /* 'g', 't', or 0 */
	const struct calls_format *format; /* NULL: the table or the tree */
	const char *against;		   /* another trace; or NULL */
	/*
	 * Kept as text, because options of the question are set as from a command line.
	 */
	char most[24]; /* calls of a tree, as a number */
};

/* Sets the question's option by=graph or by=tree. */
static void set_mode(struct ask *ask, int mode, struct argp_state *state)
{
	struct arguments *args = ask->cookie;

	if (args->mode && args->mode != mode)
		argp_error(state, "either --graph or --tree");
	args->mode = mode;
	ask_set_or_end(ask, "by", mode == 'g' ? "graph" : "tree", NULL, state);
}

/*
 * The question would refuse these too, but in terms of its own options; here the sentence
 * names what was typed.
 */
static void check_or_end(const struct ask *ask, struct argp_state *state)
{
	const struct arguments *args = ask->cookie;
	const struct query *query = &ask->query;

	if (args->format &&
	    (args->mode || query->function || query->view.sort || query->view.columns))
		argp_error(state, "--format %s takes no -g, -t, -s, -f or --function",
			   args->format->format.name);
	if (args->format && !args->format->is_timeline && query->view.rows != UINT64_MAX)
		argp_error(state, "-n is for the calls of a timeline; %s is a profile",
			   args->format->format.name);
	if (ask_is_several(ask) && (args->format || args->mode == 't'))
		argp_error(state, "a tree or a profile is of one FILE");
	if (args->against && (!args->format || !args->format->compares))
		argp_error(state, "--against is for --format folded");
	if (args->mode != 't' &&
	    (query_given(query, CALLS_DEPTH) || query_given(query, CALLS_FILTER) ||
	     query_given(query, CALLS_NOTRACE)))
		argp_error(state, "-D, -F and -N are for --tree");
	if (args->mode == 't' &&
	    (query->view.sort || query->view.columns || query->function))
		argp_error(state,
			   "--tree takes no -s, -f or --function; -F NAME shows the "
			   "calls of a function");
}

/*
 * In a tree -n limits calls, each of which has two rows: it becomes the question's option
 * "calls", and the number of rows is unlimited.
 */
static void limit_calls(struct ask *ask, struct argp_state *state)
{
	struct arguments *args = ask->cookie;

	if (args->mode != 't' || ask->query.view.rows == UINT64_MAX)
		return;
	snprintf(args->most, sizeof(args->most), "%" PRIu64, ask->query.view.rows);
	ask_set_or_end(ask, "calls", args->most, "-n", state);
	ask->query.view.rows = UINT64_MAX;
}

static error_t parse(struct ask *ask, int key, char *arg, struct argp_state *state)
{
	struct arguments *args = ask->cookie;

	switch (key) {
	case 'g':
	case 't':
		set_mode(ask, key, state);
		return 0;
	case OPTION_FORMAT:
		args->format = (const struct calls_format *)format_or_table_or_end(
			arg, FORMAT_CALLS, TABLE_AS_JSON + 1, &ask->format, state);
		return 0;
	case 'b':
		if (!ask_take_by_trace(ask, arg))
			argp_error(state, "--by takes trace, not \"%s\"", arg);
		return 0;
	case OPTION_AGAINST:
		args->against = arg;
		return 0;
	case ARGP_KEY_SUCCESS:
		check_or_end(ask, state);
		limit_calls(ask, state);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

/* What formats need of an open query; everything stays the query's. */
static struct calls_subject subject_of(const struct query *query, bool methods)
{
	return (struct calls_subject){
		.trace = query->source.trace,
		.symbols = query->source.symbols,
		.functions = query->functions,
		.lines = query->lines,
		.selection = &query->selection,
		.methods = methods,
	};
}

/*
 * Writes a format, and reports on stderr what it left out. The progress line must be gone
 * before the first byte.
 */
static int put_picture(struct ask *ask, struct calls_picture *picture,
		       struct wm_error *err)
{
	const struct arguments *args = ask->cookie;
	char calls[NUMBER_TEXT], least[NUMBER_TEXT];
	struct fresh_file file;
	int ret;

	query_warn_behind_end(&ask->query);
	watch_end(&ask->watch);
	/* Some formats are binary, and stdout takes text only. */
	ret = fresh_file_open(&file, "-", err);
	if (ret)
		return ret;
	ret = args->format->write(file.out, picture, err);
	ret = fresh_file_end(&file, ret, err);
	if (!ret && picture->left_out)
		remark("%s calls of fewer than %s instructions are left out: see -n",
		       number_grouped(calls, picture->left_out),
		       number_grouped(least, picture->least_insns));
	if (!ret && picture->levels)
		remark("calls deeper than %" PRIu32 " levels count for their callers",
		       picture->levels);
	if (!ret && picture->light_insns)
		remark("stacks with at most %s instructions, those of what they called "
		       "included, count for their callers",
		       number_grouped(least, picture->light_insns));
	return ret;
}

/* Rounds are of the other trace first, then of this one: a part must be of the same two. */
static void name_both(struct ask *ask, const struct query *other)
{
	ask->shared.share.traces = state_identity(other->source.trace) * 31 +
				   state_identity(ask->query.source.trace);
}

/*
 * Opens the other trace with the same threads and positions, and passes it to the format.
 * On failure the message must name that trace, so its path replaces the query's.
 */
static int put_against(struct ask *ask, struct calls_picture *picture, const char *path,
		       struct wm_error *err)
{
	struct calls_subject subject;
	struct query other;
	int ret;

	query_init(&other, NULL, &ask->watch.listener);
	other.scope = ask->query.scope;
	other.scope.file = path;
	other.threads = ask->query.threads;
	other.runner = ask->query.runner;
	ret = ask_open_query(ask, &other, err);
	if (!ret) {
		name_both(ask, &other);
		functions_unfold(
			other.functions,
			query_number(&ask->query, CALLS_NO_INLINE) ? NULL : other.lines);
		subject = subject_of(&other, picture->subject.methods);
		picture->against = &subject;
		ret = put_picture(ask, picture, err);
		query_close(&other);
	} else {
		ask->query.scope.file = path;
	}
	query_fini(&other);
	return ret;
}

/* Here -n limits the calls of a timeline, not the rows of a table. */
static int put_format(struct ask *ask, struct wm_error *err)
{
	const struct arguments *args = ask->cookie;
	struct calls_picture picture = {
		.subject =
			subject_of(&ask->query, query_number(&ask->query, CALLS_METHODS)),
		.most = ask->query.view.rows,
	};

	calls_unfold(&ask->query);
	return args->against ? put_against(ask, &picture, args->against, err) :
			       put_picture(ask, &picture, err);
}

static int answer(struct ask *ask, struct wm_error *err)
{
	const struct arguments *args = ask->cookie;
	/* CSV has rows of equal width, so it prints begins and ends as they are. */
	bool nested = args->mode == 't' && ask->format != TABLE_AS_CSV;

	if (args->format)
		return put_format(ask, err);
	return nested ? calltree_print(ask, err) : ask_print(ask, err);
}

int cmd_calls(int argc, char **argv)
{
	const struct ask_command calls = {
		.question = "calls",
		.doc = formats_help(doc, FORMAT_CALLS),
		.args = "[FILE...]",
		.takes = ASK_FUNCTION | ASK_TABLE | ASK_SHARE | ASK_SEVERAL,
		.options = options,
		.parse = parse,
	};
	struct arguments args = { .mode = 0 };
	struct ask ask;
	int status;

	ask_parse(&ask, &calls, &args, argc, argv);
	status = ask_run(&ask, answer);
	ask_fini(&ask);
	return status;
}
