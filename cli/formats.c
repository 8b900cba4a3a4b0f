// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What a command that writes outside formats needs of the registry: help lists the
 * formats there are, and a value of --format is one of them or, where a table is the
 * default, one of a table's.
 */
#include "cli/formats.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/values.h"

const struct format *format_or_end(const char *arg, enum format_kind kind,
				   struct argp_state *state)
{
	const char *names[FORMAT_NAMES_MAX];

	format_names(kind, names);
	return format_find(kind, names[choice_or_end(arg, "format", names, state)]);
}

const struct format *format_or_table_or_end(const char *arg, enum format_kind kind,
					    unsigned n_tables, enum table_format *table,
					    struct argp_state *state)
{
	enum { TABLES = TABLE_AS_JSON + 1 };
	const char *names[TABLES + FORMAT_NAMES_MAX];
	unsigned choice;

	memcpy(names, table_formats, n_tables * sizeof(*names));
	format_names(kind, names + n_tables);
	choice = choice_or_end(arg, "format", names, state);
	if (choice >= n_tables)
		return format_find(kind, names[choice]);
	*table = (enum table_format)choice;
	return NULL;
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
