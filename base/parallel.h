/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A loop whose iterations run on several threads. */
#ifndef BASE_PARALLEL_H
#define BASE_PARALLEL_H

#include <stdint.h>

/* Threads to use when the user does not say: one for each processor we may run on. */
unsigned parallel_threads(void);
/*
 * Calls body(cookie, index, worker) once for each index below n, in ascending order of
 * beginning; worker is below `threads`, and no two calls of one worker overlap. Stops
 * beginning new ones once one has returned non-zero, and returns the value of the
 * lowest index that did, or 0.
 */
int parallel_for(uint64_t n, unsigned threads,
		 int (*body)(void *cookie, uint64_t index, unsigned worker),
		 void *cookie);

#endif
