// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * waymark cover: which code ran, and which did not, in one run or in several together.
 *
 * A question is about one trace, so this command opens the traces one after the other
 * with the same query and adds each to one cover, through the functions that the question
 * uses (with --part: query/questions/cover_share.c). Only one trace is open at a time, so any number of them can be added. The table
 * and the files for other programs are written at the end. Their options come from the
 * registry of formats: the format "lcov", for example, makes the option --lcov FILE
 * (add_files()).
 */
#include <stdlib.h>
#include <string.h>

#include "cli/ask.h"
#include "cli/command.h"
#include "cli/fail.h"
#include "cli/formats.h"
#include "cli/fresh_file.h"
#include "cli/stdout.h"
#include "export/cover_format.h"
#include "query/questions/cover_share.h"

static const char doc[] =
	"Print what of a program ran, and what did not, in all of the FILEs (waymark.wmk) "
	"together: functions, lines of source, and both ways of conditional branches."
	"\vCounts are exact. `waymark help cover` explains the tables. ";

/*
 * OPTION_FILE is the first key of the options that add_files() makes, so it is the last
 * here.
 */
enum {
	OPTION_BY = 'b',
	OPTION_BRANCHES = 512,
	OPTION_FIRST,
	OPTION_SOURCE,
	OPTION_KERNEL,
	OPTION_FORMAT,
	OPTION_FILE
};

static const struct argp_option own_options[] = {
	{ "by", OPTION_BY, "WHAT", 0,
	  "total, module, source, function, line, branch, or run (or trace) (total)", 0 },
	{ "branches", OPTION_BRANCHES, NULL, 0,
	  "Also print which ways branches went; this needs retracing", 0 },
	{ "first", OPTION_FIRST, NULL, 0,
	  "Only what ran, and which FILE was the first to reach it (by line)", 0 },
	{ "only-source", OPTION_SOURCE, "GLOB", 0,
	  "Only functions, lines and branches of source files of this name", 0 },
	{ "kernel", OPTION_KERNEL, NULL, 0,
	  "Of a machine, only its kernel: --mode kernel", 0 },
	{ "format", OPTION_FORMAT, "FORMAT", 0,
	  "text, csv or json (text); or a format below, instead of the table", 0 },
};
enum { OWN_OPTIONS = sizeof(own_options) / sizeof(*own_options) };

struct arguments {
	const struct cover_format *format;   /* NULL: the table */
	const char *paths[FORMAT_NAMES_MAX]; /* in the order of formats; NULL: none */
};

/* A format of this kind begins with its struct format, so the pointer is one to both. */
static const struct cover_format *cover_format(const char *name)
{
	return (const struct cover_format *)format_find(FORMAT_COVER, name);
}

/* Whether an option names a file for another program. */
static bool writes_files(const struct arguments *args)
{
	for (unsigned i = 0; i < FORMAT_NAMES_MAX; i++)
		if (args->paths[i])
			return true;
	return false;
}

/* With --part the command writes a state and nothing else. */
static void check_share(const struct ask *ask, struct argp_state *state)
{
	if (share_options_is_on(&ask->shared) && writes_files(ask->cookie))
		argp_error(state,
			   "--part takes --format instead of options that write files");
}

static error_t parse(struct ask *ask, int key, char *arg, struct argp_state *state)
{
	struct arguments *args = ask->cookie;

	switch (key) {
	case OPTION_BY:
		/* As other commands call the rows of each FILE. */
		ask_set_or_end(ask, "by", !strcmp(arg, "trace") ? "run" : arg, "--by",
			       state);
		return 0;
	case OPTION_KERNEL:
		ask_set_or_end(ask, "mode", "kernel", "--kernel", state);
		return 0;
	case OPTION_FORMAT:
		args->format = (const struct cover_format *)format_or_table_or_end(
			arg, FORMAT_COVER, TABLE_AS_JSON + 1, &ask->format, state);
		return 0;
	case ARGP_KEY_SUCCESS:
		/* Other parsers use this key, too. */
		check_share(ask, state);
		return ARGP_ERR_UNKNOWN;
	default:
		if (key < OPTION_FILE || key >= OPTION_FILE + FORMAT_NAMES_MAX)
			return ARGP_ERR_UNKNOWN;
		args->paths[key - OPTION_FILE] = arg;
		return 0;
	}
}

/* ---- runs ---------------------------------------------------------------- */

/* After an error query->scope.file is the trace that the message must name. */
static int add_file(struct ask *ask, const char *file, struct cover *cover,
		    struct wm_error *err)
{
	struct query *query = &ask->query;
	int ret;

	query->scope.file = file;
	ret = ask_open(ask, err);
	if (ret)
		return ret;
	ret = cover_add_query(cover, query, err);
	if (!ret)
		query_warn_behind_end(query);
	query_close(query);
	return ret;
}

/* ---- results ------------------------------------------------------------- */

