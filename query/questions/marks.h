/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The markers that a query selects, one after the other by the clock. */
#ifndef QUERY_QUESTIONS_MARKS_H
#define QUERY_QUESTIONS_MARKS_H

#include "analysis/regions.h"
#include "query/query.h"
#include "trace/merge.h"

/* The options of the question "marks". */
enum { MARKS_BY, MARKS_ID, MARKS_OPTIONS };
enum marks_by { MARKS_BY_MARK, MARKS_BY_ID };

struct marks {
	const struct query *query;
	struct merge *merge;
	struct regions *regions;
	struct mark *open; /* [n_open] begins without an end, once all was read */
	size_t n_open, at;
	bool any; /* marks_next() has returned a marker */
};

/* Of an open query, which must outlive it. On failure nothing is left open. */
int marks_open(struct marks *marks, const struct query *query, struct wm_error *err);
void marks_close(struct marks *marks);

/* The next marker of a wanted id; or WM_END. Errors are those of cursors. */
int marks_next(struct marks *marks, struct mark *mark, struct wm_error *err);
/* After the end of marks_next(): the begins without an end, by thread; or WM_END. */
int marks_next_open(struct marks *marks, struct mark *mark, struct wm_error *err);

#endif
