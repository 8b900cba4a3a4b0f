/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A question that cannot be cut, as one of several processes answers it that never meet: the
 * first part has all rows, the others have none.
 */
#ifndef QUERY_UNDIVIDED_H
#define QUERY_UNDIVIDED_H

#include "query/answer.h"
#include "query/share.h"

/*
 * The rows of an open query, which has no runner, when the share is to answer; `answer` has been
 * initialised with the query's columns. The question may be about more traces than the one that
 * is open: others[n]. Errors are those of share_run() and of the question.
 */
int undivided_find(struct answer *answer, struct query *query, const char *const *others,
		   size_t n, struct share *share, struct wm_error *err);

#endif