/* Nothing in the file would say why it is empty. */
static void tell_if_empty(const struct cover_format *format, const struct cover *cover)
{
	bool any = !format->format.needs || !cover->n_blocks;

	for (uint32_t i = 0; !any && i < cover->n_lines; i++)
		any = !format->of_methods || cover->lines[i].bytecodes.all;
	if (!any)
		remark("the coverage as %s has no lines: it needs %s",
		       format->format.name, format->format.needs);
}

/* "-" is standard output. */
static int write_file(const char *path, const struct cover_format *format,
		      const struct cover *cover, struct wm_error *err)
{
	struct fresh_file file;
	int ret;

	stdout_is_binary(format->format.binary ? format->format.name : NULL);
	ret = fresh_file_open(&file, path, err);
	if (ret)
		return ret;
	tell_if_empty(format, cover);
	ret = format->write(file.out, cover, err);
	if (!ret)
		return fresh_file_keep(&file, err);
	/* Whatever was at this path stays. */
	fresh_file_drop(&file);
	return ret;
}

struct shown {
	const struct cover *cover;
	const struct query *query;
};

/* For ask_print_rows(): the cookie has both what is shown and how the query wants it. */
static int fill(void *cookie, struct table *table, struct wm_error *err)
{
	const struct shown *shown = cookie;

	return cover_fill_for(table, shown->cover, shown->query, err);
}

/*
 * Writes the files that options name, and then what is printed: a format, or the table.
 */
static int write_all(struct ask *ask, const struct cover *cover, struct wm_error *err)
{
	const struct arguments *args = ask->cookie;
	struct shown shown = { cover, &ask->query };
	const char *names[FORMAT_NAMES_MAX];
	unsigned n = format_names(FORMAT_COVER, names);
	int ret = 0;

	for (unsigned i = 0; !ret && i < n; i++)
		if (args->paths[i])
			ret = write_file(args->paths[i], cover_format(names[i]), cover,
					 err);
	if (ret)
		return ret;
	/* Printed last: when a file cannot be written, stdout stays empty. */
	if (args->format)
		return write_file("-", args->format, cover, err);
	return ask_print_rows(ask, fill, &shown, err);
}

static int add_all(struct ask *ask, struct cover *cover, struct wm_error *err)
{
	/* Without FILE it is the one that the scope's parser has set. */
	const struct several_traces traces = {
		ask->n_files ? ask->files : &ask->only,
		ask->n_files ? ask->n_files : 1,
	};
	int ret = 0;

	/* A part of one trace has some of its chunks. */
	if (share_options_is_on(&ask->shared) && traces.n > 1)
		return cover_share(cover, &ask->query, &traces, &ask->shared.share, err);
	for (size_t i = 0; !ret && i < traces.n; i++)
		ret = add_file(ask, traces.files[i], cover, err);
	return ret;
}

static int answer(struct ask *ask, struct wm_error *err)
{
	struct query *query = &ask->query;
	struct cover cover;
	int ret = share_options_start(&ask->shared, err);

	if (ret)
		return ret;
	ret = cover_init_for(&cover, query, err);
	if (!ret)
		ret = add_all(ask, &cover, err);
	if (!ret) {
		cover_finish_for(&cover, query);
		ret = write_all(ask, &cover, err);
	}
	cover_fini(&cover);
	return ret;
}

/* Appends an option --NAME FILE for each format of the registry. False: no memory. */
static bool add_files(struct argp_option options[OWN_OPTIONS + FORMAT_NAMES_MAX],
		      char *docs[FORMAT_NAMES_MAX])
{
	const char *names[FORMAT_NAMES_MAX];
	unsigned n = format_names(FORMAT_COVER, names);

	/*
	 * own_options has no end mark: `options` is static, so zeros follow what is
	 * copied.
	 */
	memcpy(options, own_options, sizeof(own_options));
	for (unsigned i = 0; i < n; i++) {
		if (asprintf(&docs[i], "Write FILE %s",
			     format_find(FORMAT_COVER, names[i])->what) < 0)
			return false;
		options[OWN_OPTIONS + i] = (struct argp_option){
			names[i], OPTION_FILE + (int)i, "FILE", 0, docs[i], 0,
		};
	}
	return true;
}

int cmd_cover(int argc, char **argv)
{
	/* Static: argp keeps pointers into both. */
	static struct argp_option options[OWN_OPTIONS + FORMAT_NAMES_MAX];
	static char *docs[FORMAT_NAMES_MAX];
	const struct ask_command command = {
		.question = "cover",
		.doc = formats_help(doc, FORMAT_COVER),
		.args = "[FILE...]",
		.takes = ASK_FUNCTION | ASK_TABLE | ASK_SHARE | ASK_FILES,
		.options = options,
		.parse = parse,
	};
	struct arguments args = { .format = NULL };
	struct wm_error err;
	struct ask ask;
	int status;

	if (!add_files(options, docs))
		return fail("no memory");
	ask_parse(&ask, &command, &args, argc, argv);
	watch_init(&ask.watch);
	status = ask_end(&ask, answer(&ask, &err), &err);
	ask_fini(&ask);
	return status;
}
