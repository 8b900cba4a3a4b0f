/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Answers that are as long as the run: rank 0 hands them out while the others work. */
#ifndef QUERY_TEAM_ROW_H
#define QUERY_TEAM_ROW_H

#include "analysis/shard.h"
#include "query/team.h"

/*
 * Called by all, of an analysis that is `streamed`. Only in rank 0 drain() and stream() are called.
 * Errors of team_agree().
 */
int team_row_run(struct team_runner *runner, const struct shard_question *question,
		 struct wm_error *err);

#endif
