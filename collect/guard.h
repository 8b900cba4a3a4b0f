/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Guests can write to the shared memory. Most of what they spoil is noticed where it is used;
 * here is looked for what would not be: memory that was set back to zeros, or to what it
 * was, where zeros mean that there is nothing. What only the collector writes is put right,
 * so that nobody waits for ever.
 */
#ifndef COLLECT_GUARD_H
#define COLLECT_GUARD_H

#include "collect/process.h"

/* Looks at what of a process's arena must be as it was left. */
void guard_look(struct process *process);
/*
 * Looks whether the lanes, which are emptied, were written as far as they were read. While
 * the process lives its threads may be further than that.
 */
void guard_end(struct process *process);

#endif
