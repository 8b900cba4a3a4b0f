// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Whether a folder is in use is known by a lock on it, which the system gives up with the process,
 * however that ends. File systems that machines share may keep locks on each machine alone: so a
 * folder names its machine, and only that one's processes remove it.
 *
 * Example: node3 is killed in case "lua" as process 815 and leaves out/.lua.node3.815. When the
 * case runs on node4, that folder stays; when it runs on node3, it goes.
 */
#include "cli/suite/folder.h"

#include <dirent.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"

/* ".NAME.HOST.": what begins the names of a case's folders here. */
static void put_prefix(char *prefix, size_t room, const char *name)
{
	char host[HOST_NAME_MAX + 1] = "localhost";

	gethostname(host, sizeof(host) - 1);
	snprintf(prefix, room, ".%s.%s.", name, host);
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st, (void)type, (void)ftw;
	remove(path);
	return 0;
}

static void remove_folder(const char *path)
{
	nftw(path, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

/* A descriptor that has the lock; -1: another process has it, or there is no such folder. */
static int lock_folder(const char *path)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB)) {
		close(fd);
		return -1;
	}
	return fd;
}

/* ---- what was left behind ------------------------------------------------ */

/* "815" or "815.old": what an older folder is moved to. */
static bool is_rest(const char *rest)
{
	size_t digits = strspn(rest, "0123456789");

	return digits && (!rest[digits] || !strcmp(rest + digits, ".old"));
}

static void remove_unused(const char *path)
{
	int fd = lock_folder(path);

	if (fd < 0)
		return;
	remove_folder(path);
	close(fd);
}

static void sweep(const char *out, const char *prefix)
{
	size_t length = strlen(prefix);
	const struct dirent *entry;
	char path[PATH_MAX];
	DIR *dir = opendir(out);

	while (dir && (entry = readdir(dir)))
		if (!strncmp(entry->d_name, prefix, length) &&
		    is_rest(entry->d_name + length) &&
		    snprintf(path, sizeof(path), "%s/%s", out, entry->d_name) <
			    (int)sizeof(path))
			remove_unused(path);
	if (dir)
		closedir(dir);
}

/* ---- a folder ------------------------------------------------------------ */

int case_folder_make(struct case_folder *folder, const char *out, const char *name,
		     struct wm_error *err)
{
	char prefix[NAME_MAX + HOST_NAME_MAX + 4];
	int n;

	*folder = (struct case_folder){ .out = out, .name = name };
	put_prefix(prefix, sizeof(prefix), name);
	sweep(out, prefix);
	n = snprintf(folder->path, sizeof(folder->path), "%s/%s%d", out, prefix,
		     (int)getpid());
	if (n >= (int)sizeof(folder->path) - 32 || mkdir(folder->path, 0777))
		return wm_fail(err, WM_E_OUTPUT, 0, "cannot make the folder %s: %m",
			       folder->path);
	folder->lock = lock_folder(folder->path);
	/* Another process has swept it away before it was locked. */
	if (folder->lock < 0 || access(folder->path, F_OK)) {
		case_folder_close(folder);
		return wm_fail(err, WM_E_OUTPUT, 0,
			       "another run of case %s began at the same time", name);
	}
	return 0;
}

int case_folder_keep(const struct case_folder *folder, struct wm_error *err)
{
	char place[PATH_MAX + 160], old[PATH_MAX + 16];

	snprintf(place, sizeof(place), "%s/%s", folder->out, folder->name);
	snprintf(old, sizeof(old), "%s.old", folder->path);
	if (rename(place, old))
		*old = 0;
	if (rename(folder->path, place))
		return wm_fail(err, WM_E_OUTPUT, 0, "cannot rename %s to %s",
			       folder->path, place);
	if (*old)
		remove_folder(old);
	return 0;
}

void case_folder_close(struct case_folder *folder)
{
	/* When it is in its place this finds nothing. */
	remove_folder(folder->path);
	if (folder->lock >= 0)
		close(folder->lock);
}
