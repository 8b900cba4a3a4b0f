// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Paths come from an archive or from a guest, and may be made to lead out of the folder. So
 * they are walked component by component, from descriptor to descriptor, and neither ".." nor
 * a symbolic link is followed.
 *
 * Traces refer to these files, and somebody may read one at this moment: a file gets its name
 * when it is complete.
 */
#include "collect/guest/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { TEMPORARY = sizeof(((struct guest_file *)0)->temporary) };

#define FOLDER (O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)

/* The next component of a path, without slashes; false: the path ends, or it is ".." or long. */
static bool component(const char **path, char name[NAME_MAX + 1])
{
	size_t n;

	do {
		*path += strspn(*path, "/");
		n = strcspn(*path, "/");
		if (!n || n > NAME_MAX)
			return false;
		memcpy(name, *path, n);
		name[n] = 0;
		*path += n;
	} while (!strcmp(name, "."));
	return strcmp(name, "..") != 0;
}

/* The folder that the last component is in, which goes into name; -1. */
static int open_folder(const char *root, const char *path, char name[NAME_MAX + 1])
{
	int folder = open(root, FOLDER & ~O_NOFOLLOW), inner;

	if (folder < 0)
		return -1;
	while (component(&path, name)) {
		if (!path[strspn(path, "/")])
			return folder;
		inner = mkdirat(folder, name, 0777) == 0 || errno == EEXIST ?
				openat(folder, name, FOLDER) :
				-1;
		close(folder);
		folder = inner;
		if (folder < 0)
			return -1;
	}
	close(folder);
	return -1;
}

/* What a file of the folder is called until it is complete; nothing is called so. */
static void temporary_name(int folder, char name[TEMPORARY])
{
	snprintf(name, TEMPORARY, ".waymark-%d", getpid());
	unlinkat(folder, name, 0);
}

bool guest_file_begin(struct guest_file *file, const char *root, const char *path)
{
	file->folder = open_folder(root, path, file->name);
	if (file->folder < 0)
		return false;
	temporary_name(file->folder, file->temporary);
	file->fd = openat(file->folder, file->temporary,
			  O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
	if (file->fd < 0)
		close(file->folder);
	return file->fd >= 0;
}

bool guest_file_write(struct guest_file *file, const void *data, size_t bytes)
{
	const char *from = data;

	while (bytes) {
		ssize_t n = write(file->fd, from, bytes);

		if (n <= 0)
			return false;
		from += n;
		bytes -= (size_t)n;
	}
	return true;
}

bool guest_file_end(struct guest_file *file, bool good, time_t modified)
{
	struct timespec times[] = { { modified, 0 }, { modified, 0 } };

	futimens(file->fd, times);
	close(file->fd);
	good = good &&
	       renameat(file->folder, file->temporary, file->folder, file->name) == 0;
	if (!good)
		unlinkat(file->folder, file->temporary, 0);
	close(file->folder);
	return good;
}

/* Gives the new file `temporary` its name; what cannot get one is removed. */
static bool put(int folder, const char *temporary, const char *name)
{
	bool good = renameat(folder, temporary, folder, name) == 0;

	/* A name of the same file stays, and so does the other one. */
	unlinkat(folder, temporary, 0);
	return good;
}

bool guest_file_link(const char *root, const char *path, const char *target)
{
	char name[NAME_MAX + 1], temporary[TEMPORARY];
	int folder = open_folder(root, path, name);
	bool good = false;

	if (folder < 0)
		return false;
	temporary_name(folder, temporary);
	if (symlinkat(target, folder, temporary) == 0)
		good = put(folder, temporary, name);
	close(folder);
	return good;
}

bool guest_file_name(const char *root, const char *path, const char *target)
{
	char name[NAME_MAX + 1], there[NAME_MAX + 1], temporary[TEMPORARY];
	int folder = open_folder(root, path, name), from = -1;
	bool good = false;

	if (folder < 0)
		return false;
	from = open_folder(root, target, there);
	temporary_name(folder, temporary);
	if (from >= 0 && linkat(from, there, folder, temporary, 0) == 0)
		good = put(folder, temporary, name);
	if (from >= 0)
		close(from);
	close(folder);
	return good;
}
