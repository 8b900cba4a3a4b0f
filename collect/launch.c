// SPDX-License-Identifier: GPL-2.0-or-later
#include "collect/launch.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/error.h"

static volatile sig_atomic_t guest_pid;

static const int ignored[] = { SIGINT, SIGQUIT, SIGXFSZ };
static const int passed_on[] = { SIGTERM, SIGHUP, SIGUSR1, SIGUSR2 };
#define COUNT(array) (sizeof(array) / sizeof(*(array)))

static struct sigaction old_ignored[COUNT(ignored)], old_passed_on[COUNT(passed_on)];

static void pass_on(int signal)
{
	int saved = errno;

	if (guest_pid > 0)
		kill((pid_t)guest_pid, signal);
	errno = saved;
}

static void take_signals(void)
{
	struct sigaction ignore = { .sa_handler = SIG_IGN };
	struct sigaction pass = { .sa_handler = pass_on, .sa_flags = SA_RESTART };

	for (size_t i = 0; i < COUNT(ignored); i++)
		sigaction(ignored[i], &ignore, &old_ignored[i]);
	for (size_t i = 0; i < COUNT(passed_on); i++) {
		sigaction(passed_on[i], NULL, &old_passed_on[i]);
		if (old_passed_on[i].sa_handler != SIG_IGN)
			sigaction(passed_on[i], &pass, NULL);
	}
}

static void give_back_signals(void)
{
	for (size_t i = 0; i < COUNT(ignored); i++)
		sigaction(ignored[i], &old_ignored[i], NULL);
	for (size_t i = 0; i < COUNT(passed_on); i++)
		sigaction(passed_on[i], &old_passed_on[i], NULL);
}

/* -plugin's value: commas separate its parts, and are doubled inside one. */
static char *plugin_value(const char *plugin, const struct board *board)
{
	char *value = malloc(2 * strlen(plugin) + sizeof(board->path) + 32), *to = value;

	if (!value)
		return NULL;
	for (; *plugin; plugin++) {
		*to++ = *plugin;
		if (*plugin == ',')
			*to++ = ',';
	}
	sprintf(to, ",arena=%s", board->path);
	return value;
}

static size_t length(char *const *list)
{
	size_t n = 0;

	while (list && list[n])
		n++;
	return n;
}

/* -d's value: its own events, by patterns; NULL without memory. */
static char *trace_value(const struct event_options *events)
{
	struct buf value = BUF_INIT;

	for (unsigned i = 0; i < events->n_qemu_trace; i++) {
		buf_put(&value, i ? ",trace:" : "trace:", i ? 7 : 6);
		buf_put(&value, events->qemu_trace[i], strlen(events->qemu_trace[i]));
	}
	buf_put_u8(&value, 0);
	if (!value.failed)
		return (char *)value.data;
	buf_fini(&value);
	return NULL;
}

/* QEMU's argument vector: its options, the plugin, the guest's. */
static char **arguments(const struct record_options *options, char *value, char *trace,
			const char *trace_path)
{
	size_t qemu_args = length(options->qemu_args),
	       guest = length(options->guest_argv);
	char **argv = calloc(qemu_args + guest + 8, sizeof(*argv)), **at = argv;

	if (!argv)
		return NULL;
	*at++ = (char *)options->qemu;
	for (size_t i = 0; i < qemu_args; i++)
		*at++ = options->qemu_args[i];
	if (trace) {
		*at++ = (char *)"-d";
		*at++ = trace;
		*at++ = (char *)"-D";
		*at++ = (char *)trace_path;
	}
	*at++ = (char *)"-plugin";
	*at++ = value;
	for (size_t i = 0; i < guest; i++)
		*at++ = options->guest_argv[i];
	return argv;
}

/* In the child: becomes QEMU, or tells through the pipe why it cannot. */
static void become(const char *qemu, char **argv, int report)
{
	give_back_signals();
	execv(qemu, argv);
	(void)!write(report, &errno, sizeof(errno));
	_exit(127);
}

static int start(const char *qemu, char **argv, pid_t *child, struct wm_error *err)
{
	int report[2], failed = 0;
	ssize_t n;

	if (pipe2(report, O_CLOEXEC) < 0)
		return wm_fail_errno(err, "cannot start %s", qemu);
	take_signals();
	*child = fork();
	if (!*child)
		become(qemu, argv, report[1]);
	guest_pid = *child;
	close(report[1]);
	if (*child < 0)
		failed = errno;
	do
		n = *child < 0 ? 0 : read(report[0], &failed, sizeof(failed));
	while (n < 0 && errno == EINTR);
	close(report[0]);
	if (!failed)
		return 0;
	if (*child > 0)
		waitpid(*child, NULL, 0);
	guest_pid = 0;
	give_back_signals();
	errno = failed;
	return wm_fail_errno(err, "cannot start %s", qemu);
}

int launch(const struct record_options *options, const struct board *board,
	   const char *trace_path, pid_t *child, struct wm_error *err)
{
	char *value = plugin_value(options->plugin, board);
	char *trace = trace_path ? trace_value(options->events) : NULL;
	char **argv = NULL;
	int ret;

	if (value && (trace || !trace_path))
		argv = arguments(options, value, trace, trace_path);
	if (argv)
		ret = start(options->qemu, argv, child, err);
	else
		ret = wm_fail_nomem(err, "starting QEMU");
	free(argv);
	free(trace);
	free(value);
	return ret;
}

int launch_wait(pid_t child)
{
	int status = -1;

	while (waitpid(child, &status, 0) < 0) {
		if (errno == EINTR)
			continue;
		status = -1;
		break;
	}
	guest_pid = 0;
	give_back_signals();
	return status;
}
