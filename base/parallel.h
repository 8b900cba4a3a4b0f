/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A loop whose iterations run on several threads. */
#ifndef BASE_PARALLEL_H
#define BASE_PARALLEL_H

#include <stdint.h>

/* Threads to use by default: one for each processor that this process may run on. */
unsigned parallel_threads(void);
/*
 * Calls body(cookie, index, worker) once for each index below n. Calls begin in ascending
 * order; worker is below `threads`, and calls of one worker do not overlap. When a call
 * returns non-zero no new ones begin. Returns the value of the lowest index that did, or
 * 0.
 */
int parallel_for(uint64_t n, unsigned threads,
		 int (*body)(void *cookie, uint64_t index, unsigned worker),
		 void *cookie);

/*
 * The same in two steps. `make` runs for several indexes at once; `take` runs once for
 * each index whose make returned 0, in ascending order, one at a time, on any of the
 * threads. A make waits when it is a few indexes for each thread ahead of the takes,
 * which bounds the results in memory. The non-zero value of the lowest index ends the
 * loop and is returned.
 */
struct parallel_steps {
	int (*make)(void *cookie, uint64_t index, unsigned worker);
	int (*take)(void *cookie, uint64_t index);
};
int parallel_in_order(uint64_t n, unsigned threads, const struct parallel_steps *steps,
		      void *cookie);

#endif
