// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A line that begins with a dot is an order, whose name is completed; in all others each word
 * may be a table, a column of any table, or a keyword. Names of tables and columns come from
 * sql_table(), keywords from SQLite.
 *
 * Example: "select disass" and Tab is "select disassembly ".
 */
#include "cli/sql/words.h"

#include <ctype.h>
#include <editline/readline.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "cli/sql/orders.h"
#include "sql/sql.h"

/* A walk through the names of all tables and of their columns. */
struct names {
	unsigned walked;
	unsigned table;	     /* the next one */
	const char *columns; /* what is left of the last one's; NULL: not begun */
};

/* What has been looked at of the words that may begin like the one that was typed. */
static struct {
	size_t length; /* of what was typed */
	struct names names;
	int keyword;
	unsigned order;
} at;

static char *copy(const char *word, size_t length, bool lower)
{
	char *copied = strndup(word, length);

	for (char *c = copied; lower && c && *c; c++)
		*c = (char)tolower((unsigned char)*c);
	return copied;
}

/* The next column of a table, as declarations are; NULL: no more. */
static const char *next_column(struct names *names, size_t *length)
{
	const char *column = names->columns;

	if (!column || !*column)
		return NULL;
	names->columns += strcspn(column, ",");
	names->columns += strspn(names->columns, ", ");
	*length = strcspn(column, " ,");
	return column;
}

/* The next name of a table, or of a column of the one before; NULL: no more. */
static const char *next_name(struct names *names, size_t *length)
{
	const char *name = next_column(names, length);

	names->walked++;
	if (name)
		return name;
	name = sql_table(names->table, &names->columns);
	if (name) {
		names->table++;
		*length = strlen(name);
	}
	return name;
}

/* Whether the name that was walked last was there before: tables share names of columns. */
static bool is_repeated(const char *name, size_t length)
{
	struct names names = { .table = 0 };
	size_t other_length;

	while (names.walked + 1 < at.names.walked) {
		const char *other = next_name(&names, &other_length);

		if (other_length == length && !strncmp(other, name, length))
			return true;
	}
	return false;
}

static const char *next_keyword(size_t *length)
{
	const char *name;
	int bytes;

	if (sqlite3_keyword_name(at.keyword, &name, &bytes))
		return NULL;
	at.keyword++;
	*length = (size_t)bytes;
	return name;
}

static bool begins(const char *word, size_t length, const char *typed)
{
	return at.length <= length && !strncasecmp(word, typed, at.length);
}

static void start(const char *typed, int state)
{
	if (state)
		return;
	memset(&at, 0, sizeof(at));
	at.length = strlen(typed);
}

/* Called again until it returns NULL; what it returns is freed by the caller. */
static char *complete_word(const char *typed, int state)
{
	const char *word;
	size_t length;

	start(typed, state);
	while ((word = next_name(&at.names, &length)))
		if (begins(word, length, typed) && !is_repeated(word, length))
			return copy(word, length, false);
	while ((word = next_keyword(&length)))
		if (begins(word, length, typed))
			return copy(word, length, islower((unsigned char)*typed));
	return NULL;
}

static char *complete_order(const char *typed, int state)
{
	const char *name;

	start(typed, state);
	while ((name = orders_name(at.order++))) {
		size_t length = strcspn(name, " ");

		if (begins(name, length, typed))
			return copy(name, length, false);
	}
	return NULL;
}

static char **complete(const char *typed, int from, int to)
{
	(void)to;
	/* Without this, files are offered where no word fits. */
	rl_attempted_completion_over = 1;
	if (*rl_line_buffer == '.')
		return from ? NULL : rl_completion_matches(typed, complete_order);
	return *typed ? rl_completion_matches(typed, complete_word) : NULL;
}

void words_offer(void)
{
	static char breaks[] = " \t\n\"\\'`@$><=;|&{(),+-*/%!";

	rl_attempted_completion_function = complete;
	rl_completer_word_break_characters = breaks;
}
