/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A process that its starter does not notice: not its child, not in its session. */
#ifndef BASE_BACKGROUND_H
#define BASE_BACKGROUND_H

/*
 * Forks such a process, with stdin and stdout on /dev/null. Returns 0 in it, 1 in the
 * caller, or -1 with errno. The second fork may still fail after a return of 1: let the
 * new process report through a pipe, whose descriptors must be above 2. No thread of the
 * caller may hold a lock.
 */
int background_fork(void);

#endif
