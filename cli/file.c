// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/file.h"

static error_t parse(int key, char *arg, struct argp_state *state)
{
	const char **file = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		*file = NULL;
		return 0;
	case ARGP_KEY_ARG:
		if (*file)
			argp_error(state, "one trace at a time, not also \"%s\"", arg);
		*file = arg;
		return 0;
	case ARGP_KEY_END:
		if (!*file)
			*file = "waymark.wmk";
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

const struct argp file_argp = { .parser = parse };
