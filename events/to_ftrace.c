// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Into the kernel's own trace, by writing to trace_marker
 * (Documentation/trace/ftrace.rst). Each write becomes an entry with the time of the
 * write, which is some milliseconds after the event: so the event's own time is in its
 * text, too.
 */
#include "events/backend.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

#include "events/line.h"

enum { NS = 1000000000 };

struct ftrace {
	int fd;
	struct event_line line;
	uint64_t dropped; /* lines the kernel did not take */
};

static int close_ftrace(void *state, struct wm_error *err)
{
	struct ftrace *ftrace = state;
	uint64_t dropped = ftrace->dropped;

	if (ftrace->fd >= 0)
		close(ftrace->fd);
	event_line_fini(&ftrace->line);
	free(ftrace);
	/* A full buffer or a line that is too long: reported once, with the number. */
	return dropped ? wm_fail(err, WM_E_IO, 0,
				 "the kernel's trace did not take %" PRIu64 " events",
				 dropped) :
			 0;
}

/* Where tracefs is mounted: there, or on older systems below debugfs. */
static int open_marker(const char *path, struct wm_error *err)
{
	static const char *const places[] = { "/sys/kernel/tracing/trace_marker",
					      "/sys/kernel/debug/tracing/trace_marker" };
	int fd = -1;

	if (path) {
		fd = open(path, O_WRONLY | O_CLOEXEC);
		if (fd < 0)
			wm_fail_errno(err, "cannot write %s", path);
		return fd;
	}
	/* The first that can be opened; errno is that of the last one. */
	for (size_t i = 0; fd < 0 && i < sizeof(places) / sizeof(*places); i++)
		fd = open(places[i], O_WRONLY | O_CLOEXEC);
	if (fd < 0 && errno == EACCES)
		/*
		 * The kernel's files are the superuser's by default, so this is the usual
		 * failure.
		 */
		wm_fail(err, WM_E_IO, 0,
			"ftrace needs access to %s, which is root's mostly", places[0]);
	else if (fd < 0)
		wm_fail(err, WM_E_IO, 0,
			"ftrace needs tracefs, and there is no %s: mount -t tracefs "
			"tracefs /sys/kernel/tracing",
			places[0]);
	return fd;
}

static int open_ftrace(void **state, const char *argument, struct wm_error *err)
{
	struct ftrace *ftrace = calloc(1, sizeof(*ftrace));
	int ret;

	if (!ftrace)
		return wm_fail_nomem(err, "ftrace");
	/* -1 is no descriptor: close_ftrace() must not close descriptor 0. */
	ftrace->fd = -1;
	ret = event_line_init(&ftrace->line, err);
	if (!ret)
		ftrace->fd = open_marker(argument, err);
	if (!ret && ftrace->fd < 0)
		ret = WM_E_IO;
	if (ret)
		close_ftrace(ftrace, NULL);
	else
		*state = ftrace;
	return ret;
}

static void put(void *state, const struct event_info *info,
		const struct event_record *record, const struct kernel *kernel)
{
	struct ftrace *ftrace = state;
	const char *text = event_line_make(&ftrace->line, info, record, kernel);

	/* One write for each event: the kernel makes one entry of each write. */
	if (dprintf(ftrace->fd, "waymark %" PRIu64 ".%06" PRIu64 " %s\n", record->ns / NS,
		    record->ns % NS / 1000, text) < 0)
		ftrace->dropped++;
}

const struct backend backend_ftrace = {
	.name = "ftrace",
	.takes = "FILE",
	.open = open_ftrace,
	.put = put,
	.close = close_ftrace,
};
