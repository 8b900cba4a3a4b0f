// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * waymark annotate: the instructions of a function, with their counts and their source
 * lines, as a table of the question "annotate". The function is an argument rather than
 * an option, because the command makes no sense without one; the query gets it as its
 * --function. Example: "waymark annotate 'str*' run.wmk" lists all functions of that
 * pattern.
 */
#include "cli/ask.h"
#include "cli/command.h"
#include "cli/fresh_file.h"

static const char doc[] =
	"List the instructions of FUNCTION, a name in which wildcards are taken, as they are "
	"in FILE (waymark.wmk): how often each ran, which way branches went, and the source "
	"beside them."
	"\vCounts are exact. `waymark help annotate` explains the columns.";

enum { OPTION_NO_INLINE = 2048 };

static const struct argp_option options[] = {
	{ "no-inline", OPTION_NO_INLINE, NULL, 0,
	  "Leave out the calls of it that were inlined into other functions", 0 },
	{ 0 },
};

/*
 * The first argument that is no trace is the function and takes precedence over
 * --function. The other one is FILE: ARGP_ERR_UNKNOWN leaves it to the parser of the scope.
 * A trace is one by its content, because a program may well be called as its function is.
 */
static error_t parse(struct ask *ask, int key, char *arg, struct argp_state *state)
{
	const char **function = ask->cookie;

	(void)state;
	if (key == ARGP_KEY_SUCCESS && *function)
		ask->query.function = *function;
	if (key != ARGP_KEY_ARG || *function || fresh_file_is_trace(arg))
		return ARGP_ERR_UNKNOWN;
	*function = arg;
	return 0;
}

int cmd_annotate(int argc, char **argv)
{
	static const struct ask_command annotate = {
		.question = "annotate",
		.doc = doc,
		.args = "FUNCTION [FILE]",
		.takes = ASK_FUNCTION | ASK_TABLE | ASK_SHARE | ASK_FORMAT,
		.options = options,
		.parse = parse,
	};
	const char *function = NULL;
	struct ask ask;
	int status;

	ask_parse(&ask, &annotate, &function, argc, argv);
	status = ask_run(&ask, NULL);
	ask_fini(&ask);
	return status;
}
