// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * When a JVM ends, the agent asks for the compiled code that it was not told of yet, and gets
 * all there is. Code is patched while it runs: told twice, it would be two pieces at one address,
 * and a call between them.
 *
 * Example: fib() has 312 bytes of code at 0x4014a000. The agent tells them when HotSpot has compiled
 * fib(), and not again when the JVM ends. If main() is put there later, the agent tells that.
 */
#include "guides/hotspot/told.h"

#include <pthread.h>
#include <search.h>
#include <stdlib.h>

struct told {
	const void *code;
	const char *method;
	uint32_t bytes;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *all; /* struct told, by code: a tree of tsearch() */

static int by_code(const void *a, const void *b)
{
	const struct told *x = a, *y = b;

	return x->code < y->code ? -1 : x->code > y->code;
}

/* Finds the entry of code at that address, or adds an empty one. NULL: no memory. */
static struct told *find(const void *code)
{
	struct told key = { .code = code }, *fresh, **node = tfind(&key, &all, by_code);

	if (node)
		return *node;
	fresh = malloc(sizeof(*fresh));
	if (fresh) {
		*fresh = key;
		node = tsearch(fresh, &all, by_code);
	}
	if (!node)
		free(fresh);
	return node ? fresh : NULL;
}

bool told_add(const char *method, const void *code, uint32_t bytes)
{
	bool is_new = true;
	struct told *told;

	pthread_mutex_lock(&lock);
	told = find(code);
	if (told) {
		is_new = told->method != method || told->bytes != bytes;
		told->method = method;
		told->bytes = bytes;
	}
	pthread_mutex_unlock(&lock);
	return is_new;
}

void told_remove(const void *code)
{
	struct told key = { .code = code }, **node, *gone = NULL;

	pthread_mutex_lock(&lock);
	node = tfind(&key, &all, by_code);
	if (node) {
		gone = *node;
		tdelete(&key, &all, by_code);
	}
	pthread_mutex_unlock(&lock);
	free(gone);
}
