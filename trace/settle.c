// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Waits for a trace that is still being recorded.
 *
 * QEMU closes its log when the guest ends, but the collector still has ids to encode
 * then. So whoever read the log waits here: for the file to appear, and for its lock. The
 * lock is polled: a blocking wait would never end if a recorder hung. A lock alone does
 * not say how the recording ended; the reader of the file finds out.
 *
 * Until the collector has something to write, an earlier file may have the name, and nobody
 * writes to that one. Then the new file is beside it, locked, under a temporary name
 * (format/writer-name.c). It is looked for first: when there is none, a recording that had
 * begun has the name already.
 */
#include "trace/settle.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"

enum { TRIES_A_SECOND = 50, TEMPORARY_LETTERS = 6 };

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

/* Whether somebody writes to a file of a folder. */
static bool is_locked(int folder, const char *name)
{
	int fd = openat(folder, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	bool locked = fd >= 0 && flock(fd, LOCK_SH | LOCK_NB) != 0 &&
		      errno == EWOULDBLOCK;

	if (fd >= 0)
		close(fd);
	return locked;
}

/* Whether a file is being written that will take the name: "run.wmk.a8Xk2P". */
static bool is_about_to_be_named(const char *path)
{
	const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
	size_t length = strlen(base);
	const struct dirent *entry;
	char folder[PATH_MAX];
	bool found = false;
	DIR *dir;

	snprintf(folder, sizeof(folder), "%.*s", slash ? (int)(slash - path + 1) : 1,
		 slash ? path : ".");
	dir = opendir(folder);
	while (dir && !found && (entry = readdir(dir)))
		found = strlen(entry->d_name) == length + 1 + TEMPORARY_LETTERS &&
			!strncmp(entry->d_name, base, length) &&
			entry->d_name[length] == '.' &&
			is_locked(dirfd(dir), entry->d_name);
	if (dir)
		closedir(dir);
	return found;
}

/* 0: settled; WM_END: not yet. */
static int try_lock(const char *path, struct wm_error *err)
{
	/* O_NONBLOCK: opening a FIFO must not wait; the reader refuses it later. */
	int fd, ret = 0;

	if (is_about_to_be_named(path))
		return WM_END;
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
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
