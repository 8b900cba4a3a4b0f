/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files of a machine's kernel say that is needed to follow what it runs. */
#ifndef COLLECT_LAYOUT_H
#define COLLECT_LAYOUT_H

#include <stddef.h>

#include "format/guest_linux.h"

struct kernel_file;

/*
 * Fills in *layout from the first of the files that is a Linux
 * kernel; they may be NULL. why[size] gets a clause that says what cannot be
 * followed, and for the lack of what; "" when nothing is missing. False: none of them is.
 */
bool layout_read(struct guest_linux *layout, const struct kernel_file *files, char *why,
		 size_t size);

#endif
