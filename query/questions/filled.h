/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Memory that the kernel filled for the program, as read() does: no accesses, but stores. */
#ifndef QUERY_QUESTIONS_FILLED_H
#define QUERY_QUESTIONS_FILLED_H

#include "analysis/mem/walk.h"
#include "query/query.h"

/*
 * Warns when system calls of a thread stored to what is wanted, behind instruction `after` (0:
 * from the begin of what is wanted on), and says which was the last. Errors are those of cursors.
 */
int filled_warn(const struct query *query, unsigned stream,
		const struct mem_wanted *wanted, uint64_t after, struct wm_error *err);
/* The same of each selected thread: what is watched also changes where no instruction stores. */
int filled_warn_all(const struct query *query, const struct mem_wanted *wanted,
		    struct wm_error *err);

#endif
