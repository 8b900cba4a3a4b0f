/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Jobs that run on several threads, whose results and errors come in the order of the jobs. */
#ifndef ANALYSIS_SCHEDULE_H
#define ANALYSIS_SCHEDULE_H

#include <stdint.h>

#include "waymark.h"

struct schedule {
	uint64_t jobs;	  /* numbered from 0 */
	unsigned threads; /* 0 is 1 */
	/*
	 * Called for several jobs at once; `worker` is below `threads` and runs one job
	 * at a time.
	 */
	int (*run)(void *cookie, uint64_t job, unsigned worker, struct wm_error *err);
	/*
	 * Optional: takes the result of each job, in order and one at a time. Jobs then run
	 * only a few ahead of it, which bounds the results that wait.
	 */
	int (*take)(void *cookie, uint64_t job, struct wm_error *err);
	void *cookie;
};

/*
 * Returns the error of the lowest job that failed, with its message in *err; or 0. Once a
 * job has failed no other begins. `failed`, when not NULL, is set to its number.
 */
int schedule_run(const struct schedule *schedule, uint64_t *failed, struct wm_error *err);

#endif
