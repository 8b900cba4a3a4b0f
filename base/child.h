/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Children of a process that will execute another program. Their end sends no SIGCHLD,
 * and they can be waited for even if SIGCHLD is ignored. This holds until the child
 * itself calls execve().
 */
#ifndef BASE_CHILD_H
#define BASE_CHILD_H

#include <sys/types.h>

/* Like fork(), without atfork handlers. No thread of the caller may hold a lock. */
pid_t child_fork(void);
/* Waits for such a child's end; its status as waitpid() gives it, or -1. */
int child_wait(pid_t child);

#endif
