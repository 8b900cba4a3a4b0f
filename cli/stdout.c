// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The first failure is kept until the process exits, and reported there: a command can end
 * in many ways (argp exits by itself after --help), and its streams may still hold output
 * when it returns. What comes after a failure is dropped.
 */
#include "cli/stdout.h"

#include "cli/command.h"
#include "cli/fail.h"
#include "cli/pager.h"
#include "out/text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int failure; /* errno of the first write that failed; 0: none */

bool stdout_write(const char *text, size_t bytes)
{
	pager_keep(text, bytes);
	while (bytes && !failure) {
		ssize_t done = write(STDOUT_FILENO, text, bytes);
		int error = done < 0 ? errno : 0;

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

/* What stdio calls to write; 0 tells it of failure. */
static ssize_t write_raw(void *cookie, const char *data, size_t bytes)
{
	(void)cookie;
	return stdout_write(data, bytes) ? (ssize_t)bytes : 0;
}

/* The same without control characters. *last is the byte written before. */
static ssize_t write_plain(void *last, const char *data, size_t bytes)
{
	char text[BUFSIZ + 1];

	for (size_t done = 0, n; done < bytes; done += n) {
		n = bytes - done < BUFSIZ ? bytes - done : BUFSIZ;
		text[0] = *(char *)last; /* a character may be in two pieces */
		memcpy(text + 1, data + done, n);
		text_make_plain(text, n + 1);
		if (!stdout_write(text + 1, n))
			return 0;
		*(char *)last = text[n];
	}
	return (ssize_t)bytes;
}

/* Exit handlers cannot change the status; _exit() can, so this one has to be the last. */
static void report_failure(void)
{
	fflush(stdout);
	if (!failure || failure == EPIPE)
		return;
	_exit(fail("cannot write standard output: %s", strerror(failure)));
}

void stdout_init(void)
{
	static const cookie_io_functions_t functions = { .write = write_plain };
	static char last;
	FILE *plain = fopencookie(&last, "w", functions);

	atexit(report_failure);
	if (!plain)
		return; /* as it was, then */
	if (isatty(STDOUT_FILENO))
		setvbuf(plain, NULL, _IOLBF, 0);
	stdout = plain;
}

FILE *stdout_open_raw(void)
{
	static const cookie_io_functions_t functions = { .write = write_raw };

	return fopencookie(NULL, "w", functions);
}
