// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The orders of sqlite3's shell that make sense for a trace. As there, the begin of a name is
 * enough: ".sch" is ".schema", and the first one in the list counts. A pattern is one of LIKE.
 *
 * Example: ".mode csv", ".once hot.csv", and the next statement writes that file.
 */
#include "cli/sql/orders.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/fail.h"
#include "cli/fresh_file.h"
#include "sql/sql.h"

static void order_exit(struct orders *orders, const char *word)
{
	(void)word;
	orders->leave = true;
}

static void set_separator(struct orders *orders, char *separator)
{
	free(orders->separator);
	orders->looks.separator = orders->separator = separator;
}

/* Modes of sqlite3 that are tables to look at are the one that is here. */
static void order_mode(struct orders *orders, const char *word)
{
	static const char *const tables[] = { "column", "table", "box", "list", NULL };

	for (unsigned i = 0; table_formats[i]; i++)
		if (!strcmp(word, table_formats[i])) {
			orders->looks.format = (enum table_format)i;
			set_separator(orders, NULL);
			return;
		}
	for (unsigned i = 0; tables[i]; i++)
		if (!strcmp(word, tables[i])) {
			orders->looks.format = TABLE_AS_TEXT;
			return;
		}
	fail(".mode takes text, csv or json");
}

static void order_headers(struct orders *orders, const char *word)
{
	if (strcmp(word, "on") != 0 && strcmp(word, "off") != 0)
		fail(".headers takes on or off");
	else
		orders->looks.bare = !strcmp(word, "off");
}

/* What a letter behind a backslash stands for; all others stand for themselves. */
static char unescaped(char letter)
{
	return letter == 't' ? '\t' : letter == 'n' ? '\n' : letter;
}

/* Takes the quotes off, and the backslashes within. */
static void unquote(char *word)
{
	size_t length = strlen(word), n = 0;
	bool quoted = length > 1 && strchr("'\"", *word) && word[length - 1] == *word;

	for (size_t i = quoted; i < length - quoted; i++) {
		bool escaped = word[i] == '\\' && i + 1 < length - quoted;

		word[n++] = escaped ? unescaped(word[++i]) : word[i];
	}
	word[n] = '\0';
}

/* In a text's aligned columns there is nothing to separate, so CSV it is. */
static void order_separator(struct orders *orders, const char *word)
{
	char *separator = strdup(word);

	if (separator)
		unquote(separator);
	if (!separator || !*separator) {
		free(separator);
		fail(".separator takes one character or more");
		return;
	}
	set_separator(orders, separator);
	orders->looks.format = TABLE_AS_CSV;
}

void orders_end_output(struct orders *orders)
{
	if (orders->out && fclose(orders->out))
		fail("cannot write: %s", strerror(errno));
	orders->out = NULL;
	orders->once = false;
}

static void order_output(struct orders *orders, const char *word)
{
	orders_end_output(orders);
	if (!*word || !strcmp(word, "stdout"))
		return;
	if (fresh_file_is_trace(word)) {
		fail("%s is a trace: name another file", word);
		return;
	}
	orders->out = fopen(word, "we");
	if (!orders->out)
		fail("cannot write %s: %s", word, strerror(errno));
}

static void order_once(struct orders *orders, const char *word)
{
	order_output(orders, word);
	orders->once = orders->out;
}

static void order_read(struct orders *orders, const char *word)
{
	free(orders->read);
	orders->read = strdup(word);
}

static bool fits(const char *pattern, const char *name)
{
	return !*pattern || sqlite3_strlike(pattern, name, 0) == 0;
}

/* In the order of waymark-sql(1), which is that of the list in sql/sql.c. */
static void order_schema(struct orders *orders, const char *word)
{
	const char *name, *columns;

	(void)orders;
	for (unsigned i = 0; (name = sql_table(i, &columns)); i++)
		if (fits(word, name))
			printf("%s(%s)\n", name, columns);
}

static void order_tables(struct orders *orders, const char *word)
{
	const char *name, *columns;

	(void)orders;
	for (unsigned i = 0; (name = sql_table(i, &columns)); i++)
		if (fits(word, name))
			printf("%s\n", name);
}

static void order_timer(struct orders *orders, const char *word)
{
	if (strcmp(word, "on") != 0 && strcmp(word, "off") != 0)
		fail(".timer takes on or off");
	else
		orders->timer = !strcmp(word, "on");
}

static void order_help(struct orders *orders, const char *word);

enum argument { NONE, OPTIONAL, NEEDED };

static const struct order {
	const char *name;
	enum argument argument;
	void (*obey)(struct orders *orders, const char *word);
	const char *help; /* NULL: it does what another one does */
} all[] = {
	{ ".exit", NONE, order_exit, "leave; so does the end of the input" },
	{ ".format", NEEDED, order_mode, NULL },
	{ ".headers on|off", NEEDED, order_headers, "print the names of columns" },
	{ ".help", OPTIONAL, order_help, "this list" },
	{ ".mode NAME", NEEDED, order_mode, "print text, csv or json" },
	{ ".once FILE", NEEDED, order_once,
	  "write the rows of the next statement there" },
	{ ".output ?FILE?", OPTIONAL, order_output,
	  "write all rows there; without FILE here again" },
	{ ".quit", NONE, order_exit, "leave" },
	{ ".read FILE", NEEDED, order_read, "run the statements of a file" },
	{ ".schema ?TABLE?", OPTIONAL, order_schema, "the tables and their columns" },
	{ ".separator TEXT", NEEDED, order_separator,
	  "print csv with this between cells: | or \";\" or \"\\t\"" },
	{ ".tables ?TABLE?", OPTIONAL, order_tables, "the names of the tables" },
	{ ".timer on|off", NEEDED, order_timer, "print how long each statement took" },
};

enum { ORDERS = sizeof(all) / sizeof(*all) };

const char *orders_name(unsigned index)
{
	return index < ORDERS ? all[index].name : NULL;
}

static void order_help(struct orders *orders, const char *word)
{
	(void)orders;
	(void)word;
	for (unsigned i = 0; i < ORDERS; i++)
		if (all[i].help)
			printf("%-16s %s\n", all[i].name, all[i].help);
	puts("All else is SQL, up to a semicolon.");
}

static const struct order *find(const char *name, size_t length)
{
	for (unsigned i = 0; length > 1 && i < ORDERS; i++)
		if (!strncmp(all[i].name, name, length) &&
		    length <= strcspn(all[i].name, " "))
			return &all[i];
	return NULL;
}

void orders_obey(struct orders *orders, const char *line)
{
	static const char blanks[] = " \t\r\n";
	size_t length = strcspn(line, blanks);
	const struct order *order = find(line, length);
	const char *rest = line + length + strspn(line + length, blanks);
	size_t end = strlen(rest);
	char *word;

	while (end && strchr(blanks, rest[end - 1]))
		end--;
	word = strndup(rest, end);
	if (!word)
		fail("no memory for %s", line);
	else if (!order)
		fail("there is no \"%.*s\"; .help lists what there is", (int)length,
		     line);
	else if (order->argument == NONE ? *word : order->argument == NEEDED && !*word)
		fail("use it so: %s", order->name);
	else
		order->obey(orders, word);
	free(word);
}

void orders_fini(struct orders *orders)
{
	orders_end_output(orders);
	set_separator(orders, NULL);
	free(orders->read);
}
