// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * waymark complete: words for the completion of shells, one a line. It is hidden, because
 * only completion/ calls it. Whatever it cannot answer has no words, and no message: a
 * message would stand in the middle of the command line that is being typed.
 *
 *	waymark complete columns hot block	columns of `hot --by block`
 *	waymark complete functions run.wmk	names in the files that the trace names
 *	waymark complete events			kinds of events, and system calls
 *	waymark complete formats		what `export` takes: full names and short ones
 *	waymark complete command folded		the command that has the options of a format
 */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "cli/command.h"
#include "export/format.h"
#include "format/events.h"
#include "kernel/kernel.h"
#include "query/query.h"
#include "query/source.h"

/* Some C libraries have 10,000 names; a menu of more helps nobody. */
enum { FUNCTIONS_MAX = 20000 };

/* Without a word for --by the columns are those of the default. */
static void columns(const char *name, const char *by)
{
	const struct question *question = question_find(name);
	struct wm_error err;
	struct query query;

	if (!question)
		return;
	query_init(&query, question, NULL);
	/* What was typed after --by may be wrong. */
	if ((!by || !query_set(&query, "by", by, NULL, &err)) &&
	    !query_settle(&query, &err))
		for (unsigned i = 0; i < query.n_columns; i++)
			puts(query.columns[i].name);
	query_fini(&query);
}

static void functions(const char *file)
{
	struct source source;
	struct symbol_range range;
	struct wm_error err;
	uint32_t n = 0;

	if (source_open(&source, file, NULL, &err))
		return;
	for (uint32_t i = 0; i < symbols_files(source.symbols); i++)
		for (uint32_t at = 0;
		     n < FUNCTIONS_MAX && symbols_at(source.symbols, i, at, &range);
		     at++, n++)
			puts(range.name);
	source_close(&source);
}

static void events(void)
{
	const struct event_info *info;
	const struct call *call;

	for (unsigned i = 0; (info = event_info_at(i)); i++)
		puts(info->name);
	for (size_t i = 0; (call = kernel_call_at(i)); i++)
		puts(call->name);
}

/* A short name that several formats have is not offered: `export` refuses it. */
static void export_formats(void)
{
	char full[FORMAT_FULL_NAME];
	const struct format *found;

	for (unsigned i = 0; formats[i]; i++) {
		puts(format_full_name(formats[i], full));
		if (format_named(formats[i]->name, &found) == 1)
			puts(formats[i]->name);
	}
}

static void command_of(const char *name)
{
	const struct format *found;

	if (format_named(name, &found) == 1)
		puts(format_kind_word(found->kind));
}

int cmd_complete(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";

	if (!strcmp(what, "columns") && argc > 2)
		columns(argv[2], argc > 3 ? argv[3] : NULL);
	else if (!strcmp(what, "functions"))
		functions(argc > 2 ? argv[2] : "waymark.wmk");
	else if (!strcmp(what, "events"))
		events();
	else if (!strcmp(what, "formats"))
		export_formats();
	else if (!strcmp(what, "command") && argc > 2)
		command_of(argv[2]);
	return EXIT_OK;
}
