/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A table on stdout, through the pager when that is a terminal. The pager and the first byte
 * of output are delayed until the table begins: who fails before that prints an error and
 * nothing else.
 */
#ifndef CLI_TABLE_OUTPUT_H
#define CLI_TABLE_OUTPUT_H

#include "cli/watch.h"
#include "out/table_writer.h"

struct table_output {
	struct table_sink sink; /* rows go here */
	struct watch *watch;
	enum table_format format;
	bool bare; /* see struct table_writer; so are these two */
	bool may_omit;
	const char *separator; /* the caller's */
	FILE *out;	       /* NULL: nothing is printed yet */
	struct table_writer writer;
};

/* `watch` is ended when the table begins; NULL: there is none, and no pager either. */
void table_output_init(struct table_output *output, enum table_format format,
		       struct watch *watch);
/* Says which columns were left out, if any were. */
void table_output_fini(struct table_output *output);

#endif
