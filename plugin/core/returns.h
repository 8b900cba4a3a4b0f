/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Calls whose functions are to return a value that is wanted: for each thread, those that
 * are not back yet.
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

/* The thread enters a function. Without memory it is forgotten. */
void returns_push(struct call call);
/* Whether any of the thread's calls may return to `address`: a quick look. */
bool returns_may(uint64_t address);
/*
 * The thread has come to an address with that stack pointer: takes the newest call that
 * ends so, and forgets those within it. False: there is none. *value is its call's.
 */
bool returns_pop(uint64_t address, uint64_t sp, uint32_t *value);

#endif
