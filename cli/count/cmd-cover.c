// SPDX-License-Identifier: GPL-2.0-or-later
/* waymark cover: what of a program ran, and what did not, over one run or several. */
#include "analysis/cover/cover_tables.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/append.h"
#include "base/error.h"
#include "cli/choice.h"
#include "cli/command.h"
#include "cli/fail.h"
#include "cli/formats.h"
#include "cli/fresh_file.h"
#include "cli/query.h"
#include "export/cover_format.h"

static const char doc[] =
	"Tell what of a program ran, and what did not, in all of the FILEs (waymark.wmk) "
	"together: functions, lines of source, and both ways of conditional branches."
	"\vCounts are exact. `waymark help cover` explains the tables. ";

enum { OPTION_BY = 'b', OPTION_BRANCHES = 512, OPTION_FIRST, OPTION_FORMAT, OPTION_FILE };

static const struct argp_option own_options[] = {
	{ "by", OPTION_BY, "WHAT", 0,
	  "total, module, source, function, line, branch or run (total)", 0 },
	{ "branches", OPTION_BRANCHES, NULL, 0,
	  "Also tell which ways branches went, which takes retracing", 0 },
	{ "first", OPTION_FIRST, NULL, 0,
	  "Only what ran, and which FILE was the first to reach it (by line)", 0 },
	{ "format", OPTION_FORMAT, "FORMAT", 0,
	  "text, csv or json (text); or a format below, instead of the table", 0 },
};
enum { OWN_OPTIONS = sizeof(own_options) / sizeof(*own_options) };

struct arguments {
	struct query query;
	const char **files; /* [n] */
	size_t n;
	bool has_by, branches, first;
	enum cover_by by;
	const struct cover_format *format;   /* NULL: the table */
	const char *paths[FORMAT_NAMES_MAX]; /* by the order of formats; NULL: not wanted */
};

static const struct cover_format *cover_format(const char *name)
{
	return (const struct cover_format *)format_find(FORMAT_COVER, name);
}

static void settle_or_end(struct arguments *args, struct argp_state *state)
{
	const struct table_column *columns;
	unsigned n;

	if (args->first && !args->has_by)
		args->by = COVER_LINE;
	if (args->by == COVER_BRANCH)
		args->branches = true;
	columns = cover_columns(args->by, &n);
	query_check_or_end(&args->query, columns, n, state);
}

/* A table's format, or one of the registry. */
static void choose_format(struct arguments *args, const char *arg,
			  struct argp_state *state)
{
	enum { TABLE_FORMATS = TABLE_AS_JSON + 1 };
	const char *names[TABLE_FORMATS + FORMAT_NAMES_MAX];
	unsigned choice;

	memcpy(names, table_formats, TABLE_FORMATS * sizeof(*names));
	format_names(FORMAT_COVER, names + TABLE_FORMATS);
	choice = choice_or_end(arg, "format", names, state);
	args->format = choice < TABLE_FORMATS ? NULL : cover_format(names[choice]);
	args->query.view.format = args->format ? TABLE_AS_TEXT :
						 (enum table_format)choice;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct arguments *args = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &args->query;
		return 0;
	case ARGP_KEY_ARG:
		if (!APPEND(args->files, args->n, arg))
			argp_failure(state, EXIT_ERROR, 0, "no memory");
		return 0;
	case OPTION_BY:
		args->by = choice_or_end(arg, "by", cover_names, state);
		args->has_by = true;
		return 0;
	case OPTION_BRANCHES:
		args->branches = true;
		return 0;
	case OPTION_FIRST:
		args->first = true;
		return 0;
	case OPTION_FORMAT:
		choose_format(args, arg, state);
		return 0;
	case ARGP_KEY_END:
		settle_or_end(args, state);
		return 0;
	default:
		if (key < OPTION_FILE || key >= OPTION_FILE + FORMAT_NAMES_MAX)
			return ARGP_ERR_UNKNOWN;
		args->paths[key - OPTION_FILE] = arg;
		return 0;
	}
}

/* ---- runs ------------------------------------------------------------------------------ */

static int add_open(struct query *query, struct cover *cover, struct wm_error *err)
{
	struct counts counts;
	struct cover_run run = { .name = query->scope.file };
	int ret = query_count(query, &counts, &run.of, err);

	if (ret)
		return ret;
	ret = cover_add(cover, &run, err);
	counts_fini(&counts);
	return ret;
}

static int add_file(struct query *query, const char *file, struct cover *cover,
		    struct wm_error *err)
{
	int ret;

	query->scope.file = file;
	ret = query_open(query, err);
	if (ret)
		return ret;
	ret = add_open(query, cover, err);
	query_close(query);
	return ret;
}

/* ---- results ------------------------------------------------------------------------------ */

static int write_file(const char *path, const struct cover_format *format,
		      const struct cover *cover, struct wm_error *err)
{
	struct fresh_file file;
	int ret = fresh_file_open(&file, path, err);

	if (ret)
		return ret;
	ret = format->write(file.out, cover, err);
	if (!ret)
		return fresh_file_keep(&file, err);
	fresh_file_drop(&file);
	return ret;
}

/* The files that options name, and what is printed. */
static int write_all(struct arguments *args, const struct cover *cover,
		     struct wm_error *err)
{
	const char *names[FORMAT_NAMES_MAX];
	unsigned n = format_names(FORMAT_COVER, names);
	int ret = 0;

	for (unsigned i = 0; !ret && i < n; i++)
		if (args->paths[i])
			ret = write_file(args->paths[i], cover_format(names[i]), cover,
					 err);
	if (ret)
		return ret;
	if (args->format)
		return write_file("-", args->format, cover, err);
	return query_print(&args->query, cover_table(cover, args->by, args->first), err);
}

static int tell(struct arguments *args, struct wm_error *err)
{
	struct cover cover;
	int ret = cover_init(&cover, args->branches, err);

	for (size_t i = 0; !ret && i < args->n; i++)
		ret = add_file(&args->query, args->files[i], &cover, err);
	if (!ret && !args->n)
		ret = add_file(&args->query, args->query.scope.file, &cover, err);
	if (!ret) {
		cover_finish(&cover);
		ret = write_all(args, &cover, err);
	}
	cover_fini(&cover);
	return ret;
}

/* Puts an option for each format after the others: --NAME FILE. False: no memory. */
static bool add_files(struct argp_option options[OWN_OPTIONS + FORMAT_NAMES_MAX],
		      char *docs[FORMAT_NAMES_MAX])
{
	const char *names[FORMAT_NAMES_MAX];
	unsigned n = format_names(FORMAT_COVER, names);

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
	static struct argp_option options[OWN_OPTIONS + FORMAT_NAMES_MAX];
	static char *docs[FORMAT_NAMES_MAX];
	static const struct argp_child children[] = { { &query_table_argp, 0, NULL, 0 },
						      { 0 } };
	const char *help = formats_help(doc, FORMAT_COVER);
	const struct argp argp = {
		options, parse, "[FILE...]", help, children, NULL, NULL
	};
	struct arguments args = { .by = COVER_TOTAL };
	struct wm_error err;
	int ret;

	if (!add_files(options, docs))
		return fail("no memory");
	argp_parse(&argp, argc, argv, 0, NULL, &args);
	ret = tell(&args, &err) ? fail_on(args.query.scope.file, &err) : EXIT_OK;
	free(args.files);
	return ret;
}
