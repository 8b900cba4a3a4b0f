/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What `waymark browse` shows: source, instructions, stack, as rows of a terminal. */
#ifndef CLI_BROWSE_PANES_H
#define CLI_BROWSE_PANES_H

#include "cli/browse/browser.h"
#include "query/sources.h"

/*
 * Draws everything; `prompt`, when not NULL, is in the last row. Moves the walk and moves
 * it back.
 */
int panes_draw(struct sources *sources, struct browser *browser, const char *prompt,
	       struct wm_error *err);

#endif
