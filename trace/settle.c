// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Waits for a trace that is still being recorded.
 *
 * QEMU closes its log when the guest ends, but the collector still has ids to encode
 * then. So whoever read the log waits here: for the file to appear, and for its lock. The
 * lock is polled: a blocking wait would never end if a recorder hung. A lock alone does
 * not say how the recording ended; the reader of the file finds out.
 */
#include "trace/settle.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"

enum { TRIES_A_SECOND = 50 };

static void pause_a_little(void)
{
	nanosleep(&(struct timespec){ .tv_nsec = 1000000000 / TRIES_A_SECOND }, NULL);
}

bool trace_is_named(int fd, const char *path)
{
	struct stat mine, named;

	return fstat(fd, &mine) == 0 && stat(path, &named) == 0 &&
	       mine.st_dev == named.st_dev && mine.st_ino == named.st_ino;
}

/* 0: settled; WM_END: not yet. */
static int try_lock(const char *path, struct wm_error *err)
{
	/* O_NONBLOCK: opening a FIFO must not wait; the reader refuses it later. */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	int ret = 0;

	if (fd < 0)
		return errno == ENOENT ? WM_END :
					 wm_fail_errno(err, "cannot open %s", path);
	if (flock(fd, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK)
		ret = WM_END;
	/* Another file has taken the name between open() and flock(). */
	else if (!trace_is_named(fd, path))
		ret = WM_END;
	close(fd);
	return ret;
}

int trace_settle(const char *path, unsigned seconds, struct wm_error *err)
{
	int ret = try_lock(path, err);

	for (unsigned tries = seconds * TRIES_A_SECOND; ret == WM_END && tries > 0;
	     tries--) {
		pause_a_little();
		ret = try_lock(path, err);
	}
	if (ret == WM_END)
		return wm_fail(err, WM_E_IO, 0, "%s is missing or still being written",
			       path);
	return ret;
}
