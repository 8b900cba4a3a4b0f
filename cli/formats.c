// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Connects the registry of outside formats (export/formats.c) with argp: help lists the
 * formats of a kind, and --format accepts their names. Where a command prints a table by
 * default, the formats of tables are accepted as well and come first.
 */
#include "cli/formats.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/stdout.h"
#include "cli/values.h"

const char *format_command(const char *name)
{
	for (const struct format *const *it = formats; *it; it++)
		if (!strcmp((*it)->name, name))
			return format_kind_word((*it)->kind);
	return NULL;
}

static const struct format *chosen(enum format_kind kind, const char *name)
{
	const struct format *format = format_find(kind, name);

	stdout_is_binary(format->binary ? format->name : NULL);
	return format;
}

const struct format *format_or_end(const char *arg, enum format_kind kind,
				   struct argp_state *state)
{
	const char *names[FORMAT_NAMES_MAX];

	format_names(kind, names);
	/*
	 * The registry finds a format by kind and name, not by the index of the choice.
	 */
	return chosen(kind, names[choice_or_end(arg, "format", names, state)]);
}

/*
 * `n_tables` of the table formats are accepted, from the first one on: text, csv, json.
 */
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
		return chosen(kind, names[choice]);
	*table = (enum table_format)choice;
	return NULL;
}

/*
 * Appends the list of formats to the help. argp keeps the pointer, so the text lives
 * until the process ends; a command calls this once.
 */
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
