/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The lines of a log that may be larger than memory, or a pipe. */
#ifndef TRACE_LOGLINES_H
#define TRACE_LOGLINES_H

#include "waymark.h"

enum { LOGLINES_LONGEST = 1 << 20 };

/*
 * The function for each line: it returns 0, or an error, which ends the reading. `end` is
 * the newline, which is not part of the line.
 */
struct loglines {
	int (*take)(void *cookie, const char *line, const char *end, uint64_t offset);
	void *cookie;
};

/*
 * Reads `fd`, which remains the caller's, to its end. A last line without a newline was
 * cut off and does not count. WM_E_IO, WM_E_NOMEM, WM_E_FORMAT for a line that is too
 * long.
 */
int loglines_read(const struct loglines *lines, int fd, struct wm_error *err);

#endif
