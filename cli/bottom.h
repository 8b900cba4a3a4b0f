/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A line at the bottom of a terminal that a guest writes to as well. */
#ifndef CLI_BOTTOM_H
#define CLI_BOTTOM_H

#include <stdbool.h>

struct bottom {
	unsigned rows; /* of the terminal when the line was set apart; 0: it is not */
};

/*
 * Shows `text`, cut to the width, in the last row of the terminal that stderr is. Nothing is
 * shown where that row cannot be set apart: a tiny terminal, or one that a program has to
 * itself (an editor, a shell with line editing).
 */
void bottom_show(struct bottom *bottom, const char *text);
/* Gives the row back. */
void bottom_end(struct bottom *bottom);

#endif
