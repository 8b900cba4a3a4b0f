/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A process that its starter does not notice: neither its child nor in its session. */
#ifndef BASE_BACKGROUND_H
#define BASE_BACKGROUND_H

/*
 * Forks such a process, with stdin and stdout from and to nowhere. Returns 0 in it, 1 in the
 * caller, or -1 with errno; when the process could not be started in the end, the caller
 * learns that from what they share, which must not be descriptors below 3. The caller must not have threads that hold locks.
 */
int background_fork(void);

#endif
