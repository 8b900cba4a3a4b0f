/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The remark that of several threads only one is listed. */
#ifndef CLI_LIST_LISTED_THREAD_H
#define CLI_LIST_LISTED_THREAD_H

/* Nothing when `n`, as many as there were to choose from, is 1. `besides` ends the remark. */
void remark_listed_thread(unsigned n, unsigned thread, const char *besides);

#endif
