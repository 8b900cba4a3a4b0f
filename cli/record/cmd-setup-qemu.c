// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * waymark setup-qemu: checks the options and executes a shell script that is installed
 * beside the plugins, which parses the same options.
 *
 * It is a script because it does what a user would do by hand: fetch, configure and build
 * QEMU. Its result is found by cli/record/emulators.c.
 */
#include <limits.h>
#include <stdio.h>

#include "cli/become.h"
#include "cli/command.h"
#include "cli/fail.h"
#include "cli/find.h"
#include "cli/habits.h"

static const char doc[] =
	"Build a QEMU that takes plugins, for `waymark record`, into the cache."
	"\vVERSION is a release (10.2.2) or a series (10.2); without, one that works well.";

static const struct argp_option options[] = {
	{ "force", 'f', NULL, 0, "Build it even if it is there", 0 },
	{ "install-deps", 'i', NULL, 0,
	  "Let apt-get install what building needs and is missing", 0 },
	{ "list", 'l', NULL, 0, "List the versions that can be had, and those here", 0 },
	{ "packaged", 'p', NULL, 0,
	  "Do not build it: unpack Debian's own program with the libraries that it needs "
	  "(--system, from 11.1 on)",
	  0 },
	{ "system", 's', NULL, 0,
	  "One that emulates a whole machine (riscv64, aarch64, x86_64), for waymark "
	  "record --system",
	  0 },
	{ "target", 't', "ARCH,...", 0,
	  "Only for these guests (riscv64, riscv32, aarch64, arm, x86_64, i386)", 0 },
	{ 0 },
};

/* Each key once and -t several times: more words than these are not on a command line. */
enum { WORDS_MAX = 64 };

struct arguments {
	const char *version;
	char *words[WORDS_MAX + 4]; /* [n] for the script: itself, options, the version */
	unsigned n;
};

static void add(struct arguments *args, const char *word, struct argp_state *state)
{
	if (args->n == WORDS_MAX)
		argp_error(state, "more than %d options", WORDS_MAX);
	args->words[args->n++] = (char *)word;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	static char letters[sizeof(options) / sizeof(*options)][3];
	struct arguments *args = state->input;

	if (key == ARGP_KEY_ARG && args->version)
		argp_error(state, "one version at a time, not also \"%s\"", arg);
	if (key == ARGP_KEY_ARG) {
		args->version = arg;
		return 0;
	}
	for (unsigned i = 0; options[i].name; i++) {
		if (key != options[i].key)
			continue;
		snprintf(letters[i], sizeof(letters[i]), "-%c", key);
		add(args, letters[i], state);
		if (options[i].arg)
			add(args, arg, state);
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

int cmd_setup_qemu(int argc, char **argv)
{
	static const struct argp argp = { options, parse, "[VERSION]", doc,
					  NULL,	   NULL,  NULL };
	static char script[PATH_MAX], quiet[] = "-q";
	struct arguments args = { .words = { script }, .n = 1 };
	int status;

	command_parse(&argp, argc, argv, 0, &args);
	if (habits.quiet)
		args.words[args.n++] = quiet;
	args.words[args.n] = (char *)args.version;
	if (!find_own(script, "setup-qemu", "../lib/waymark/setup-qemu"))
		return fail("the script setup-qemu is neither beside the command nor in "
			    "../lib/waymark: %s",
			    find_own_advice());
	status = command_become(script, args.words);
	return status < 0 ? fail("cannot run %s: %m", script) : status;
}
