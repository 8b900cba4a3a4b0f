/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Options that every command takes: -h, -V, -q, -o, --color, --no-pager and --full-names. They are parsed
 * here and obeyed where output is made: cli/fail.c, progress.c, pager.c, stdout.c.
 */
#ifndef CLI_HABITS_H
#define CLI_HABITS_H

#include <argp.h>
#include <stdbool.h>

enum colour_when { COLOUR_AUTO, COLOUR_ALWAYS, COLOUR_NEVER };

struct habits {
	bool quiet; /* no remarks and no progress: results and errors only */
	bool no_pager;
	bool full_names; /* names of code are not shortened to fit the terminal */
	enum colour_when colour;
	const char *output; /* of -o; NULL: none, or the command's own */
	const char *word;   /* the first that is no option, as a FILE; NULL: none */
};

/* As the command line has them; all zero until it is parsed. */
extern struct habits habits;

/* Whether TERM says that the terminal obeys no control sequences, as in Emacs' shell. */
bool terminal_is_dumb(void);
/* Its columns, when stdout is one; 0: names are not to be shortened for it. */
size_t terminal_room(void);

/*
 * Parses a command line as argp_parse() does with `argp`, and the options above. Ends the
 * process when the line is wrong, or asks for help or for the version. -o FILE of a command
 * that has no -o of its own sends standard output there (cli/stdout.h).
 */
void command_parse(const struct argp *argp, int argc, char **argv, unsigned flags,
		   void *input);
/* What command_parse() calls when the line is right, before any output. */
void command_when_parsed(void (*call)(void));

/*
 * Takes a word in front of the command's name, as in `waymark --no-pager hot`. False: it is
 * none of these options.
 */
bool habits_take(const char *word);

#endif
