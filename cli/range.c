// SPDX-License-Identifier: GPL-2.0-or-later
/* Options of `blocks` and `insns`; they differ in their formats and in what N counts. */
#include "cli/range.h"

#include "cli/choice.h"
#include "cli/number.h"

#include <argp.h>
#include <limits.h>
#include <stddef.h>

enum { OPTION_THREAD = 256, OPTION_FROM, OPTION_COUNT, OPTION_FORMAT };

static const struct argp_option options[] = {
	{ "thread", OPTION_THREAD, "T", 0, "Of thread T, as `info` numbers them (0)", 0 },
	{ "from", OPTION_FROM, "N", 0, "Start at ordinal N (0)", 0 },
	{ "count", OPTION_COUNT, "M", 0, "Print M of them (all)", 0 },
	{ "format", OPTION_FORMAT, "FORMAT", 0, "One of the formats below (text)", 0 },
	{ 0 },
};

static uint64_t number_or_end(const char *arg, const char *what, uint64_t most,
			      struct argp_state *state)
{
	uint64_t value = 0;

	if (!number_parse(arg, &value) || value > most)
		argp_error(state, "--%s takes a number, not \"%s\"", what, arg);
	return value;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct range *range = state->input;

	switch (key) {
	case OPTION_THREAD:
		range->thread = (unsigned)number_or_end(arg, "thread", UINT_MAX, state);
		range->thread_named = true;
		return 0;
	case OPTION_FROM:
		range->from = number_or_end(arg, "from", UINT64_MAX, state);
		return 0;
	case OPTION_COUNT:
		range->count = number_or_end(arg, "count", UINT64_MAX, state);
		return 0;
	case OPTION_FORMAT:
		range->format = choice_or_end(arg, "format", range->formats, state);
		return 0;
	case ARGP_KEY_ARG:
		if (range->file)
			argp_error(state, "one trace at a time, not also \"%s\"", arg);
		range->file = arg;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

void range_parse(struct range *range, int argc, char **argv, const char *doc)
{
	const struct argp argp = { options, parse, "[FILE]", doc, NULL, NULL, NULL };

	range->file = NULL;
	range->thread = 0;
	range->thread_named = false;
	range->from = 0;
	range->count = UINT64_MAX;
	range->format = 0;
	argp_parse(&argp, argc, argv, 0, NULL, range);
	if (!range->file)
		range->file = "waymark.wmk";
}
