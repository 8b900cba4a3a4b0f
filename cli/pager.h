/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Long output for people goes through a pager, as git's does. */
#ifndef CLI_PAGER_H
#define CLI_PAGER_H

/*
 * When stdout is a terminal, starts $WAYMARK_PAGER, else $PAGER, else less, and makes it
 * the reader of stdout; otherwise, and when the variable is empty or "cat", does nothing.
 * The pager has ended when this process has: it is waited for at exit and before a
 * signal ends us. Call it when nothing can fail any more but the output itself.
 */
void pager_start(void);

#endif
