/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A stream for text that may end on a terminal. */
#ifndef CLI_PLAIN_H
#define CLI_PLAIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct plain {
	bool (*write)(const char *text, size_t bytes); /* false: it failed */
	char last;				       /* byte of the previous write */
};

/*
 * A stream that hands what is written to `write`, with ? for control characters. *plain is the
 * stream's own until it is closed. NULL: no memory.
 */
FILE *plain_open(struct plain *plain, bool (*write)(const char *text, size_t bytes));

#endif
