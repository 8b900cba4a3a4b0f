// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Two processes: the caller's, which becomes QEMU, and a recorder beside it, which the
 * guest does not notice (base/background.c). The recorder opens the output before QEMU
 * starts: an output that cannot be written is reported before anything runs.
 *
 * A socket pair joins them until QEMU runs:
 *
 * 	recorder			caller
 * 	  struct report  ------------>	  err.code 0: the guest may run
 * 	  end of file	 <------------	  execve() closed it: QEMU runs
 * 	  or one byte	 <------------	  execve() failed: the recorder removes its file
 */
#include "collect/record.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/background.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/shell.h"
#include "collect/collector.h"
#include "collect/memory.h"
#include "collect/serve.h"

/* What the recorder tells the caller once. */
struct report {
	struct wm_error err;	   /* code 0: the guest may run */
	char board[64];		   /* where the plugin finds the memory */
	char qemu_trace[PATH_MAX]; /* where QEMU is to write its own trace; or empty */
};

/* ---- the command line, for the trace ------------------------------------- */

/* NULL for a line without words, and without memory. The caller frees it. */
static char *line_end(struct buf *line)
{
	bool empty = !line->len;

	buf_put_u8(line, 0);
	if (!line->failed && !empty)
		return (char *)line->data;
	buf_fini(line);
	return NULL;
}

static char *command_line(char *const *argv)
{
	struct buf line = BUF_INIT;

	for (; argv && *argv; argv++)
		shell_put_word(&line, *argv);
	return line_end(&line);
}

/* QEMU heeds variables of its own, which all begin alike: QEMU_CPU, QEMU_LD_PREFIX. */
static char *environment_line(void)
{
	struct buf line = BUF_INIT;

	for (char *const *variable = environ; *variable; variable++)
		if (!strncmp(*variable, "QEMU_", 5))
			shell_put_word(&line, *variable);
	return line_end(&line);
}

/* ---- the pipe ------------------------------------------------------------ */

static bool send_whole(int fd, const struct report *report)
{
	return send(fd, report, sizeof(*report), MSG_NOSIGNAL) == sizeof(*report);
}

static ssize_t receive(int fd, void *to, size_t bytes)
{
	ssize_t n;

	do
		n = recv(fd, to, bytes, MSG_WAITALL);
	while (n < 0 && errno == EINTR);
	return n;
}

/* ---- the recorder's process ---------------------------------------------- */

struct recorder {
	const struct record_options *options;
	struct collector *collector;
	struct memory memory;
	int starter; /* the socket */
	bool started;
};

/* The guest may run: waits until QEMU is executed. */
static void let_start(void *cookie)
{
	struct recorder *recorder = cookie;
	const char *qemu_trace = collector_qemu_path(recorder->collector);
	struct report report = { .err = { 0 } };
	char failed;

	snprintf(report.board, sizeof(report.board), "%s", recorder->memory.board->path);
	snprintf(report.qemu_trace, sizeof(report.qemu_trace), "%s",
		 qemu_trace ? qemu_trace : "");
	/*
	 * receive() returns 0 at end of file: the caller's descriptor has CLOEXEC, so a
	 * successful execve() closes it.
	 */
	recorder->started = send_whole(recorder->starter, &report) &&
			    receive(recorder->starter, &failed, 1) == 0;
	if (!recorder->started)
		collector_stop(recorder->collector);
	else
		close(recorder->starter);
}

