// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Nothing is found through paths fixed at build time: the command looks from where it
 * is, so that the build tree works as it stands and an installed tree can be moved.
 */
#include "cli/find.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Whether the formatted path fits and is a file one may access so. */
static bool usable(char *path, int length, int mode)
{
	struct stat st;

	return length > 0 && length < PATH_MAX && !stat(path, &st) &&
	       S_ISREG(st.st_mode) && !access(path, mode);
}

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

		if (usable(found, used, X_OK))
			return find_absolute(path, found);
		dir += length;
		if (!*dir)
			return false;
	}
}

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
