/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The remark that of several threads only the first is listed. */
#ifndef CLI_LIST_FIRST_THREAD_H
#define CLI_LIST_FIRST_THREAD_H

/* Nothing when `n`, as many as there were to choose from, is 1. `besides` ends the remark. */
void remark_first_thread(unsigned n, unsigned thread, const char *besides);

#endif
