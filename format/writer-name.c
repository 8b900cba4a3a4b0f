// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The names of a file that is being written.
 *
 * It has a temporary name next to its final one until writer_publish(), so that a recording
 * that does not start leaves nothing, and an earlier file of the name stays until then. Both
 * names are in one folder, so taking the name is a rename within a file system: another
 * process sees the earlier file or the new one, and never half of one.
 *
 * Example: "run.wmk" is written as "run.wmk.a8Xk2P", readable by its owner only. With
 * writer_keep_old() the earlier file becomes "run.wmk.old".
 */
#include "format/writer-data.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* The temporary name of the file that was opened last; NULL: it has its own by now, or is gone. */
static char *_Atomic unpublished;

void writer_remove_unpublished(void)
{
	char *name = unpublished;

	if (name)
		unlink(name);
}

void writer_forget_temporary(struct writer *writer)
{
	char *name = writer->temporary;

	/* Before it is freed: a signal may come at any time. */
	atomic_compare_exchange_strong(&unpublished, &name, NULL);
	free(writer->temporary);
	writer->temporary = NULL;
}

/* Replacing a device or a directory by a file is never intended. */
static bool is_replaceable(const char *path)
{
	struct stat there;

	return stat(path, &there) || S_ISREG(there.st_mode);
}

int writer_create(struct writer *writer, struct wm_error *err)
{
	char *name;
	int ret = 0;

	/* For a result "-" is standard output. A trace needs a file, which could be "./-". */
	if (!strcmp(writer->path, "-"))
		return wm_fail(err, WM_E_OUTPUT, 0,
			       "a trace cannot go to standard output: name a file");
	if (!is_replaceable(writer->path))
		return wm_fail(err, WM_E_OUTPUT, 0, "cannot write %s: not a regular file",
			       writer->path);
	if (asprintf(&name, "%s.XXXXXX", writer->path) < 0)
		return wm_fail_nomem(err, "the trace writer");
	writer->fd = mkostemp(name, O_CLOEXEC); /* rw------- */
	if (writer->fd >= 0) {
		writer->temporary = name;
		unpublished = name;
	}
	if (writer->fd < 0 || flock(writer->fd, LOCK_EX) < 0)
		ret = wm_fail_write(err, writer->path);
	if (writer->fd < 0)
		free(name);
	return ret;
}

void writer_limit_mode(struct writer *writer, mode_t most)
{
	writer->mode &= most;
}

/* The name that an earlier file gets; the caller frees it. NULL: no memory. */
static char *old_name(const struct writer *writer)
{
	char *old;

	return asprintf(&old, "%s.old", writer->path) < 0 ? NULL : old;
}

int writer_keep_old(struct writer *writer, struct wm_error *err)
{
	char *old = old_name(writer);
	int ret = 0;

	if (!old)
		return wm_fail_nomem(err, "the trace writer");
	if (!access(writer->path, F_OK) && !is_replaceable(old))
		ret = wm_fail(err, WM_E_OUTPUT, 0,
			      "%s would become %s, which is not a regular file: "
			      "remove that, or name another trace with -o",
			      writer->path, old);
	free(old);
	writer->keeps_old = !ret;
	return ret;
}

static int exchange(const struct writer *writer)
{
	return renameat2(AT_FDCWD, writer->temporary, AT_FDCWD, writer->path,
			 RENAME_EXCHANGE);
}

/*
 * Takes the name; the earlier file becomes `old`. An exchange leaves no moment without a
 * file.
 */
static int replace_keeping(const struct writer *writer, const char *old)
{
	/* After an exchange the temporary name is that of the earlier file. */
	if (!exchange(writer)) {
		int error = rename(writer->temporary, old) < 0 ? errno : 0;

		/* Back, so that it is not removed as the temporary one. */
		if (error)
			exchange(writer);
		errno = error;
		return error ? -1 : 0;
	}
	/* There is no earlier file, or the file system cannot exchange names. */
	if (rename(writer->path, old) < 0 && errno != ENOENT)
		return -1;
	return rename(writer->temporary, writer->path);
}

static int take_name(const struct writer *writer)
{
	char *old;
	int ret;

	if (!writer->keeps_old)
		return rename(writer->temporary, writer->path);
	old = old_name(writer);
	if (!old)
		return -1;
	ret = replace_keeping(writer, old);
	free(old);
	return ret;
}

int writer_publish(struct writer *writer, struct wm_error *err)
{
	if (!writer->temporary)
		return 0;
	fchmod(writer->fd, writer->mode); /* some file systems have no modes */
	if (take_name(writer) < 0)
		return wm_fail_write(err, writer->path);
	writer_forget_temporary(writer);
	return 0;
}
