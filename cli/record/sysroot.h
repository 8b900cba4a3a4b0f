/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The root of a foreign system, as QEMU's -L or QEMU_LD_PREFIX names it. */
#ifndef CLI_RECORD_SYSROOT_H
#define CLI_RECORD_SYSROOT_H

#include <stdbool.h>

/* The one among QEMU's arguments (NULL-terminated), else the environment's; NULL: none. */
const char *sysroot_of(char *const *qemu_args);

/*
 * Looks for program `name`, which has no slash, in the folders of programs below `root`.
 * path[PATH_MAX] is what to open. Links are followed as on that system: an absolute one
 * leads to below `root`. name_there[PATH_MAX] is the path without links followed, by which
 * the program knows itself.
 */
bool sysroot_find_program(const char *root, const char *name, char *path,
			  char *name_there);

#endif
