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
