/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The coverage of several traces, as several processes find it that never meet. */
#ifndef QUERY_QUESTIONS_COVER_SHARE_H
#define QUERY_QUESTIONS_COVER_SHARE_H

#include "query/questions/cover.h"
#include "query/several.h"
#include "query/share.h"

/*
 * Adds the runs of these traces to a cover that is empty, by a share: a part has neighbouring
 * traces, and whoever has all parts wants the traces as they were. The query has no runner.
 * WM_E_RANGE with a sentence; else errors of share_run() and of cover_add_query(). The query's
 * scope names the trace that an error is about.
 */
int cover_share(struct cover *cover, struct query *query,
		const struct several_traces *traces, struct share *share,
		struct wm_error *err);

#endif
