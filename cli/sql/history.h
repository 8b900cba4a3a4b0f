/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The lines that were typed in the shell, which the next shell has, too. */
#ifndef CLI_SQL_HISTORY_H
#define CLI_SQL_HISTORY_H

/* Reads what earlier shells kept; after rl_initialize(). */
void history_load(void);
/* Keeps a line unless it is empty or the last one again. */
void history_add(const char *line);
/* Writes the newest lines for the next shell. What cannot be written is not missed. */
void history_keep(void);

#endif
