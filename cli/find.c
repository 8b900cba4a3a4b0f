// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Finds files of the installation. No path is fixed at build time: everything is looked
 * up relative to the executable (/proc/self/exe), so the build tree works as it is and an
 * installed tree can be moved. Example: /opt/w/bin/waymark finds its plugin as
 * ../lib/waymark/libwaymark-v1.so, in /opt/w.
 */
#include "cli/find.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/*
 * Whether `length`, the result of snprintf(), means that the path fits, and it is a
 * regular file with the access `mode`.
 */
static bool usable(char *path, int length, int mode)
{
	struct stat st;

	return length > 0 && length < PATH_MAX && !stat(path, &st) &&
	       S_ISREG(st.st_mode) && !access(path, mode);
}

/* Searches PATH as a shell does; without PATH, the usual folders. */
bool find_in_path(char *path, const char *name)
{
	const char *dirs = getenv("PATH");
	char found[PATH_MAX];

	if (!dirs)
		dirs = "/usr/local/bin:/usr/bin:/bin";
	for (const char *dir = dirs;; dir++) {
		size_t length = strcspn(dir, ":");
		/* An empty entry is the current folder. */
		int used = snprintf(found, sizeof(found), "%.*s%s%s", (int)length, dir,
				    length ? "/" : "./", name);

		/* The entry may be relative, and the caller may change its folder. */
		if (usable(found, used, X_OK))
			return find_absolute(path, found);
		dir += length;
		if (!*dir)
			return false;
	}
}

/* `beside` first: it is where the build tree has its plugins and scripts. */
bool find_own(char *path, const char *beside, const char *installed)
{
	const char *const places[] = { beside, installed };
	char self[PATH_MAX];
	ssize_t length = readlink("/proc/self/exe", self, sizeof(self) - 1);

	if (length < 0)
		return false;
	self[length] = '\0';
	*strrchr(self, '/') = '\0';
	for (unsigned i = 0; i < 2; i++)
		if (usable(path, snprintf(path, PATH_MAX, "%s/%s", self, places[i]),
			   R_OK))
			return true;
	return false;
}

/* In a container or chroot, /proc may not be there. */
const char *find_own_advice(void)
{
	char first;

	return readlink("/proc/self/exe", &first, 1) < 0 ?
		       "mount /proc, which tells where the command is" :
		       "install Waymark again";
}

bool find_has_proc(void)
{
	char own[16];
	ssize_t length = readlink("/proc/self", own, sizeof(own) - 1);

	own[length < 0 ? 0 : length] = '\0';
	return atoi(own) == (int)getpid();
}

bool find_absolute(char *out, const char *path)
{
	char here[PATH_MAX];
	int length;

	if (path[0] == '/')
		length = snprintf(out, PATH_MAX, "%s", path);
	else if (getcwd(here, sizeof(here)))
		length = snprintf(out, PATH_MAX, "%s/%s", here, path);
	else
		return false;
	return length < PATH_MAX;
}
