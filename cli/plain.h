/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A stream for text that may end on a terminal. */
#ifndef CLI_PLAIN_H
#define CLI_PLAIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/*
 * A stream that hands what is written to `write`, with ? for control characters. `write`
 * returns false when it failed. NULL: no memory.
 */
FILE *plain_open(bool (*write)(const char *text, size_t bytes));

#endif
