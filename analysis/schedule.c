// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Runs jobs on threads so that the result does not depend on their speed.
 *
 * Of all jobs that fail, the lowest one is reported. Jobs begin in ascending order, so
 * when job 5 fails, jobs 0 to 4 have begun; they are waited for, and a failure of theirs
 * replaces that of job 5. When jobs 3 and 5 fail, 5 perhaps first, the error is that of
 * job 3.
 *
 * Invariant: `failed` only decreases once it is set, and `err` belongs to the job
 * `failed`.
 */
#include "analysis/schedule.h"

#include <pthread.h>

#include "base/parallel.h"

struct shift {
	const struct schedule *schedule;
	pthread_mutex_t lock;
	int ret; /* of the lowest job that failed; 0: none has */
	uint64_t failed;
	struct wm_error err; /* its */
};

/* Keeps the error when it is the first one, or that of a lower job than the one kept. */
static int note(struct shift *shift, uint64_t job, int ret, const struct wm_error *err)
{
	if (!ret)
		return 0;
	pthread_mutex_lock(&shift->lock);
	if (!shift->ret || job < shift->failed) {
		shift->ret = ret;
		shift->failed = job;
		shift->err = *err;
	}
	pthread_mutex_unlock(&shift->lock);
	return ret;
}

static int run(void *cookie, uint64_t job, unsigned worker)
{
	struct shift *shift = cookie;
	const struct schedule *schedule = shift->schedule;
	struct wm_error err = { .code = 0 };

	return note(shift, job, schedule->run(schedule->cookie, job, worker, &err), &err);
}

static int take(void *cookie, uint64_t job)
{
	struct shift *shift = cookie;
	const struct schedule *schedule = shift->schedule;
	struct wm_error err = { .code = 0 };

	return note(shift, job, schedule->take(schedule->cookie, job, &err), &err);
}

int schedule_run(const struct schedule *schedule, uint64_t *failed, struct wm_error *err)
{
	static const struct parallel_steps steps = { run, take };
	struct shift shift = { .schedule = schedule, .lock = PTHREAD_MUTEX_INITIALIZER };

	if (schedule->take)
		parallel_in_order(schedule->jobs, schedule->threads, &steps, &shift);
	else
		parallel_for(schedule->jobs, schedule->threads, run, &shift);
	pthread_mutex_destroy(&shift.lock);
	if (shift.ret && err)
		*err = shift.err;
	if (shift.ret && failed)
		*failed = shift.failed;
	return shift.ret;
}
