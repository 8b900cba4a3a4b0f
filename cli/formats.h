/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Outside formats (export/format.h) as an option's argument, and in help. */
#ifndef CLI_FORMATS_H
#define CLI_FORMATS_H

#include "export/format.h"
#include "out/table_writer.h"

struct argp_state;

/* The command that has a format of this name; NULL: none has. */
const char *format_command(const char *name);

/*
 * The format of this kind that an option --format names. For an unknown
 * name, ends the process with a sentence that lists the formats, as argp_error() does.
 */
const struct format *format_or_end(const char *arg, enum format_kind kind,
				   struct argp_state *state);

/*
 * The same where a table of `n_tables` formats, the first of table_formats[], is printed
 * unless another format is chosen. NULL for a table; its format is in *table.
 */
const struct format *format_or_table_or_end(const char *arg, enum format_kind kind,
					    unsigned n_tables, enum table_format *table,
					    struct argp_state *state);

/* A command's help with the list of formats of a kind at its end; for argp.doc. */
const char *formats_help(const char *doc, enum format_kind kind);

#endif
