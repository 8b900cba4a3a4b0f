// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What all commands have in common. The command's own parser becomes the child of one that
 * knows the common options, so no command mentions them and none can lack them.
 *
 * Group -1 puts them at the end of --help, beside --help itself. A command with a key 'o' of
 * its own writes files itself; then the common -o is left out, because getopt would take
 * whichever comes first.
 *
 * Example: `waymark hot -q -o hot.csv --format csv` prints nothing on the terminal.
 */
#include "cli/habits.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/fail.h"
#include "cli/mistyped.h"
#include "cli/plain.h"
#include "cli/stdout.h"
#include "cli/values.h"

struct habits habits;

static void (*when_parsed)(void);

enum { OPTION_COLOUR = 4096, OPTION_NO_PAGER, OPTION_FULL_NAMES };

static const struct argp_option common[] = {
	{ "quiet", 'q', NULL, 0, "Print results and errors only", -1 },
	{ "color", OPTION_COLOUR, "WHEN", OPTION_ARG_OPTIONAL,
	  "Use colours: always, never, or auto, which is on a terminal", -1 },
	{ "no-pager", OPTION_NO_PAGER, NULL, 0, "Do not start a pager", -1 },
	{ "full-names", OPTION_FULL_NAMES, NULL, 0,
	  "Shorten no names to fit the terminal", -1 },
	{ NULL, 'h', NULL, OPTION_HIDDEN, NULL, -1 },
	{ "version", 'V', NULL, 0, "Print the version", -1 },
	{ 0 },
};

static const struct argp_option output[] = {
	{ "output", 'o', "OUT", 0, "Write the result there (standard output)", -1 },
	{ 0 },
};

static const char *const colours[] = { "auto", "always", "never", NULL };

static void print_version(void)
{
	puts("waymark " WAYMARK_VERSION);
	exit(EXIT_OK);
}

static error_t parse_common(int key, char *arg, struct argp_state *state)
{
	switch (key) {
	case ARGP_KEY_INIT:
		/* The command's own input. */
		state->child_inputs[0] = state->input;
		return 0;
	case 'q':
		habits.quiet = true;
		return 0;
	case OPTION_COLOUR:
		habits.colour = arg ? choice_or_end(arg, "color", colours, state) :
				      COLOUR_ALWAYS;
		return 0;
	case OPTION_NO_PAGER:
		habits.no_pager = true;
		return 0;
	case OPTION_FULL_NAMES:
		habits.full_names = true;
		return 0;
	case 'h':
		argp_state_help(state, stdout, ARGP_HELP_STD_HELP);
		return 0;
	case 'V':
		print_version();
		return 0;
	case ARGP_KEY_ARG:
		/* Only looked at: it is the command's. */
		if (!habits.word)
			habits.word = arg;
		return ARGP_ERR_UNKNOWN;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static error_t parse_output(int key, char *arg, struct argp_state *state)
{
	(void)state;
	if (key != 'o')
		return ARGP_ERR_UNKNOWN;
	habits.output = arg;
	return 0;
}

/* Whether the command, or a group of options in it, has an -o. */
static bool has_output(const struct argp *argp)
{
	for (const struct argp_option *option = argp->options;
	     option && (option->name || option->key); option++)
		if (option->key == 'o')
			return true;
	for (const struct argp_child *child = argp->children; child && child->argp;
	     child++)
		if (has_output(child->argp))
			return true;
	return false;
}

static bool write_error(const char *text, size_t bytes)
{
	while (bytes) {
		ssize_t done = write(STDERR_FILENO, text, bytes);

		if (done < 0 && errno != EINTR)
			return false;
		if (done > 0) {
			text += done;
			bytes -= (size_t)done;
		}
	}
	return true;
}

/* argp prints its errors itself, with the words that were typed, as they are. */
static void parse_plain(const struct argp *argp, int argc, char **argv, unsigned flags,
			void *input)
{
	struct plain cookie; /* argp may end the program: then this is still there */
	FILE *plain = plain_open(&cookie, write_error), *usual = stderr;

	if (plain) {
		setvbuf(plain, NULL, _IONBF, 0);
		stderr = plain;
	}
	argp_parse(argp, argc, argv, flags, NULL, input);
	stderr = usual;
	if (plain)
		fclose(plain);
}

void command_parse(const struct argp *argp, int argc, char **argv, unsigned flags,
		   void *input)
{
	static const struct argp output_argp = { output, parse_output };
	const struct argp_child children[] = {
		{ argp },
		{ has_output(argp) ? NULL : &output_argp },
		{ 0 },
	};
	const struct argp all = { common, parse_common, NULL, NULL, children };

	mistyped_end(&all, argc, argv, flags);
	parse_plain(&all, argc, argv, flags, input);
	if (habits.output)
		stdout_to_file_or_end(habits.output);
	if (when_parsed)
		when_parsed();
}

void command_when_parsed(void (*call)(void))
{
	when_parsed = call;
}

/* A word that is no time for colours ends the process. */
static bool take_colour(const char *when)
{
	for (unsigned i = 0; colours[i]; i++)
		if (!strcmp(when, colours[i])) {
			habits.colour = i;
			return true;
		}
	exit(fail("--color takes auto, always or never, not \"%s\"", when));
}

bool terminal_is_dumb(void)
{
	const char *term = getenv("TERM");

	return !term || !strcmp(term, "dumb");
}

size_t terminal_room(void)
{
	struct winsize size;

	if (habits.full_names || !isatty(STDOUT_FILENO) ||
	    ioctl(STDOUT_FILENO, TIOCGWINSZ, &size))
		return 0;
	return size.ws_col;
}

bool habits_take(const char *word)
{
	if (!strcmp(word, "-q") || !strcmp(word, "--quiet")) {
		habits.quiet = true;
		return true;
	}
	if (!strcmp(word, "--no-pager")) {
		habits.no_pager = true;
		return true;
	}
	if (!strcmp(word, "--full-names")) {
		habits.full_names = true;
		return true;
	}
	if (!strcmp(word, "--color")) {
		habits.colour = COLOUR_ALWAYS;
		return true;
	}
	return !strncmp(word, "--color=", 8) && take_colour(word + 8);
}
