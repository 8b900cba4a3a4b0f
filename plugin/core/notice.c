// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * No other file of the plugin writes to a descriptor that the guest may know. Descriptor
 * 2 is duplicated first, and the copy is compared with where stderr led at the launch:
 * another thread of the guest may replace descriptor 2 between a look and a write, but
 * not the copy.
 */
#include "plugin/core/notice.h"

#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define LINE_BYTES 512

static bool given;
static bool guest_runs;
static struct outlet user; /* a copy: the guest may write to the board */

void notice_guest(const struct outlet *launch)
{
	guest_runs = true;
	user = *launch;
}

void notice_nobody(void)
{
	notice_guest(&(struct outlet){ .type = 0 });
}

bool notice_was_given(void)
{
	return given;
}

void notice(const char *format, ...)
{
	char line[LINE_BYTES] = "waymark: ";
	size_t used = strlen(line);
	va_list arguments;
	/* CLOEXEC: the guest may execve() in another thread before the close below. */
	int fd = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);

	if (fd < 0)
		return;
	va_start(arguments, format);
	vsnprintf(line + used, sizeof(line) - used - 1, format, arguments);
	va_end(arguments);
	/*
	 * vsnprintf() leaves a byte for this newline. One write() keeps the line whole
	 * among the guest's own output.
	 */
	used = strlen(line);
	line[used++] = '\n';
	if (!guest_runs || outlet_is(&user, fd))
		(void)!write(fd, line, used);
	close(fd);
	given = true;
}
