/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tables in the forms they are printed in: text for people, CSV (RFC 4180), JSON. */
#ifndef OUT_TABLE_WRITER_H
#define OUT_TABLE_WRITER_H

#include <stdio.h>

#include "base/spool.h"
#include "out/json.h"
#include "out/table.h"

enum table_format { TABLE_AS_TEXT, TABLE_AS_CSV, TABLE_AS_JSON };
/* Their names in that order, NULL-terminated. */
extern const char *const table_formats[];

/*
 * A sink that writes. CSV and JSON are written row by row; text is kept until the end, for
 * its columns are as wide as their widest cell: much of it in a temporary file. The caller checks
 * the stream for errors.
 */
struct table_writer {
	struct table_sink sink;
	FILE *out;
	bool colour; /* of text: headings and high shares stand out */
	/* As table_writer_init() leaves them, false and NULL: as people and RFC 4180 want it. */
	bool bare;	       /* of text and CSV: without headings */
	const char *separator; /* of CSV: between cells, instead of a comma */
	/*
	 * Of text: the columns of the terminal that a line has, for which names of code are
	 * shortened (out/shorten.h), and then spare columns are left out if `may_omit`; 0, as
	 * table_writer_init() leaves it: any number.
	 */
	size_t room;
	bool may_omit;
	uint64_t omitted; /* at the end: a bit for each column that was left out */
	const struct table_column *columns;
	unsigned n_columns;
	struct json json;
	struct spool *kept; /* of text: the cells */
	size_t *widths;	    /* of text: [n_columns] */
	struct buf row;
};

void table_writer_init(struct table_writer *writer, enum table_format format, FILE *out,
		       bool colour);
void table_writer_fini(struct table_writer *writer);

#endif
