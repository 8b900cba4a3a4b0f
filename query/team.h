/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Processes that answer a question together, at the same time, on one machine or many, as MPI
 * starts them. All of them ask the same question and get the same result; what the team offers
 * is how they talk (struct team), and a runner that shares the work.
 */
#ifndef QUERY_TEAM_H
#define QUERY_TEAM_H

#include "analysis/analysis.h"

/*
 * How the processes talk. All call the functions in the same order, but next() and claim(). A function
 * that cannot do its work, or has no memory, ends the job, as MPI's do.
 */
struct team {
	unsigned rank, size;
	/* A number that no process has got since restart(), from 0 on. */
	uint64_t (*next)(const struct team *team);
	/* Called by all: the numbers of next() begin again. */
	void (*restart)(const struct team *team);
	/* Whether no process has called it before: that one says why all of them end. */
	bool (*claim)(const struct team *team);
	/* The lowest rank that has failed; size: none has. */
	unsigned (*first_failed)(const struct team *team, bool failed);
	void (*send)(const struct team *team, unsigned to, const struct buf *bytes);
	/* Appends what rank `from` has sent. */
	void (*receive)(const struct team *team, unsigned from, struct buf *bytes);
	/* The bytes of rank 0 replace those of the others. */
	void (*broadcast)(const struct team *team, struct buf *bytes);
	/* Called once, before the process exits. */
	void (*leave)(const struct team *team);
};

/* What the module for MPI exports as `waymark_team`: joins the job; NULL when it cannot. */
typedef const struct team *(*team_join)(void);

struct team_runner {
	struct runner runner; /* first: of a query's selection */
	const struct team *team;
	bool elsewhere; /* the run failed in another process, which says why */
};

struct team_runner team_runner(const struct team *team);

/*
 * Called by all with the result of a step that each does for itself. Returns it, or WM_E_RANGE
 * when only other processes have failed. `elsewhere` is set where one of a lower rank, or only
 * another one, has: it says why.
 */
int team_agree(struct team_runner *runner, int ret, struct wm_error *err);

#endif
