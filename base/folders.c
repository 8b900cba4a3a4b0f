// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Folders that exist already make mkdir() fail, and so do those that cannot be made: the two are
 * not told apart here, because what is made in the last one tells.
 */
#include "base/folders.h"

#include <string.h>
#include <sys/stat.h>

void folders_make(char *path, mode_t mode)
{
	if (!*path)
		return;
	for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		mkdir(path, mode);
		*slash = '/';
	}
}
