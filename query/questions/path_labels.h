/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The option "bytecodes" of questions with a row for each execution, and its columns. */
#ifndef QUERY_QUESTIONS_PATH_LABELS_H
#define QUERY_QUESTIONS_PATH_LABELS_H

#include "query/questions/path.h"

/* Of a question that has it as its only option. */
#define PATH_LABELS_OPTION                                                    \
	{                                                                     \
		"bytecodes", QUESTION_FLAG,                                   \
			"Columns for the bytecode of a managed program that " \
			"it is of"                                            \
	}
static inline bool path_wants_labels(const struct query *query)
{
	return query_number(query, 0);
}

/* own[n], and the bytecode's when they are wanted; returns how many. */
unsigned path_columns(const struct query *query, const struct table_column *own,
		      unsigned n, struct table_column *columns);
/*
 * Puts the bytecode of instruction `insn` of the block's thread behind n own columns; nothing
 * when it is not wanted. Errors are those of label_source_at().
 */
int path_put_label(const struct query *query, struct table *table, unsigned n,
		   const struct path_block *block, uint64_t insn, struct wm_error *err);

#endif
