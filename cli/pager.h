/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Long output for people goes through a pager, as git's does. */
#ifndef CLI_PAGER_H
#define CLI_PAGER_H

#include <stdbool.h>
#include <stddef.h>

/*
 * When stdout is a terminal, starts $WAYMARK_PAGER, else $PAGER, else less, and makes it
 * the reader of stdout; otherwise, and with --no-pager, or when the
 * variable is empty or "cat", does nothing.
 * The pager has ended when this process has: it is waited for at exit and before a
 * signal ends us. Call it when nothing can fail any more but the output itself.
 */
void pager_start(void);

/*
 * Whether the pager that pager_start() would start shows commands to the terminal as text:
 * less does, unless it has -R. False without a pager.
 */
bool pager_shows_codes(void);

/*
 * For cli/stdout.c only, and pager_runs() for cli/fail.c. While that is true, the capacity of the
 * pipe must stay as it is. pager_keep() must be called with everything before it is written.
 * pager_broken() must be called when a write fails with EPIPE. It returns true when the pager never
 * started, and all that was kept has been printed without it; otherwise SIGPIPE ends the process,
 * unless it is ignored.
 */
bool pager_runs(void);
void pager_keep(const char *text, size_t bytes);
bool pager_broken(void);

#endif
