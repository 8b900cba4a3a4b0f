// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * waymark merge: answers a question whose parts were computed by separate commands with
 * --part and --state. A state file contains the command line of the question. merge runs
 * that command again in this process; where the command would compute the states of
 * segments, it gets them from the files (cli/share.c, query/share.c). So merge knows no
 * analysis, and every command with COMMAND_SHARES can be merged.
 *
 * Example: `hot --part 1/2 --state a.wms run.wmk` and the same with 2/2 and b.wms; then
 * `merge a.wms b.wms` prints what `hot run.wmk` prints.
 */
#include "base/append.h"
#include "cli/command.h"
#include "cli/fail.h"
#include "cli/habits.h"
#include "cli/share.h"

#include <argp.h>
#include <string.h>

static const char doc[] =
	"Answer a question from the state files of its parts, which commands with --part and "
	"--state have written: the answer is that of the same command without --part."
	"\vThe trace is still needed, for names and code. With --state the parts, which need "
	"not be all of them, are merged into one file.";

enum { OPTION_TRACE = 256, OPTION_STATE };

static const struct argp_option options[] = {
	{ "trace", OPTION_TRACE, "FILE", 0,
	  "The trace, when it is no longer where the parts were computed", 0 },
	{ "state", OPTION_STATE, "OUT", 0,
	  "Write what was merged to OUT, and do not answer", 0 },
	{ 0 },
};

struct arguments {
	const char *trace, *state;
	const char **paths; /* [n] */
	size_t n;
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct arguments *args = state->input;

	switch (key) {
	case OPTION_TRACE:
		args->trace = arg;
		return 0;
	case OPTION_STATE:
		args->state = arg;
		return 0;
	case ARGP_KEY_ARG:
		if (!APPEND(args->paths, args->n, arg))
			argp_failure(state, EXIT_ERROR, 0, "no memory");
		return 0;
	case ARGP_KEY_NO_ARGS:
		argp_error(state, "no state file is given");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

/*
 * Runs the command line of the files. words[0] is the name of a command, but a file is
 * untrusted: the name may be unknown, or that of a command that cannot be computed in
 * parts.
 */
static int answer(const struct state_file *first, const char *path)
{
	const struct command *command = command_find(first->words[0]);
	char **argv;
	int status;

	if (!command || !(command->flags & COMMAND_SHARES))
		return fail("%s: \"%s\" is no command that can be computed in parts",
			    path, first->words[0]);
	/* A copy that ends in NULL: the command replaces argv[0], argp reorders it. */
	argv = calloc((size_t)first->n_words + 1, sizeof(*argv));
	if (!argv)
		return fail("no memory");
	memcpy(argv, first->words, first->n_words * sizeof(*argv));
	status = command_call(command, (int)first->n_words, argv);
	free(argv);
	return status;
}

int cmd_merge(int argc, char **argv)
{
	static const struct argp argp = { options, parse, "STATE...", doc };
	struct arguments args = { .n = 0 };
	const struct state_file *first;
	struct wm_error err;
	int status;

	command_parse(&argp, argc, argv, 0, &args);
	/*
	 * command_parse() has redirected standard output already. The command that
	 * answers must not open the file again.
	 */
	habits.output = NULL;
	status = share_replay(args.paths, args.n, args.trace, args.state, &first, &err) ?
			 fail_on(args.paths[0], &err) :
			 answer(first, args.paths[0]);
	free(args.paths);
	return status;
}
