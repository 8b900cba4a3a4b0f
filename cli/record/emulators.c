// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The cache of emulators that `waymark setup-qemu` built: a folder with an installation
 * prefix for each version, so listing it is reading one directory. A version counts only
 * if its emulator for the wanted machine is executable. Versions are compared by
 * strverscmp(), for which 10.2 is newer than 9.2.
 *
 * Example: $WAYMARK_CACHE/qemu-9.2.4/bin/qemu-riscv64 is version 9.2.4 for riscv64.
 */
#include "cli/record/emulators.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PREFIX "qemu-"

/*
 * In the order of the XDG base directory specification, after Waymark's own variable. An
 * empty variable counts as not set.
 */
bool cache_folder(char *path)
{
	const char *own = getenv("WAYMARK_CACHE"), *xdg = getenv("XDG_CACHE_HOME"),
		   *home = getenv("HOME");
	int length;

	if (own && *own)
		length = snprintf(path, PATH_MAX, "%s", own);
	else if (xdg && *xdg)
		length = snprintf(path, PATH_MAX, "%s/waymark", xdg);
	else if (home && *home)
		length = snprintf(path, PATH_MAX, "%s/.cache/waymark", home);
	else
		return false;
	return length < PATH_MAX;
}

bool cache_emulator(char *path, const char *version, const char *arch)
{
	char folder[PATH_MAX];

	return cache_folder(folder) &&
	       snprintf(path, PATH_MAX, "%s/" PREFIX "%s/bin/qemu-%s", folder, version,
			arch) < PATH_MAX &&
	       !access(path, X_OK);
}

/* "9.2" selects 9.2 and 9.2.4, and not 9.20. */
bool cache_version_is(const char *version, const char *asked)
{
	size_t length = strlen(asked);

	return !strncmp(version, asked, length) &&
	       (!version[length] || version[length] == '.');
}

/* The order for qsort(): newest first. */
static int newer_first(const void *a, const void *b)
{
	return -strverscmp(a, b);
}

/*
 * Without memory the list is shorter: an older emulator may be chosen, and nothing fails.
 */
unsigned cache_versions(char (**versions)[CACHE_VERSION], const char *arch)
{
	char path[PATH_MAX], (*found)[CACHE_VERSION] = NULL, (*grown)[CACHE_VERSION];
	DIR *folder = cache_folder(path) ? opendir(path) : NULL;
	const struct dirent *entry;
	unsigned n = 0;

	while (folder && (entry = readdir(folder))) {
		/* Valid only if the name has the prefix, which is checked first. */
		const char *version = entry->d_name + strlen(PREFIX);

		if (strncmp(entry->d_name, PREFIX, strlen(PREFIX)) != 0 ||
		    strlen(version) >= CACHE_VERSION ||
		    !cache_emulator(path, version, arch))
			continue;
		grown = realloc(found, (n + 1) * sizeof(*found));
		if (!grown)
			break;
		found = grown;
		strcpy(found[n++], version);
	}
	if (folder)
		closedir(folder);
	if (n)
		qsort(found, n, sizeof(*found), newer_first);
	*versions = found;
	return n;
}
