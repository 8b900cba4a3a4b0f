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
#include "cli/fresh_file.h"
#include "cli/query.h"
#include "export/drcov.h"
#include "export/lcov.h"

static const char doc[] =
	"Tell what of a program ran, and what did not, in all of the FILEs (waymark.wmk) "
	"together: functions, lines of source, and both ways of conditional branches."
	"\vCounts are exact. `waymark help cover` explains the tables.";

enum { OPTION_BY = 'b', OPTION_BRANCHES = 512, OPTION_FIRST, OPTION_LCOV, OPTION_DRCOV };

static const struct argp_option options[] = {
	{ "by", OPTION_BY, "WHAT", 0,
	  "total, module, source, function, line, branch or run (total)", 0 },
	{ "branches", OPTION_BRANCHES, NULL, 0,
	  "Also tell which ways branches went, which takes retracing", 0 },
	{ "first", OPTION_FIRST, NULL, 0,
	  "Only what ran, and which FILE was the first to reach it (by line)", 0 },
	{ "lcov", OPTION_LCOV, "FILE", 0, "Write FILE for lcov and genhtml", 0 },
	{ "drcov", OPTION_DRCOV, "FILE", 0, "Write FILE as DynamoRIO's drcov does", 0 },
	{ 0 },
};

struct arguments {
	struct query query;
	const char **files; /* [n] */
	size_t n;
	bool has_by, branches, first;
	enum cover_by by;
	const char *lcov, *drcov;
};

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
	case OPTION_LCOV:
		args->lcov = arg;
		return 0;
	case OPTION_DRCOV:
		args->drcov = arg;
		return 0;
	case ARGP_KEY_END:
		settle_or_end(args, state);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
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

static int write_lcov(FILE *out, const struct cover *cover, struct wm_error *err)
{
	return lcov_write(out, cover, err);
}

static int write_drcov(FILE *out, const struct cover *cover, struct wm_error *err)
{
	(void)err;
	drcov_write(out, cover);
	return 0;
}

/* Writes a file in an outside format; NULL: it is not wanted. */
static int write_file(const char *path, const struct cover *cover,
		      int (*write)(FILE *out, const struct cover *cover,
				   struct wm_error *err),
		      struct wm_error *err)
{
	struct fresh_file file;
	int ret;

	if (!path)
		return 0;
	ret = fresh_file_open(&file, path, err);
	if (ret)
		return ret;
	ret = write(file.out, cover, err);
	if (!ret)
		return fresh_file_keep(&file, err);
	fresh_file_drop(&file);
	return ret;
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
		ret = write_file(args->lcov, &cover, write_lcov, err);
	}
	if (!ret)
		ret = write_file(args->drcov, &cover, write_drcov, err);
	if (!ret)
		ret = query_print(&args->query,
				  cover_table(&cover, args->by, args->first), err);
	cover_fini(&cover);
	return ret;
}

int cmd_cover(int argc, char **argv)
{
	static const struct argp argp = { options,	  parse, "[FILE...]", doc,
					  query_children, NULL,	 NULL };
	struct arguments args = { .by = COVER_TOTAL };
	struct wm_error err;
	int ret;

	argp_parse(&argp, argc, argv, 0, NULL, &args);
	ret = tell(&args, &err) ? fail_on(args.query.scope.file, &err) : EXIT_OK;
	free(args.files);
	return ret;
}
