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

int writer_create(struct writer *writer, struct wm_error *err)
{
	struct stat old;
	char *name;
	int ret = 0;

	/* For a result "-" is standard output. A trace needs a file, which could be "./-". */
	if (!strcmp(writer->path, "-"))
		return wm_fail(err, WM_E_OUTPUT, 0,
			       "a trace cannot go to standard output: name a file");
	/* Replacing a device or a directory by a file is never intended. */
	if (!stat(writer->path, &old) && !S_ISREG(old.st_mode))
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

void writer_keep_old(struct writer *writer)
{
	writer->keeps_old = true;
}

/*
 * Takes the name; the earlier file becomes `old`. An exchange leaves no moment without a
 * file.
 */
static int replace_keeping(const struct writer *writer, const char *old)
{
	/* After an exchange the temporary name is that of the earlier file. */
	if (!renameat2(AT_FDCWD, writer->temporary, AT_FDCWD, writer->path,
		       RENAME_EXCHANGE))
		return rename(writer->temporary, old);
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
	if (asprintf(&old, "%s.old", writer->path) < 0)
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
