// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The options that listings share: a scope, a number of lines and a format. The formats
 * of a kind come from the registry (export/formats.c), and the first of a kind is its
 * default, so this file names none.
 */
#include "cli/list/range.h"

#include "cli/formats.h"
#include "cli/values.h"

enum { OPTION_COUNT = 'n', OPTION_FORMAT = 256 + 20 };

static const struct argp_option options[] = {
	{ "count", OPTION_COUNT, "M", 0, "Print at most M of them (all)", 0 },
	{ "format", OPTION_FORMAT, "FORMAT", 0, "One of the formats below (text)", 0 },
	{ 0 },
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	const char *names[FORMAT_NAMES_MAX];
	struct range *range = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		/*
		 * range->kind is set by the command before parsing; all other members are
		 * set here.
		 */
		range->count = UINT64_MAX;
		format_names(range->kind, names);
		range->format = format_find(range->kind, names[0]);
		state->child_inputs[0] = &range->scope;
		return 0;
	case OPTION_COUNT:
		range->count = amount_or_end(arg, "--count", 0, UINT64_MAX, state);
		return 0;
	case OPTION_FORMAT:
		range->format = format_or_end(arg, range->kind, state);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_child children[] = { { &scope_argp, 0, NULL, 0 }, { 0 } };

const struct argp range_argp = { options, parse, NULL, NULL, children, NULL, NULL };
