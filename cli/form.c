// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/form.h"

#include "cli/choice.h"

enum { OPTION_FORMAT = 256 };

static const struct argp_option options[] = {
	{ "format", OPTION_FORMAT, "FORMAT", 0, "text or json (text)", 0 },
	{ 0 },
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	static const char *const names[] = { "text", "json", NULL };
	enum form *form = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		*form = FORM_TEXT;
		return 0;
	case OPTION_FORMAT:
		*form = choice_or_end(arg, "format", names, state);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

const struct argp form_argp = { options, parse, NULL, NULL, NULL, NULL, NULL };
