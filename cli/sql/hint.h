/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a statement that names no table or no column of a trace may have meant. */
#ifndef CLI_SQL_HINT_H
#define CLI_SQL_HINT_H

#include "base/buf.h"

/*
 * Appends the end of SQLite's sentence `message` about `statement` and a NUL to `text`: a table
 * with a similar name, or the columns of the table that the statement names. Only the NUL when
 * the sentence is about something else.
 */
void hint_put(struct buf *text, const char *message, const char *statement);

#endif
