// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Parses values of options for commands that ask no question. Options of questions are
 * checked by query_set() (query/query.c) with the same sentences: a program that uses the
 * library has no argp, so the checks cannot be shared at this level.
 */
#include "cli/values.h"

#include <argp.h>
#include <inttypes.h>
#include <string.h>

#include "base/nearest.h"
#include "cli/formats.h"
#include "out/number.h"
#include "out/text.h"

/* argp_error() exits, so the last return is never reached; the compiler does not know. */
uint64_t amount_or_end(const char *arg, const char *option, uint64_t least, uint64_t most,
		       struct argp_state *state)
{
	uint64_t value = 0;

	if (number_parse_bytes(arg, &value) && value >= least && value <= most)
		return value;
	if (most < UINT64_MAX - 1)
		argp_error(state,
			   "%s takes a number from %" PRIu64 " to %" PRIu64
			   ", not \"%s\"",
			   option, least, most, arg);
	else if (least)
		argp_error(state, "%s takes a number from %" PRIu64 " on, not \"%s\"",
			   option, least, arg);
	else
		argp_error(state, "%s takes a number, not \"%s\"", option, arg);
	return least;
}

/*
 * A near miss is suggested: a user who typed "jsom" sees "json", and one who asked for
 * "folded" in `waymark hot` sees which command has it.
 */
unsigned choice_or_end(const char *arg, const char *option, const char *const *words,
		       struct argp_state *state)
{
	const char *near, *command;
	char all[256];
	unsigned n = 0;

	for (; words[n]; n++)
		if (!strcmp(words[n], arg))
			return n;
	text_join(all, sizeof(all), words);
	near = nearest_word(arg, words, n);
	command = strcmp(option, "format") ? NULL : format_command(arg);
	if (command)
		argp_error(state, "--%s takes %s; \"%s\" is a format of `waymark %s'",
			   option, all, arg, command);
	else if (near)
		argp_error(state, "--%s takes %s, not \"%s\"; did you mean \"%s\"?",
			   option, all, arg, near);
	else
		argp_error(state, "--%s takes %s, not \"%s\"", option, all, arg);
	return 0;
}
