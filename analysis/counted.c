// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Cells that name places of a program, in the same words in every table: a function with
 * the distance from its start, a line of source without its directory.
 *
 * A text that needs memory and gets none leaves its cell empty; the row stays. The other
 * cells identify the place, and a table that runs out of memory fails by itself.
 *
 * Example: offset 0x1c of puts() is "puts+0x1c", and offset 0 is "puts".
 */
#include "analysis/counted.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *counted_base_name(const char *path)
{
	const char *slash = path ? strrchr(path, '/') : NULL;

	return slash ? slash + 1 : path;
}

bool counted_wants(const struct counted *counted, uint32_t function)
{
	return !counted->function ||
	       functions_match(counted->functions, function, counted->function);
}

void counted_put_place(struct table *table, unsigned column,
		       const struct function *function, uint64_t offset)
{
	char *text;

	if (!offset) {
		table_text(table, column, function->name);
	} else if (asprintf(&text, "%s+0x%jx", function->name, (uintmax_t)offset) > 0) {
		table_text(table, column, text);
		free(text);
	}
}

void counted_put_line(const struct counted *counted, struct table *table, unsigned column,
		      const struct srcline *line)
{
	const char *path = srclines_path(counted->lines, line->source);
	char *text;

	if (asprintf(&text, "%s:%u", counted_base_name(path), line->number) > 0) {
		table_text(table, column, text);
		free(text);
	}
}
