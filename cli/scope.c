// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/scope.h"

#include "cli/amount.h"
#include "cli/file.h"

enum {
	OPTION_THREAD = 256,
	OPTION_PROCESS,
	OPTION_FROM,
	OPTION_TO,
};

static const struct argp_option options[] = {
	{ "thread", OPTION_THREAD, "T", 0,
	  "Only thread T: its number, as `info` has it, or its name", 0 },
	{ "process", OPTION_PROCESS, "P", 0, "Only process P: its number, or its pid",
	  0 },
	{ "from", OPTION_FROM, "N", 0, "Start at ordinal N (0)", 0 },
	{ "to", OPTION_TO, "N", 0, "Stop before ordinal N (the end)", 0 },
	{ 0 },
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct scope *scope = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		*scope = (struct scope){ .to = UINT64_MAX };
		state->child_inputs[0] = &scope->file;
		return 0;
	case OPTION_THREAD:
		scope->thread = arg;
		return 0;
	case OPTION_PROCESS:
		scope->process = arg;
		return 0;
	case OPTION_FROM:
		scope->from = amount_or_end(arg, "--from", 0, UINT64_MAX, state);
		return 0;
	case OPTION_TO:
		scope->to = amount_or_end(arg, "--to", 0, UINT64_MAX, state);
		return 0;
	case ARGP_KEY_END:
		if (scope->to < scope->from)
			argp_error(state, "--to is before --from");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_child children[] = { { &file_argp, 0, NULL, 0 }, { 0 } };

const struct argp scope_argp = { options, parse, NULL, NULL, children, NULL, NULL };
