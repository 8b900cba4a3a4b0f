// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The recorder keeps code of files there, readers look for it there (format/blocks.h). A
 * build-id from a trace becomes part of a path: only hexadecimal digits pass.
 *
 *	4f2a91...	~/.cache/waymark/code/4f/2a91...
 */
#include "base/cache.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool cache_home(char folder[PATH_MAX])
{
	const char *home = getenv("HOME"), *cache = getenv("XDG_CACHE_HOME");
	int n = -1;

	if (cache && *cache)
		n = snprintf(folder, PATH_MAX, "%s", cache);
	else if (home && *home)
		n = snprintf(folder, PATH_MAX, "%s/.cache", home);
	return n >= 0 && n < PATH_MAX;
}

bool cache_code(char path[PATH_MAX], const char *build_id)
{
	char folder[PATH_MAX];
	int n;

	if (strlen(build_id) < 3 || build_id[strspn(build_id, "0123456789abcdef")] ||
	    !cache_home(folder))
		return false;
	n = snprintf(path, PATH_MAX, "%s/waymark/code/%.2s/%s", folder, build_id,
		     build_id + 2);
	return n >= 0 && n < PATH_MAX;
}
