/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads the names of mapped files while the guest runs, on a thread that runs when a core would
 * be idle. What it has not read at the end of the recording is read then.
 */
#ifndef COLLECT_NAMES_AHEAD_H
#define COLLECT_NAMES_AHEAD_H

#include <stdbool.h>
#include <stdint.h>

#include "format/symtab.h"

struct names_ahead;

/* NULL without memory. */
struct names_ahead *names_ahead_new(void);
/* The thread ends when it has read what it is at. NULL is taken. */
void names_ahead_free(struct names_ahead *ahead);
/*
 * Asks for the names of file number `file`, which is open as `fd`; path and build-id as for
 * kernel_names_read(). All are copied. To be called once for a file, or never. NULL is taken.
 */
void names_ahead_want(struct names_ahead *ahead, uint32_t file, int fd, const char *path,
		      const char *build_id);
/*
 * Hands over what kernel_names_read() gave for the file: *good is its result. False: it was not
 * asked for, is not read yet and will not be, or was taken already. Waits for a read that goes
 * on, as long as it goes on quickly. NULL is taken.
 */
bool names_ahead_take(struct names_ahead *ahead, uint32_t file, struct symtab *names,
		      bool *good);

#endif
