/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The folder in which the user's programs keep what they can make or get again. */
#ifndef BASE_CACHE_H
#define BASE_CACHE_H

#include <limits.h>
#include <stdbool.h>

/* XDG_CACHE_HOME, or .cache of HOME; false when there is neither, or it is too long. */
bool cache_home(char folder[PATH_MAX]);
/*
 * Where the code of a build is kept: waymark/code/xx/yyyy in that folder. False also when
 * the build-id is not one.
 */
bool cache_code(char path[PATH_MAX], const char *build_id);

#endif
