/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What `waymark record` adds to a managed program for its guide: variables of the environment,
 * and arguments. The program gets it again when the guest begins it anew by execve().
 */
#ifndef PLUGIN_USER_LEND_H
#define PLUGIN_USER_LEND_H

#include <stdbool.h>

#include "format/lend.h"

/* The plugin's argument (format/lend.h), which is copied; NULL: nothing is lent. */
void lend_init(const char *text);
/* It, for programs to come; "" if there is none. */
const char *lend_text(void);
/* Whether that file is the program, and the process can have what is lent. */
bool lend_is_for(const char *path);
/* The next item of the kind behind `item`, or the first one (NULL). NULL: there are no more. */
const char *lend_next(enum lend_kind kind, const char *item);

#endif
