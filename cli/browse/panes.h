/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What `waymark browse` shows: source, instructions, stack, as rows of a terminal. */
#ifndef CLI_BROWSE_PANES_H
#define CLI_BROWSE_PANES_H

#include "cli/browse/browser.h"

/* A source file that is shown; all zeros at first. */
struct panes {
	char *path; /* of the file that is loaded; NULL: none */
	char *text;
	char **lines; /* [n], in `text` */
	size_t n;
};

void panes_fini(struct panes *panes);
/*
 * Draws everything; `prompt`, when not NULL, is in the last row. Moves the walk and moves
 * it back.
 */
int panes_draw(struct panes *panes, struct browser *browser, const char *prompt,
	       struct wm_error *err);

#endif
