// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * To the system's log, syslog(3), as facility user and priority info. No failure is
 * reported: syslog() itself returns none, and whether anybody listens is the system's
 * affair.
 */
#include "events/backend.h"

#include <stdlib.h>
#include <syslog.h>

#include "events/line.h"

static int close_syslog(void *state, struct wm_error *err)
{
	struct event_line *line = state;

	(void)err;
	closelog();
	event_line_fini(line);
	free(line);
	return 0;
}

static int open_syslog(void **state, const char *argument, struct wm_error *err)
{
	struct event_line *line = calloc(1, sizeof(*line));

	(void)argument;
	if (!line || event_line_init(line, err)) {
		free(line);
		return wm_fail_nomem(err, "the system's log");
	}
	openlog("waymark", LOG_PID, LOG_USER);
	*state = line;
	return 0;
}

static void put(void *state, const struct event_info *info,
		const struct event_record *record, const struct kernel *kernel)
{
	syslog(LOG_INFO, "%s", event_line_make(state, info, record, kernel));
}

const struct backend backend_syslog = {
	.name = "syslog",
	.open = open_syslog,
	.put = put,
	.close = close_syslog,
};
