/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An archive of tar(1), for formats that are folders: a format is one stream. An archive
 * says how long a file is before it begins, so a file is made in memory first.
 */
#ifndef OUT_TAR_H
#define OUT_TAR_H

#include <stdio.h>

#include "base/buf.h"

/* Writes a file of that name, at most 99 characters, and empties `file`. */
void tar_put(FILE *out, const char *name, struct buf *file);
/* Ends the archive. */
void tar_end(FILE *out);

#endif
