/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finding files: programs in PATH, and what was installed with this command. */
#ifndef CLI_FIND_H
#define CLI_FIND_H

#include <stdbool.h>

/* Puts the absolute path of executable `name` in PATH into path[PATH_MAX]. */
bool find_in_path(char *path, const char *name);

/*
 * Puts the absolute path of a file that came with this command into path[PATH_MAX]:
 * first `beside` the executable (the build tree), then `installed`, seen from the
 * executable's folder as well. Both are relative.
 */
bool find_own(char *path, const char *beside, const char *installed);
/* What to do when it finds nothing. */
const char *find_own_advice(void);
/*
 * Whether /proc has this process by its id: it is mounted, and is that of this PID namespace.
 * The recorder and the plugin find each other there.
 */
bool find_has_proc(void);
#define FIND_NO_PROC "not that of this PID namespace: `mount -t proc proc /proc` here"

/* Puts `path` made absolute, from the current folder, into out[PATH_MAX]. */
bool find_absolute(char *out, const char *path);

#endif
