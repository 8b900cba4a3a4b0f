/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Folders on the way to a file. */
#ifndef BASE_FOLDERS_H
#define BASE_FOLDERS_H

#include <sys/types.h>

/*
 * Makes the folders that `path` is in, as mkdir -p does: of "a/b/c", a and a/b. Failures show
 * when the last one or the file is made. `path` is unchanged afterwards.
 */
void folders_make(char *path, mode_t mode);

#endif