static int open_collector(struct recorder *recorder, struct wm_error *err)
{
	const struct record_options *options = recorder->options;
	char *command = command_line(options->guest_argv);
	char *qemu_args = command_line(options->qemu_args);
	char *qemu_environment = environment_line();
	struct collector_facts facts = {
		.command = command,
		.qemu_args = qemu_args,
		.qemu_environment = qemu_environment,
		.qemu = options->qemu,
		.qemu_version = options->qemu_version,
		.pack_bytes = options->pack_bytes,
		.no_pack = options->no_pack,
		.code_in_files = options->code_in_files,
		.memory_bytes = options->memory_bytes,
		.last = options->last,
		.last_text = options->last_text,
		.keep = options->keep,
		.steering = options->steering,
		.events = options->events,
		.judges = options->judges ? JUDGES_END : JUDGES_START,
		.machine = options->machine,
		.kernels = options->kernels,
		.files = options->files,
		.layout = options->layout,
		.unfollowed = options->unfollowed,
		.wait_all = options->wait_all,
		.waiting = options->reports.waiting,
		.cookie = options->reports.cookie,
	};
	int ret = memory_create(&recorder->memory, err);

	if (!ret) {
		recorder->memory.board->follow = options->follow;
		recorder->memory.board->precise = options->precise;
		recorder->memory.board->values = options->values;
		/* Its size was checked when it was made. */
		if (options->lends)
			strcpy(recorder->memory.board->lends, options->lends);
		recorder->memory.board->outlet = outlet_of(STDERR_FILENO);
		ret = collector_new(&recorder->collector, &recorder->memory,
				    options->output, &facts, err);
	}
	free(command);
	free(qemu_args);
	free(qemu_environment);
	return ret;
}

static void report_progress(void *cookie, const struct record_progress *now)
{
	const struct recorder *recorder = cookie;

	recorder->options->reports.progress(recorder->options->reports.cookie, now);
}

/* Of a guest that never started there is nothing to report. */
static int report_end(void *cookie, const struct record_result *result,
		      const struct wm_error *failed)
{
	const struct recorder *recorder = cookie;
	const struct record_reports *reports = &recorder->options->reports;

	return recorder->started ? reports->end(reports->cookie, result, failed) : -1;
}

__attribute__((noreturn)) static void run_recorder(const struct record_options *options,
						   pid_t guest, int starter)
{
	struct recorder recorder = { .options = options, .starter = starter };
	struct record_reports reports = options->reports;
	struct report report = { .err = { 0 } };
	int ret = open_collector(&recorder, &report.err);

	reports.end = report_end;
	reports.progress = reports.progress ? report_progress : NULL;
	reports.cookie = &recorder;
	if (!ret)
		ret = serve(recorder.collector, &recorder.memory, guest, options->output,
			    &reports, let_start, &recorder, &report.err);
	/* The caller still waits for a report: it gets the error. */
	if (ret && !recorder.started)
		send_whole(starter, &report);
	/*
	 * _exit(): the process is a copy of the caller, whose buffered output and
	 * atexit() handlers are not ours to run.
	 */
	_exit(ret != 0);
}

/* ---- the caller's process ------------------------------------------------ */

/* Becomes QEMU; on failure the recorder is gone, and what it made. */
static int become(const struct record_options *options, int recorder,
		  struct wm_error *err)
{
	struct report report;
	char rest;
	int ret;

	/* MSG_WAITALL: anything shorter means that the recorder has died. */
	if (receive(recorder, &report, sizeof(report)) != sizeof(report))
		return wm_fail(err, WM_E_IO, 0, "the recorder's process did not start");
	if (report.err.code) {
		*err = report.err;
		return err->code;
	}
	ret = launch(options, report.board, *report.qemu_trace ? report.qemu_trace : NULL,
		     err);
	/*
	 * launch() returns only on failure. The caller waits until the recorder has
	 * removed its file.
	 */
	if (send(recorder, "", 1, MSG_NOSIGNAL) == 1)
		receive(recorder, &rest, 1); /* its end */
	return ret;
}

/* Moves a descriptor above those of the standard streams, which may be closed. */
static bool move_up(int *fd)
{
	int moved = fcntl(*fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);

	close(*fd);
	*fd = moved;
	return moved < 0;
}

/* The caller's process id stays the guest's: it is this process that becomes QEMU. */
int record_run(const struct record_options *options, struct wm_error *err)
{
	pid_t guest = getpid();
	int ends[2], forked, ret = 0;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) < 0 ||
	    move_up(&ends[0]) || move_up(&ends[1]))
		return wm_fail_errno(err, "cannot start the recorder's process");
	forked = background_fork();
	if (!forked) {
		close(ends[0]);
		run_recorder(options, guest, ends[1]);
	}
	if (forked < 0)
		ret = wm_fail_errno(err, "cannot start the recorder's process");
	close(ends[1]);
	if (forked > 0)
		ret = become(options, ends[0], err);
	close(ends[0]);
	return ret;
}
