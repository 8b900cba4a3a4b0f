// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The comparison letter for letter comes first: it is the cheaper one, and a name without
 * wildcards that is equal needs no other.
 */
#include "base/pattern.h"

#include <fnmatch.h>
#include <string.h>

bool pattern_fits(const char *pattern, const char *text)
{
	return !strcmp(pattern, text) || !fnmatch(pattern, text, 0);
}

/* "::" is part of C++ names: after one, the search goes on after both colons. */
const char *pattern_colon(const char *text)
{
	for (const char *at = text; (at = strchr(at, ':')); at += 2)
		if (at[1] != ':')
			return at;
	return NULL;
}
