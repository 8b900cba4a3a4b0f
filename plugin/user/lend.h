/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What guides add to managed programs, as `waymark record` does to the first one: variables of the
 * environment, and arguments. A program that the guest begins by execve() gets what is lent to it.
 */
#ifndef PLUGIN_USER_LEND_H
#define PLUGIN_USER_LEND_H

#include "format/lend.h"

/* The text of format/lend.h, which is copied; "": nothing is lent. */
void lend_init(const char text[static LENDS_BYTES]);
/* The name of the guide for the program in that file. NULL: none is, or the process cannot reach it. */
const char *lend_for(const char *path);
/*
 * Of the guide that lend_for() returned: the next item of the kind behind `item`, which is one of the
 * guide's, or its name for the first one. NULL: there are no more.
 */
const char *lend_next(enum lend_kind kind, const char *item);

#endif
