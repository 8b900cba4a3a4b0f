// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Reads a log in blocks of one buffer and passes on whole lines. The end of a buffer
 * nearly always cuts a line: its beginning moves to the front, and the next read appends
 * the rest.
 *
 * Invariant: buffer[0..have) holds bytes that were not passed on yet, from `offset` of
 * the log on. A line longer than the buffer is an error, because no log has one. Example:
 * "ab\ncd" is read; "ab" is passed on with offset 0, and "cd" moves to the front, at
 * offset 3.
 */
#include "trace/loglines.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"

static ssize_t read_some(int fd, char *to, size_t room)
{
	ssize_t n;

	do
		n = read(fd, to, room);
	while (n < 0 && errno == EINTR);
	return n;
}

/*
 * Passes on all whole lines of buffer[bytes], which is at `offset`; *used is their
 * length.
 */
static int take_whole(const struct loglines *lines, const char *buffer, size_t bytes,
		      uint64_t offset, size_t *used)
{
	const char *line = buffer, *end = buffer + bytes, *stop;
	int ret = 0;

	while (!ret && line < end && (stop = memchr(line, '\n', (size_t)(end - line)))) {
		ret = lines->take(lines->cookie, line, stop,
				  offset + (uint64_t)(line - buffer));
		line = stop + 1;
	}
	*used = (size_t)(line - buffer);
	return ret;
}

static int read_all(const struct loglines *lines, int fd, char *buffer,
		    struct wm_error *err)
{
	size_t have = 0, used;
	uint64_t offset = 0;

	for (;;) {
		ssize_t n = read_some(fd, buffer + have, LOGLINES_LONGEST - have);
		int ret;

		if (n < 0)
			return wm_fail_errno(err, "cannot read the log");
		/* What is left has no newline: a line that was cut off does not count. */
		if (n == 0)
			return 0;
		have += (size_t)n;
		ret = take_whole(lines, buffer, have, offset, &used);
		if (ret)
			return ret;
		if (used == 0 && have == LOGLINES_LONGEST)
			return wm_fail(err, WM_E_FORMAT, offset,
				       "a line of more than a megabyte: not such a log");
		have -= used;
		memmove(buffer, buffer + used, have);
		offset += used;
	}
}

int loglines_read(const struct loglines *lines, int fd, struct wm_error *err)
{
	char *buffer = malloc(LOGLINES_LONGEST);
	int ret;

	if (!buffer)
		return wm_fail_nomem(err, "reading a log");
	/*
	 * A large pipe saves context switches on both sides. A refusal does not matter.
	 */
	(void)fcntl(fd, F_SETPIPE_SZ, LOGLINES_LONGEST);
	ret = read_all(lines, fd, buffer, err);
	free(buffer);
	return ret;
}
