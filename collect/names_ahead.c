// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The names of a compiler without symbols take a quarter of a second, those of a C library ten
 * milliseconds: as long as all else that recording a short program adds. The file is known when
 * it is mapped, and one core is often idle then.
 *
 * The thread has the policy SCHED_IDLE, so it takes no time from guest and collector. On a busy
 * machine it may be at one file when the recording ends, and get no time then either: whoever
 * waits for it looks how much it got, and reads the file again if that is little.
 */
#include "collect/names_ahead.h"

#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/helper_thread.h"
#include "program/elf/file.h"
#include "program/kernel/image.h"

enum {
	BYTES_MAX = 64 << 20, /* of names that wait to be taken */
	LOOK_NS = 5000000,    /* between two looks at a thread that is waited for */
};

enum state { WAITS, RUNS, DONE, GONE };

struct job {
	struct job *next;
	enum state state;
	uint32_t file;
	int fd;
	char *path;
	char build_id[ELF_BUILD_ID_TEXT];
	struct symtab names;
	bool good;
};

struct names_ahead {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	pthread_t thread;
	bool has_thread, over;
	struct job *first, **last; /* in the order in which they came */
	size_t bytes;		   /* of names that are DONE */
};

static void job_free(struct job *job)
{
	if (job->fd >= 0)
		close(job->fd);
	symtab_fini(&job->names);
	free(job->path);
	free(job);
}

static void destroy(struct names_ahead *ahead)
{
	for (struct job *job = ahead->first, *next; job; job = next) {
		next = job->next;
		job_free(job);
	}
	pthread_cond_destroy(&ahead->changed);
	pthread_mutex_destroy(&ahead->lock);
	free(ahead);
}

/* ---- the thread ---------------------------------------------------------- */

static struct job *next_job(const struct names_ahead *ahead)
{
	struct job *job = ahead->first;

	if (ahead->bytes > BYTES_MAX)
		return NULL;
	while (job && job->state != WAITS)
		job = job->next;
	return job;
}

static size_t bytes_of(const struct symtab *names)
{
	return names->names.len + names->n_ranges * sizeof(*names->ranges);
}

/* Reads one file; the lock is held, and given back meanwhile. */
static void read_job(struct names_ahead *ahead, struct job *job)
{
	job->state = RUNS;
	pthread_mutex_unlock(&ahead->lock);
	job->good = kernel_names_read(&job->names, job->fd, job->path, job->build_id);
	pthread_mutex_lock(&ahead->lock);
	job->state = DONE;
	ahead->bytes += bytes_of(&job->names);
	pthread_cond_broadcast(&ahead->changed);
}

static void *read_all(void *cookie)
{
	struct names_ahead *ahead = cookie;
	struct job *job;

	sched_setscheduler(0, SCHED_IDLE, &(struct sched_param){ 0 });
	pthread_mutex_lock(&ahead->lock);
	while (!ahead->over) {
		job = next_job(ahead);
		if (job)
			read_job(ahead, job);
		else
			pthread_cond_wait(&ahead->changed, &ahead->lock);
	}
	pthread_mutex_unlock(&ahead->lock);
	destroy(ahead);
	return NULL;
}

/* Without a thread nothing is read ahead. */
static void start(struct names_ahead *ahead)
{
	ahead->has_thread = !helper_thread_start(&ahead->thread, read_all, ahead);
	/* Nobody waits for it: on a busy machine it might not get to its end. */
	if (ahead->has_thread)
		pthread_detach(ahead->thread);
}

/* ---- for the collector --------------------------------------------------- */

struct names_ahead *names_ahead_new(void)
{
	struct names_ahead *ahead = calloc(1, sizeof(*ahead));
	pthread_condattr_t clock;

	if (!ahead)
		return NULL;
	ahead->last = &ahead->first;
	pthread_mutex_init(&ahead->lock, NULL);
	pthread_condattr_init(&clock);
	pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
	pthread_cond_init(&ahead->changed, &clock);
	pthread_condattr_destroy(&clock);
	return ahead;
}

void names_ahead_free(struct names_ahead *ahead)
{
	bool has_thread = ahead && ahead->has_thread;

	if (!ahead)
		return;
	pthread_mutex_lock(&ahead->lock);
	ahead->over = true;
	pthread_cond_broadcast(&ahead->changed);
	pthread_mutex_unlock(&ahead->lock);
	/* A thread has the last look at it. */
	if (!has_thread)
		destroy(ahead);
}

void names_ahead_want(struct names_ahead *ahead, uint32_t file, int fd, const char *path,
		      const char *build_id)
{
	struct job *job = ahead ? calloc(1, sizeof(*job)) : NULL;

	if (!job)
		return;
	job->file = file;
	job->fd = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	job->path = strdup(path);
	job->names = SYMTAB_INIT;
	if (job->fd < 0 || !job->path) {
		job_free(job);
		return;
	}
	snprintf(job->build_id, sizeof(job->build_id), "%s", build_id);
	pthread_mutex_lock(&ahead->lock);
	*ahead->last = job;
	ahead->last = &job->next;
	pthread_cond_broadcast(&ahead->changed);
	pthread_mutex_unlock(&ahead->lock);
	if (!ahead->has_thread)
		start(ahead);
}

/* CPU time of the thread, in nanoseconds; 0: not known. */
static uint64_t spent(const struct names_ahead *ahead)
{
	clockid_t clock;

	return pthread_getcpuclockid(ahead->thread, &clock) ? 0 : clock_read_ns(clock);
}

/* Waits for some milliseconds at most; whether the thread got half of them. */
static bool wait_for_it(struct names_ahead *ahead)
{
	uint64_t before = spent(ahead);
	struct timespec until = clock_timespec(clock_ns() + LOOK_NS);

	pthread_cond_timedwait(&ahead->changed, &ahead->lock, &until);
	return spent(ahead) - before >= LOOK_NS / 2;
}

static struct job *find(const struct names_ahead *ahead, uint32_t file)
{
	struct job *job = ahead->first;

	while (job && job->file != file)
		job = job->next;
	return job;
}

bool names_ahead_take(struct names_ahead *ahead, uint32_t file, struct symtab *names,
		      bool *good)
{
	struct job *job;
	bool done;

	if (!ahead)
		return false;
	pthread_mutex_lock(&ahead->lock);
	job = find(ahead, file);
	while (job && job->state == RUNS && wait_for_it(ahead))
		;
	done = job && job->state == DONE;
	if (done) {
		ahead->bytes -= bytes_of(&job->names);
		*names = job->names;
		*good = job->good;
		job->names = SYMTAB_INIT;
	}
	/* One that runs is left to the thread. */
	if (job && job->state != RUNS)
		job->state = GONE;
	pthread_mutex_unlock(&ahead->lock);
	return done;
}
