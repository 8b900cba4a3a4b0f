// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A line for each event, to standard error or a file: seconds of the monotonic clock,
 * then the line of events/line.c. Each line is flushed at once: it is there when the
 * guest dies, and it is not torn apart by what the guest itself writes.
 */
#include "events/backend.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "events/line.h"

enum { NS = 1000000000 };

struct log {
	FILE *out;
	struct event_line line;
	int error; /* errno of the first failure, or 0 */
};

static int close_log(void *state, struct wm_error *err)
{
	/* The state is freed here, so the error is kept apart. */
	struct log *log = state;
	int error = log->error;

	if (log->out && log->out != stderr && fclose(log->out) && !error)
		error = errno;
	event_line_fini(&log->line);
	free(log);
	errno = error;
	return error ? wm_fail_errno(err, "cannot write the log of events") : 0;
}

static int open_log(void **state, const char *argument, struct wm_error *err)
{
	struct log *log = calloc(1, sizeof(*log));
	int ret;

	if (!log)
		return wm_fail_nomem(err, "a log of events");
	/* NULL without an argument: standard error, which is not closed. */
	ret = event_line_init(&log->line, err);
	log->out = argument ? fopen(argument, "we") : stderr;
	if (!ret && !log->out)
		ret = wm_fail_errno(err, "cannot write %s", argument);
	if (ret)
		close_log(log, NULL);
	else
		*state = log;
	return ret;
}

static void put(void *state, const struct event_info *info,
		const struct event_record *record, const struct kernel *kernel)
{
	struct log *log = state;
	const char *text = event_line_make(&log->line, info, record, kernel);

	/*
	 * After a failure nothing more is written: the rest would have holes, and close()
	 * reports the failure once.
	 */
	if (log->error)
		return;
	/* fprintf() may fail without setting errno. */
	errno = 0;
	fprintf(log->out, "%" PRIu64 ".%06" PRIu64 " %s\n", record->ns / NS,
		record->ns % NS / 1000, text);
	if (fflush(log->out))
		log->error = errno;
}

const struct backend backend_log = {
	.name = "log",
	.takes = "FILE",
	.open = open_log,
	.put = put,
	.close = close_log,
};
