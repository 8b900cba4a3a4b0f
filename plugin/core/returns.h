/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Calls whose functions are to return a value that is wanted: of one thread, those that are
 * not back yet.
 */
#ifndef PLUGIN_CORE_RETURNS_H
#define PLUGIN_CORE_RETURNS_H

#include <stdbool.h>
#include <stdint.h>

/* A call by its end: the address that it returns to, and the stack pointer there. */
struct call {
	uint64_t address, sp;
	uint32_t value; /* index of what is wanted */
};

/* A thread's calls. It begins as NULL. */
struct returns;

/* The thread enters a function. Without memory it is forgotten. */
void returns_push(struct returns **calls, struct call call);
/* Whether any of the calls may return to `address`: a quick look. */
bool returns_may(const struct returns *calls, uint64_t address);
/*
 * The thread has come to an address with that stack pointer: takes the newest call that
 * ends so, and forgets those within it. False: there is none. *value is its call's.
 */
bool returns_pop(struct returns *calls, uint64_t address, uint64_t sp, uint32_t *value);
/*
 * A thread forked, in a process of its own: it has its parent's calls in user memory, the lower
 * half of all addresses. Without memory it has none.
 */
void returns_fork(struct returns **calls, const struct returns *parent);
/* The thread's user memory is gone, as by execve(): forgets its calls there. */
void returns_leave(struct returns *calls);
/* The thread has ended. NULL: nothing to do. */
void returns_free(struct returns *calls);

#endif
