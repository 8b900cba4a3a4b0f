/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Children that leave no trace in a process that will execute another program: no SIGCHLD
 * is sent at their end, which could stay pending, and they can be waited for also where
 * SIGCHLD is ignored. That is so as long as they do not execute a program themselves.
 */
#ifndef BASE_CHILD_H
#define BASE_CHILD_H

#include <sys/types.h>

/* As fork(), without its handlers. The caller must not have threads that hold locks. */
pid_t child_fork(void);
/* Waits for such a child's end; its status as waitpid() gives it, or -1. */
int child_wait(pid_t child);

#endif
