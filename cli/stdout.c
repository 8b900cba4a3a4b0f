// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Standard output through one function, stdout_write(), so that every failure is noticed.
 * The first one is kept until the process exits and is reported there: a command can end
 * in many ways (argp calls exit() after --help), and streams may still hold output when
 * the command returns. Everything after a failure is dropped.
 *
 * The stream `stdout` itself is replaced by one that removes control characters on the
 * way (cli/plain.c): a name in a trace may contain terminal commands, and no command
 * can forget to clean one.
 */
#include "cli/stdout.h"

#include "cli/command.h"
#include "cli/fail.h"
#include "cli/fresh_file.h"
#include "cli/pager.h"
#include "cli/plain.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LONG_BYTES = 1 << 16, PIPE_BYTES = 1 << 20 };

static bool mute;
static bool is_relayed;	   /* its terminal is a launcher's, which passes all bytes on */
static const char *binary; /* the format of what comes; NULL: it is text */
static int failure;	   /* errno of the first write that failed; 0: none */
/* What stands for standard output; `path` is NULL without -o. */
static struct fresh_file result;

bool stdout_is_mute(void)
{
	return mute;
}

void stdout_is_binary(const char *format)
{
	binary = format;
}

void stdout_is_relayed(void)
{
	is_relayed = true;
}

bool stdout_is_terminal(void)
{
	return !mute && !is_relayed && isatty(STDOUT_FILENO);
}

void stdout_refuse_terminal(void)
{
	if (binary && stdout_is_terminal())
		exit(fail("%s is binary, and standard output is a terminal: name a file "
			  "with -o, or pipe it into a program",
			  binary));
}

/*
 * A pipe holds 64 KiB, so a long listing waits for its reader after each of these: with more it is
 * twice as fast. A pipe that holds more already, and one that may not, stays as it is. So does a
 * pager's: how much it holds tells whether the pager reads (pager.c).
 */
static void widen_pipe(void)
{
	int room = fcntl(STDOUT_FILENO, F_GETPIPE_SZ);

	if (room >= 0 && room < PIPE_BYTES)
		(void)fcntl(STDOUT_FILENO, F_SETPIPE_SZ, PIPE_BYTES);
}

bool stdout_write(const char *text, size_t bytes)
{
	static bool is_long;

	if (mute)
		return true;
	pager_keep(text, bytes);
	if (bytes >= LONG_BYTES && !is_long && !pager_runs()) {
		is_long = true;
		widen_pipe();
	}
	while (bytes && !failure) {
		ssize_t done = write(STDOUT_FILENO, text, bytes);
		int error = done < 0 ? errno : 0;

		/*
		 * pager_broken() has printed everything, including this text, on the
		 * terminal itself.
		 */
		if (error == EPIPE && pager_broken())
			return !failure;
		if (error != EINTR)
			failure = error;
		if (done > 0) {
			text += done;
			bytes -= (size_t)done;
		}
	}
	return !failure;
}

int stdout_forgive(void)
{
	int forgiven = failure;

	clearerr(stdout);
	failure = 0;
	return forgiven;
}

/* The write function of a stdio stream; 0 reports a failure. */
static ssize_t write_raw(void *cookie, const char *data, size_t bytes)
{
	(void)cookie;
	return stdout_write(data, bytes) ? (ssize_t)bytes : 0;
}

/* Nothing is left of a result that is not complete. */
static void drop_result(void)
{
	if (!result.path)
		return;
	fresh_file_drop(&result);
	result.path = NULL;
}

/* Whoever is not mute may write a file of the same name: this one's must not replace it. */
void stdout_mute(void)
{
	mute = true;
	drop_result();
}

const char *stdout_name(void)
{
	return result.path ? result.path : "standard output";
}

/*
 * exit() ignores what its handlers return, so the status is set by _exit(). Handlers run
 * in reverse order of registration: stdout_init() registers this one first.
 */
static void report_failure(void)
{
	const char *what = stdout_name();

	fflush(stdout);
	drop_result();
	if (!failure || failure == EPIPE)
		return;
	_exit(fail("cannot write %s: %s", what, strerror(failure)));
}

void stdout_to_file_or_end(const char *path)
{
	struct wm_error err;

	if (fresh_file_open(&result, path, &err)) {
		result.path = NULL;
		exit(fail("%s", err.text));
	}
	fflush(stdout);
	dup2(fileno(result.out), STDOUT_FILENO);
}

int stdout_settle(int status)
{
	struct wm_error err;

	fflush(stdout);
	/* report_failure() drops it, and has the reason. */
	if (!result.path || failure || status == EXIT_ERROR)
		return status;
	status = fresh_file_keep(&result, &err) ? fail("%s", err.text) : status;
	result.path = NULL;
	return status;
}

void stdout_init(void)
{
	static struct plain cookie;
	FILE *plain = plain_open(&cookie, stdout_write);

	atexit(report_failure);
	if (!plain)
		return; /* stdio's own stdout remains */
	if (isatty(STDOUT_FILENO))
		setvbuf(plain, NULL, _IOLBF, 0);
	stdout = plain;
}

FILE *stdout_open_raw(void)
{
	static const cookie_io_functions_t functions = { .write = write_raw };

	return fopencookie(NULL, "w", functions);
}
