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

/*
 * The same in two steps: `make` of several indexes runs at once, and `take` once for each
 * index whose make returned 0, in ascending order, one at a time, on any of the threads. No
 * make runs further ahead of the takes than some indexes for each thread, so what lies
 * between the two is bounded. The first non-zero value, by index, ends it and is returned.
 */
struct parallel_steps {
	int (*make)(void *cookie, uint64_t index, unsigned worker);
	int (*take)(void *cookie, uint64_t index);
};
int parallel_in_order(uint64_t n, unsigned threads, const struct parallel_steps *steps,
		      void *cookie);

#endif
