/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The root of a foreign system, as QEMU's -L or QEMU_LD_PREFIX names it. */
#ifndef CLI_RECORD_SYSROOT_H
#define CLI_RECORD_SYSROOT_H

#include <stdbool.h>

/* QEMU's last -L (qemu_args is NULL-terminated), else the environment's; NULL: none. */
const char *sysroot_of(char *const *qemu_args);

/*
 * Looks for program `name`, which has no slash, in the folders of programs below `root`.
 * path[PATH_MAX] gets the file to open, with links followed as on that system: an
 * absolute one leads below `root`. name_there[PATH_MAX] gets the path without links
 * followed, which is the program's name for itself.
 */
bool sysroot_find_program(const char *root, const char *name, char *path,
			  char *name_there);

#endif
