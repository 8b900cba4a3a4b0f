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
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

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

/* Reads one file; the lock is held, and given back meanwhile. */
static void read_job(struct names_ahead *ahead, struct job *job)
{
	job->state = RUNS;
	pthread_mutex_unlock(&ahead->lock);
	job->good = kernel_names_read(&job->names, job->fd, job->path, job->build_id);
	pthread_mutex_lock(&ahead->lock);
	job->state = DONE;
	ahead->bytes +=
		job->names.names.len + job->names.n_ranges * sizeof(*job->names.ranges);
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

/* Signals are for the thread that collects. Without a thread nothing is read ahead. */
static void start(struct names_ahead *ahead)
{
	sigset_t all, old;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	ahead->has_thread = !pthread_create(&ahead->thread, NULL, read_all, ahead);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
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
	struct timespec time = { 0 };
	clockid_t clock;

	if (pthread_getcpuclockid(ahead->thread, &clock) || clock_gettime(clock, &time))
		return 0;
	return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

/* Waits for some milliseconds at most; whether the thread got half of them. */
static bool wait_for_it(struct names_ahead *ahead)
{
	uint64_t before = spent(ahead);
	struct timespec until;

	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_nsec += LOOK_NS;
	until.tv_sec += until.tv_nsec / 1000000000;
	until.tv_nsec %= 1000000000;
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
