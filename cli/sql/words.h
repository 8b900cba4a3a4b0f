/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Words that the Tab key completes in the shell: tables, columns, orders, keywords of SQL. */
#ifndef CLI_SQL_WORDS_H
#define CLI_SQL_WORDS_H

/* After rl_initialize(). */
void words_offer(void);

#endif
