/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The rows of a thread from the last one to the first: ORDER BY insn DESC, and max(insn). */
#ifndef SQL_BACKWARD_H
#define SQL_BACKWARD_H

#include "sql/relation.h"

struct backward;

/*
 * Before the last row that the range has of thread range->of[RANGE_THREAD].least, the only one that
 * it has rows of. The relation has an ordinal(). NULL: no memory.
 */
struct backward *backward_new(const struct relation *relation, struct subject *subject,
			      const struct range *range);
void backward_free(struct backward *backward); /* NULL is taken */
/*
 * *rows: the row before, for relation->column() alone, valid until the next call. WM_END: there is
 * none.
 */
int backward_next(struct backward *backward, struct rows **rows, struct wm_error *err);

#endif
