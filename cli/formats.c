// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/formats.h"

#include <stdio.h>
#include <stdlib.h>

#include "cli/choice.h"

const struct format *format_or_end(const char *arg, enum format_kind kind,
				   struct argp_state *state)
{
	const char *names[FORMAT_NAMES_MAX];

	format_names(kind, names);
	return format_find(kind, names[choice_or_end(arg, "format", names, state)]);
}

/* Kept until the process ends: argp keeps the pointer, and a command asks once. */
const char *formats_help(const char *doc, enum format_kind kind)
{
	static char *help;
	char *list = format_list(kind);

	free(help);
	if (!list || asprintf(&help, "%s%s", doc, list) < 0)
		help = NULL;
	free(list);
	return help ? help : doc;
}
