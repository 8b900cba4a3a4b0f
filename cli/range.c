// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/range.h"

#include "cli/amount.h"
#include "cli/choice.h"
#include "cli/file.h"

enum {
	OPTION_COUNT = 'n',
	OPTION_THREAD = 256,
	OPTION_PROCESS,
	OPTION_FROM,
	OPTION_TO,
	OPTION_FORMAT,
};

static const struct argp_option options[] = {
	{ "thread", OPTION_THREAD, "T", 0,
	  "Of thread T: its number, as `info` has it, or its name", 0 },
	{ "process", OPTION_PROCESS, "P", 0, "Of process P: its number, or its pid", 0 },
	{ "from", OPTION_FROM, "N", 0, "Start at ordinal N (0)", 0 },
	{ "to", OPTION_TO, "N", 0, "Stop before ordinal N (the end)", 0 },
	{ "count", OPTION_COUNT, "M", 0, "Print M of them at most (all)", 0 },
	{ "format", OPTION_FORMAT, "FORMAT", 0, "One of the formats below (text)", 0 },
	{ 0 },
};

static void init(struct range *range, struct argp_state *state)
{
	range->thread = range->process = NULL;
	range->from = 0;
	range->to = range->count = UINT64_MAX;
	range->format = 0;
	state->child_inputs[0] = &range->file;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct range *range = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		init(range, state);
		return 0;
	case OPTION_THREAD:
		range->thread = arg;
		return 0;
	case OPTION_PROCESS:
		range->process = arg;
		return 0;
	case OPTION_FROM:
		range->from = amount_or_end(arg, "--from", 0, UINT64_MAX, state);
		return 0;
	case OPTION_TO:
		range->to = amount_or_end(arg, "--to", 0, UINT64_MAX, state);
		return 0;
	case OPTION_COUNT:
		range->count = amount_or_end(arg, "--count", 0, UINT64_MAX, state);
		return 0;
	case OPTION_FORMAT:
		range->format = choice_or_end(arg, "format", range->formats, state);
		return 0;
	case ARGP_KEY_END:
		if (range->to < range->from)
			argp_error(state, "--to is before --from");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_child children[] = { { &file_argp, 0, NULL, 0 }, { 0 } };

const struct argp range_argp = { options, parse, NULL, NULL, children, NULL, NULL };
