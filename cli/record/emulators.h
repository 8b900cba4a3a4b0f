/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The emulators that `waymark setup-qemu` made: CACHE/qemu-VERSION/bin/qemu-ARCH. */
#ifndef CLI_RECORD_EMULATORS_H
#define CLI_RECORD_EMULATORS_H

#include <limits.h>
#include <stdbool.h>

enum { CACHE_VERSION = 32 };

/* Puts the path of the user's cache into path[PATH_MAX]; false: no HOME to look in. */
bool cache_folder(char *path);

/*
 * The versions in the cache that have an emulator for `arch`, newest first. Returns their
 * number and an array to free() (NULL for none).
 */
unsigned cache_versions(char (**versions)[CACHE_VERSION], const char *arch);

/* Puts the path of such an emulator into path[PATH_MAX]; false: there is none. */
bool cache_emulator(char *path, const char *version, const char *arch);

/* Whether `version` is `asked` or one of its releases: "10.2.2" is a "10.2". */
bool cache_version_is(const char *version, const char *asked);

#endif
