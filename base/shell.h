/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Command lines that people paste into a shell. */
#ifndef BASE_SHELL_H
#define BASE_SHELL_H

struct buf;

/* Appends a word as a shell would take it, after a blank if it is not the first. */
void shell_put_word(struct buf *line, const char *word);

#endif
