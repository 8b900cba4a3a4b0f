// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Writes a file beside its final name and renames it when it is complete, so a reader
 * sees the old file or the new one and never a part. Both are in one folder, because
 * rename() works only within a file system.
 *
 * A path that is no regular file, such as /dev/full or -, is written directly: there is
 * nothing to rename. A symbolic link is resolved first, so that the file it leads to is
 * replaced and the link stays.
 *
 * A signal that ends the process removes what is not complete.
 */
#include "cli/fresh_file.h"

#include "cli/signals.h"
#include "cli/stdout.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "format/section.h"

static bool elsewhere; /* another process keeps the files */

void fresh_files_are_elsewhere(void)
{
	elsewhere = true;
}

/*
 * Names that a signal removes. A file for which there is no room stays, which is no worse than
 * what SIGKILL leaves.
 */
enum { BESIDE_MOST = 16 };
static char *volatile besides[BESIDE_MOST];

static void remove_besides(void)
{
	for (size_t i = 0; i < BESIDE_MOST; i++)
		if (besides[i])
			unlink(besides[i]);
}

/* Puts `to` in the place of `from`; NULL is a free place. */
static void replace_beside(const char *from, char *to)
{
	size_t i = 0;

	while (i < BESIDE_MOST && besides[i] != from)
		i++;
	if (i < BESIDE_MOST)
		besides[i] = to;
}

/*
 * The mode that open() would give a new file. mkostemp() makes it 0600, and the umask can
 * be read only by setting it.
 */
static mode_t new_mode(void)
{
	mode_t mask = umask(0);

	umask(mask);
	return 0666 & ~mask;
}

/* The mode of a file that is replaced is kept; its owner is not. */
static int open_beside(struct fresh_file *file, mode_t mode, struct wm_error *err)
{
	int fd = mkostemp(file->beside, O_CLOEXEC);

	if (fd < 0)
		return wm_fail_write(err, file->path);
	fchmod(fd, mode); /* where it cannot be, it stays private */
	file->out = fdopen(fd, "w");
	if (file->out) {
		replace_beside(NULL, file->beside);
		signals_tidy(remove_besides);
		return 0;
	}
	close(fd);
	unlink(file->beside);
	return wm_fail_nomem(err, "a file");
}

/*
 * Sets the resolved name of the file and a template for the one beside it. realpath()
 * fails for a file that does not exist, whose name is then used as it is.
 */
static bool name_both(struct fresh_file *file)
{
	file->target = realpath(file->path, NULL);
	if (!file->target)
		file->target = strdup(file->path);
	if (!file->target || asprintf(&file->beside, "%s.XXXXXX", file->target) < 0) {
		file->beside = NULL;
		return false;
	}
	return true;
}

/* The name is freed, so no handler may see it any more. */
static void forget(struct fresh_file *file)
{
	if (file->beside)
		replace_beside(file->beside, NULL);
	free(file->target);
	free(file->beside);
}

/*
 * Standard output is duplicated, because closing the file must not close it. A terminal gets no
 * control characters, which names in a text of another program's format may have.
 */
static FILE *open_stdout(struct plain *cookie)
{
	int fd;

	stdout_refuse_terminal();
	if (stdout_is_terminal())
		return plain_open(cookie, stdout_write);
	fd = stdout_is_mute() ? open("/dev/null", O_WRONLY | O_CLOEXEC) :
				dup(STDOUT_FILENO);
	return fd < 0 ? NULL : fdopen(fd, "w");
}

static FILE *open_file(const char *path)
{
	int fd = open(elsewhere ? "/dev/null" : path, O_WRONLY | O_CLOEXEC);

	return fd < 0 ? NULL : fdopen(fd, "w");
}

static int open_directly(struct fresh_file *file, struct wm_error *err)
{
	bool is_stdout = !strcmp(file->path, "-");

	file->out = is_stdout ? open_stdout(&file->plain) : open_file(file->path);
	/* What fdopen() says of a descriptor for reading only. write() has a better error. */
	if (!file->out && errno == EINVAL)
		errno = EBADF;
	if (is_stdout)
		file->path = stdout_name();
	return file->out ? 0 : wm_fail_write(err, file->path);
}

bool fresh_file_is_trace(const char *path)
{
	char head[sizeof(FILE_MAGIC) - 1];
	/* O_NONBLOCK: opening a FIFO must not wait for a writer. */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	bool is = fd >= 0 && read(fd, head, sizeof(head)) == (ssize_t)sizeof(head) &&
		  memcmp(head, FILE_MAGIC, sizeof(head)) == 0;

	if (fd >= 0)
		close(fd);
	return is;
}

/*
 * A trace is never replaced. `waymark record -o run.wmk` names a trace to write, so
 * `waymark hot -o run.wmk` is soon typed for the trace to read, and would cost the recording.
 */
int fresh_file_open(struct fresh_file *file, const char *path, struct wm_error *err)
{
	struct stat there;
	bool exists = stat(path, &there) == 0;
	int ret;

	*file = (struct fresh_file){ .path = path };
	if (elsewhere || strcmp(path, "-") == 0 || (exists && !S_ISREG(there.st_mode)))
		return open_directly(file, err);
	if (exists && fresh_file_is_trace(path))
		return wm_fail(err, WM_E_OUTPUT, 0,
			       "%s is a trace, and a result does not replace one: name "
			       "another file",
			       path);
	if (name_both(file))
		ret = open_beside(file, exists ? there.st_mode & 0777 : new_mode(), err);
	else
		ret = wm_fail_nomem(err, "a file's name");
	if (ret)
		forget(file);
	return ret;
}

/*
 * fclose() writes what is buffered, so it can be the first call to fail. ferror() is read
 * before it, because it remembers failures of earlier writes.
 */
int fresh_file_keep(struct fresh_file *file, struct wm_error *err)
{
	bool bad = ferror(file->out) != 0;
	int ret = 0;

	if (fclose(file->out) || bad)
		ret = wm_fail_write(err, file->path);
	if (!ret && file->beside && rename(file->beside, file->target))
		ret = wm_fail_write(err, file->path);
	if (ret && file->beside)
		unlink(file->beside);
	forget(file);
	return ret;
}

void fresh_file_drop(struct fresh_file *file)
{
	fclose(file->out);
	if (file->beside)
		unlink(file->beside);
	forget(file);
}

int fresh_file_end(struct fresh_file *file, int ret, struct wm_error *err)
{
	if (!ret)
		return fresh_file_keep(file, err);
	fresh_file_drop(file);
	return ret;
}

int fresh_file_try(const char *path, struct wm_error *err)
{
	struct fresh_file file;
	int ret = fresh_file_open(&file, path, err);

	if (!ret)
		fresh_file_drop(&file);
	return ret;
}
