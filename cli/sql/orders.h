/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lines that begin with a dot: they are for the shell, and have sqlite3's names. */
#ifndef CLI_SQL_ORDERS_H
#define CLI_SQL_ORDERS_H

#include <stdbool.h>

#include "cli/sql/statement.h"

/* What orders set, and the shell obeys when it runs a statement. */
struct orders {
	struct looks looks;
	char *separator; /* that of `looks`, malloc()ed; NULL */
	bool timer;	 /* print what a statement took */
	FILE *out;	 /* results go there; NULL: to stdout */
	bool once;	 /* only those of the next statement */
	char *read;	 /* a file with statements to run now, malloc()ed; NULL: none */
	bool leave;
};

/* The name of an order, with what comes behind it, such as ".read FILE"; NULL: no more. */
const char *orders_name(unsigned index);
/* Obeys a line; a wrong one gets an error on stderr. */
void orders_obey(struct orders *orders, const char *line);
/* Results go to stdout again. */
void orders_end_output(struct orders *orders);
void orders_fini(struct orders *orders);

#endif
