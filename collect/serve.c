// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * This thread collects. Others watch the guest (collect/warden.c), answer requests
 * (collect/control.c) and report progress. At the end the order matters: first the file
 * is complete and everything is reported, then the guest's parent sees that the guest
 * has ended. So `waymark record PROGRAM; waymark info` never finds an incomplete file.
 */
#include "collect/serve.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>

#include "base/futex.h"
#include "collect/control.h"
#include "collect/handout.h"
#include "collect/warden.h"

#define PROGRESS_MS 250

/* ---- progress ------------------------------------------------------------ */

struct reporter {
	const struct record_reports *reports;
	struct collector *collector;
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t ended;
	bool running, done;
};

static void *report(void *cookie)
{
	struct reporter *reporter = cookie;
	struct record_progress progress;
	struct timespec next;

	clock_gettime(CLOCK_REALTIME, &next);
	pthread_mutex_lock(&reporter->lock);
	while (!reporter->done) {
		/*
		 * Absolute times: reports do not drift by the time that a report takes.
		 */
		next.tv_nsec += PROGRESS_MS * 1000000;
		next.tv_sec += next.tv_nsec / 1000000000;
		next.tv_nsec %= 1000000000;
		pthread_cond_timedwait(&reporter->ended, &reporter->lock, &next);
		if (reporter->done)
			break;
		collector_progress(reporter->collector, &progress);
		reporter->reports->progress(reporter->reports->cookie, &progress);
	}
	pthread_mutex_unlock(&reporter->lock);
	return NULL;
}

static void reporter_start(struct reporter *reporter)
{
	pthread_mutex_init(&reporter->lock, NULL);
	pthread_cond_init(&reporter->ended, NULL);
	reporter->running = reporter->reports->progress &&
			    !pthread_create(&reporter->thread, NULL, report, reporter);
}

static void reporter_stop(struct reporter *reporter)
{
	if (!reporter->running)
		return;
	pthread_mutex_lock(&reporter->lock);
	reporter->done = true;
	pthread_cond_signal(&reporter->ended);
	pthread_mutex_unlock(&reporter->lock);
	pthread_join(reporter->thread, NULL);
}

/* ---- signals ------------------------------------------------------------- */

static struct collector *collecting; /* for the signal handler */

static void stop_collecting(int signal)
{
	(void)signal;
	/* Only atomic stores and a futex() call, which are safe in a signal handler. */
	collector_stop(collecting);
}

/*
 * SIGXFSZ is ignored so that a file beyond `ulimit -f` is an error like a full disk;
 * SIGPIPE and SIGHUP because nobody may read the messages any more. SIGXCPU comes a second
 * before the limit on CPU time ends this process (collect/life.c).
 */
static void take_signals(struct collector *collector)
{
	static const int ignored[] = { SIGHUP, SIGQUIT, SIGPIPE, SIGXFSZ };
	static const int stopping[] = { SIGINT, SIGTERM, SIGXCPU };
	struct sigaction ignore = { .sa_handler = SIG_IGN };
	struct sigaction stop = { .sa_handler = stop_collecting, .sa_flags = SA_RESTART };
	sigset_t none;

	collecting = collector;
	for (size_t i = 0; i < sizeof(ignored) / sizeof(*ignored); i++)
		sigaction(ignored[i], &ignore, NULL);
	for (size_t i = 0; i < sizeof(stopping) / sizeof(*stopping); i++)
		sigaction(stopping[i], &stop, NULL);
	sigemptyset(&none); /* the starter's may be blocked */
	sigprocmask(SIG_SETMASK, &none, NULL);
}

/* ---- the end ------------------------------------------------------------- */

/* The collector as the warden's thread sees it, which may outlive it. */
struct watched {
	pthread_mutex_t lock;
	struct collector *collector; /* NULL: it has gone */
};

static void on_end(void *cookie, int status)
{
	struct watched *watched = cookie;

	pthread_mutex_lock(&watched->lock);
	if (watched->collector)
		collector_ended(watched->collector, status);
	pthread_mutex_unlock(&watched->lock);
}

static bool on_left(void *cookie)
{
	struct watched *watched = cookie;
	bool is_end;

	pthread_mutex_lock(&watched->lock);
	is_end = !watched->collector || collector_left(watched->collector);
	pthread_mutex_unlock(&watched->lock);
	return is_end;
}

static void unwatch(struct watched *watched)
{
	pthread_mutex_lock(&watched->lock);
	watched->collector = NULL;
	pthread_mutex_unlock(&watched->lock);
}

/*
 * Lets the guest go that waits in its exit, with another exit status if that is not -1.
 */
static void judge(struct board *board, int status)
{
	/* The status before `over`: the plugin reads it when it sees that. */
	atomic_store(&board->hold.status, status);
	atomic_store(&board->over, 1);
	futex_wake_all(&board->over);
}

static void finish(struct collector *collector, struct board *board,
		   const struct record_reports *reports)
{
	struct wm_error failed = { 0 };
	struct record_result result;
	int status = -1;

	collector_finish(collector, &result, &failed);
	if (reports->end)
		status = reports->end(reports->cookie, &result, &failed);
	steering_outcome_fini(&result.steered);
	judge(board, status);
}

int serve(struct collector *collector, const struct memory *memory, pid_t guest,
	  const char *output, const struct record_reports *reports,
	  void (*ready)(void *cookie), void *cookie, struct wm_error *err)
{
	/* Static: the warden's thread runs until this process ends. */
	static struct watched watched = { .lock = PTHREAD_MUTEX_INITIALIZER };
	const struct warden_client client = { on_end, on_left, &watched };
	struct reporter reporter = { .reports = reports, .collector = collector };
	struct board *board = memory->board;
	struct handouts *handouts;
	struct control *control;
	struct warden *warden;
	int ret;

	/*
	 * Before anything can fail halfway: a signal must always lead to a complete file.
	 */
	take_signals(collector);
	collector_follow(collector, (uint32_t)guest);
	watched.collector = collector;
	ret = warden_start(&warden, board, guest, &client, err);
	if (ret) {
		collector_finish(collector, NULL, NULL);
		return ret;
	}
	control = control_start(collector, output);
	handouts = handouts_start(memory);
	/*
	 * The guest may run from here on. The warden watches already, so no end can be
	 * missed.
	 */
	ready(cookie);
	reporter_start(&reporter);
	collector_run(collector);
	reporter_stop(&reporter);
	/* Before the collector is freed: requests run on it. */
	control_stop(control);
	handouts_stop(handouts);
	unwatch(&watched);
	finish(collector, board, reports);
	/* Last: from here on the guest's parent sees the end. */
	warden_release(warden);
	return 0;
}
