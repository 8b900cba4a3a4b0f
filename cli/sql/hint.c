// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * SQLite says which name is wrong. Only Waymark knows which names there are.
 *
 * Example: "no such table: insn" goes on with `; did you mean "insns"?`, and "no such column:
 * pc" of "select pc from marks" with "; marks has thread, insn, ns, ...".
 */
#include "cli/sql/hint.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

#include "base/nearest.h"
#include "sql/sql.h"

static void put(struct buf *text, const char *words)
{
	buf_put(text, words, strlen(words));
}

/* The name in a sentence that begins with `begin`, in any case; NULL: it begins otherwise. */
static const char *named(const char *message, const char *begin)
{
	size_t length = strlen(begin);

	return strncasecmp(message, begin, length) ? NULL : message + length;
}

static void put_nearest_table(struct buf *text, const char *typed)
{
	struct nearest nearest = { .typed = typed };
	const char *name, *columns, *found = NULL;

	for (unsigned i = 0; (name = sql_table(i, &columns)); i++)
		if (nearest_try(&nearest, name))
			found = name;
	if (!found) {
		put(text, "; waymark sql --schema lists the tables");
		return;
	}
	put(text, "; did you mean \"");
	put(text, found);
	put(text, "\"?");
}

static bool of_a_name(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* Whether a name is a word of a statement, in any case, as in SQL. */
static bool mentions(const char *statement, const char *name)
{
	size_t length = strlen(name);

	for (const char *at = statement; *at; at++)
		if (!strncasecmp(at, name, length) && !of_a_name(at[length]) &&
		    (at == statement || !of_a_name(at[-1])))
			return true;
	return false;
}

/*
 * The only table that a statement mentions; NULL: it mentions several or none. The columns of
 * several are too long for a sentence.
 */
static const char *only_table(const char *statement, const char **columns)
{
	const char *name, *only = NULL, *its;

	for (unsigned i = 0; (name = sql_table(i, &its)); i++)
		if (mentions(statement, name)) {
			if (only)
				return NULL;
			only = name;
			*columns = its;
		}
	return only;
}

/* `columns` are declarations, such as `insn INTEGER, "end" ADDRESS INTEGER`. */
static void put_columns(struct buf *text, const char *table, const char *columns)
{
	put(text, "; ");
	put(text, table);
	put(text, " has ");
	while (*columns) {
		size_t declaration = strcspn(columns, ",");

		buf_put(text, columns, strcspn(columns, " ,"));
		columns += declaration;
		if (!*columns)
			break;
		put(text, ", ");
		columns += 1 + strspn(columns + 1, " ");
	}
}

static void put_only_columns(struct buf *text, const char *statement)
{
	const char *columns, *table = only_table(statement, &columns);

	if (table)
		put_columns(text, table, columns);
	else
		put(text, "; waymark sql --schema lists the columns");
}

void hint_put(struct buf *text, const char *message, const char *statement)
{
	const char *table = named(message, "no such table: ");

	if (table)
		put_nearest_table(text, table);
	else if (named(message, "no such column: "))
		put_only_columns(text, statement);
	else if (named(message, "near \"values\""))
		put(text,
		    "; the table is called accesses, too; \"values\" needs its quotes");
	else if (named(message, "near \".\""))
		put(text, "; orders such as .tables are typed in the shell only: SQL of "
			  "a file or a pipe goes with --schema and --format");
	buf_put(text, "", 1);
}
