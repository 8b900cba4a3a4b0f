// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Two threads: this one waits for the guest (and is where signals arrive), the other
 * collects. Order matters: the output is opened before QEMU starts, so that what cannot
 * be written is said before anything runs.
 */
#include "collect/record.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "collect/collector.h"
#include "collect/control.h"
#include "collect/launch.h"
#include "collect/memory.h"

#define PROGRESS_MS 250

static bool is_plain(const char *word)
{
	return *word && !word[strspn(word, "abcdefghijklmnopqrstuvwxyz"
					   "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
					   "0123456789_-+=./,:@%")];
}

/* Appends a word as a shell would take it. */
static void put_word(struct buf *line, const char *word)
{
	if (line->len)
		buf_put_u8(line, ' ');
	if (is_plain(word)) {
		buf_put(line, word, strlen(word));
		return;
	}
	buf_put_u8(line, '\'');
	for (; *word; word++) {
		if (*word == '\'')
			buf_put(line, "'\\''", 4);
		else
			buf_put_u8(line, (uint8_t)*word);
	}
	buf_put_u8(line, '\'');
}

/* The guest's command line; NULL without memory. The caller frees it. */
static char *command_line(char *const *argv)
{
	struct buf line = BUF_INIT;

	for (; *argv; argv++)
		put_word(&line, *argv);
	buf_put_u8(&line, 0);
	if (!line.failed)
		return (char *)line.data;
	buf_fini(&line);
	return NULL;
}

static void *collect(void *collector)
{
	collector_run(collector);
	return NULL;
}

struct reporter {
	const struct record_options *options;
	struct collector *collector;
	pthread_mutex_t lock;
	pthread_cond_t ended;
	bool done;
};

static void *report(void *cookie)
{
	struct reporter *reporter = cookie;
	struct record_progress progress;
	struct timespec next;

	clock_gettime(CLOCK_REALTIME, &next);
	pthread_mutex_lock(&reporter->lock);
	while (!reporter->done) {
		next.tv_nsec += PROGRESS_MS * 1000000;
		next.tv_sec += next.tv_nsec / 1000000000;
		next.tv_nsec %= 1000000000;
		pthread_cond_timedwait(&reporter->ended, &reporter->lock, &next);
		if (reporter->done)
			break;
		collector_progress(reporter->collector, &progress);
		reporter->options->progress(reporter->options->cookie, &progress);
	}
	pthread_mutex_unlock(&reporter->lock);
	return NULL;
}

/* Waits for the guest, with someone telling how far it is. */
static int wait_reporting(const struct record_options *options,
			  struct collector *collector, pid_t child)
{
	struct reporter reporter = {
		.options = options,
		.collector = collector,
		.lock = PTHREAD_MUTEX_INITIALIZER,
		.ended = PTHREAD_COND_INITIALIZER,
	};
	pthread_t thread;
	bool reporting = options->progress &&
			 !pthread_create(&thread, NULL, report, &reporter);
	int status = launch_wait(child);

	if (!reporting)
		return status;
	pthread_mutex_lock(&reporter.lock);
	reporter.done = true;
	pthread_cond_signal(&reporter.ended);
	pthread_mutex_unlock(&reporter.lock);
	pthread_join(thread, NULL);
	return status;
}

static struct collector *waiting; /* for processes that outlive the first one */

static void stop_waiting(int signal)
{
	(void)signal;
	collector_stop(waiting);
}

/* The first process has ended: when others run on, a signal ends the recording. */
static void join_others(struct collector *collector, pthread_t thread)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };
	struct sigaction stop = { .sa_handler = stop_waiting, .sa_flags = SA_RESTART };
	struct sigaction old[sizeof(signals) / sizeof(*signals)];

	waiting = collector;
	for (size_t i = 0; i < sizeof(signals) / sizeof(*signals); i++)
		sigaction(signals[i], &stop, &old[i]);
	pthread_join(thread, NULL);
	for (size_t i = 0; i < sizeof(signals) / sizeof(*signals); i++)
		sigaction(signals[i], &old[i], NULL);
}

/* Runs the guest under a collector. Frees the collector. */
static int run(const struct record_options *options, struct collector *collector,
	       const struct board *board, struct record_result *result,
	       struct wm_error *err)
{
	struct control *control;
	pthread_t thread;
	pid_t child;
	int ret = launch(options, board, collector_qemu_path(collector), &child, err);

	if (ret) {
		collector_finish(collector, NULL, NULL);
		return ret;
	}
	collector_follow(collector, (uint32_t)child);
	if (pthread_create(&thread, NULL, collect, collector)) {
		/* The guest would wait for room for ever; it must not. */
		collector_finish(collector, NULL, NULL);
		kill(child, SIGKILL);
		launch_wait(child);
		return wm_fail_nomem(err, "the collector's thread");
	}
	control = control_start(collector, options->output);
	result->status = wait_reporting(options, collector, child);
	collector_ended(collector, result->status);
	join_others(collector, thread);
	control_stop(control);
	return collector_finish(collector, result, err);
}

int record_run(const struct record_options *options, struct record_result *result,
	       struct wm_error *err)
{
	char *command = command_line(options->guest_argv);
	struct collector_facts facts = {
		.command = command,
		.qemu = options->qemu,
		.qemu_version = options->qemu_version,
		.pack_bytes = options->pack_bytes,
		.last = options->last,
		.last_text = options->last_text,
		.keep = options->keep,
		.steering = options->steering,
		.events = options->events,
	};
	struct collector *collector;
	struct memory memory;
	int ret = memory_create(&memory, err);

	*result = (struct record_result){ .status = -1 };
	if (ret)
		goto out;
	memory.board->follow = options->follow;
	memory.board->precise = options->precise;
	ret = collector_new(&collector, &memory, options->output, &facts, err);
	if (!ret)
		ret = run(options, collector, memory.board, result, err);
	memory_fini(&memory);
out:
	free(command);
	return ret;
}
