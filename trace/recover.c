// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Recovers a damaged file: to another file, or in place when only its end is lost.
 *
 * The old file is locked while it is read: the recorder holds an exclusive lock on a file
 * that it still writes, which must not be taken for that of a killed recorder.
 *
 * Invariant: the old file is changed only after all that is kept was checked, and a new
 * file gets its name only when it is complete. So an interrupted recovery can be
 * repeated.
 */
#include "trace/recover.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "trace/settle.h"

/* Opens the file, for writing as well when it is finished in place, and locks it. */
static int open_locked(const char *path, bool in_place, struct wm_error *err)
{
	int mode = in_place ? O_RDWR : O_RDONLY, fd;
	struct stat st;

	/* Opening a device for writing can have effects, so the type is checked first. */
	if (stat(path, &st) < 0)
		return wm_fail_errno(err, "cannot open %s", path);
	if (!S_ISREG(st.st_mode))
		return wm_fail(err, WM_E_IO, 0, "cannot read %s: not a regular file",
			       path);
	fd = open(path, mode | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0)
		return wm_fail_errno(err, "cannot open %s", path);
	/*
	 * Without locks on the file system, flock() fails in other ways: then it goes
	 * without. A flight recorder may have put another file in the place of this one.
	 */
	if ((flock(fd, (in_place ? LOCK_EX : LOCK_SH) | LOCK_NB) < 0 &&
	     errno == EWOULDBLOCK) ||
	    !trace_is_named(fd, path)) {
		close(fd);
		return wm_fail(err, WM_E_IO, 0,
			       "%s is still being written; wait until the recording has "
			       "ended",
			       path);
	}
	return fd;
}

/* Writes, seals and names the file, in this order. Frees the writer. */
static int write_all(struct salvage *salvage, struct writer *writer, bool resumed,
		     struct wm_error *err)
{
	int ret = salvage_write(salvage, writer, resumed, err);

	if (!ret)
		ret = writer_seal(writer, err);
	if (!ret)
		ret = writer_publish(writer, err);
	if (!ret)
		return writer_finish(writer, err);
	writer_abort(writer);
	return ret;
}

/*
 * The same, with signals blocked until the file is complete or gone, so that no part of
 * it is left.
 */
static int finish(struct salvage *salvage, struct writer *writer, bool resumed,
		  struct wm_error *err)
{
	sigset_t all, old;
	int ret;

	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &old);
	ret = write_all(salvage, writer, resumed, err);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	return ret;
}

static int write_new(struct salvage *salvage, int fd, const char *output,
		     struct wm_error *err)
{
	struct writer *writer;
	struct stat st, other;
	int ret;

	if (fstat(fd, &st) < 0)
		return wm_fail_write(err, output);
	if (!stat(output, &other) && other.st_dev == st.st_dev &&
	    other.st_ino == st.st_ino)
		return wm_fail(err, WM_E_OUTPUT, 0,
			       "%s is the damaged file itself; name another", output);
	ret = writer_open(&writer, output, err);
	if (ret)
		return ret;
	/* The new file must not be readable by more users than the old one. */
	writer_limit_mode(writer, st.st_mode);
	return finish(salvage, writer, false, err);
}

static int write_here(struct salvage *salvage, int fd, const char *path,
		      struct wm_error *err)
{
	struct writer *writer;
	int copy, ret;

	if (!salvage->prefix_bytes)
		return wm_fail(err, WM_E_IO, 0,
			       "%s is damaged before its end, and cannot be recovered in "
			       "place; recover it to another file",
			       path);
	/*
	 * The writer closes its descriptor; the caller keeps this one, and with it the
	 * lock.
	 */
	copy = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	if (copy < 0)
		return wm_fail_write(err, path);
	ret = writer_resume(&writer, copy, path, err);
	if (ret)
		return ret;
	return finish(salvage, writer, true, err);
}

static int recover(struct salvage *salvage, int fd, const char *path, const char *output,
		   struct wm_error *err)
{
	/* WM_END: there is nothing to recover. */
	if (salvage_is_whole(salvage))
		return WM_END;
	return output ? write_new(salvage, fd, output, err) :
			write_here(salvage, fd, path, err);
}

int trace_recover(struct salvage **salvage, const char *path, const char *output,
		  struct wm_error *err)
{
	int fd = open_locked(path, !output, err), copy, ret;

	*salvage = NULL;
	if (fd < 0)
		return fd;
	copy = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	ret = copy < 0 ? wm_fail_errno(err, "cannot read %s", path) :
			 salvage_open(salvage, copy, path, err);
	if (!ret)
		ret = recover(*salvage, fd, path, output, err);
	close(fd);
	return ret;
}
