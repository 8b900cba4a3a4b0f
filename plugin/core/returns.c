// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A call is over when the thread is where the call returns to, with the stack pointer that
 * the caller had. Recursion: each call has its own stack pointer. Tail calls: a function
 * that was jumped to has the return address and stack pointer of the one that jumped, and
 * both return there. longjmp(): the calls that it left stay here until an outer one returns,
 * or the same place on the stack is used for another call. Handlers on stacks of their own,
 * and coroutines: an inner call is only forgotten if its stack pointer is lower.
 *
 * What can be wrong: a call left by longjmp(), and then another function called by the same
 * instruction with the same stack pointer, whose return is taken for that of the first.
 *
 * A kernel's stacks are in the upper half of all addresses, programs' in the lower: a call in one
 * half says nothing of those in the other.
 *
 * Most blocks begin where nothing returns to. A count for each of 256 sets of addresses
 * says so at once. Calls are found by their stack pointer, in chains, so that neither deep
 * recursion nor what a handler's longjmp() left on another stack is searched.
 *
 * Example: f calls itself from 0x1008, sp is 0x9000 and then 0x8ff0. When it comes back to
 * 0x1008 with 0x8ff0 the second call is over, and the first one is not.
 */
#include "plugin/core/returns.h"

#include <stdlib.h>
#include <string.h>

#define SETS 256
#define CALLS_MAX (1u << 20) /* of a thread; then the older half is forgotten */

struct noted {
	struct call call;
	uint32_t older; /* the next older one with such a stack pointer, + 1; 0: none */
};

struct returns {
	struct noted *list;   /* [count], the newest last */
	uint32_t *newest;     /* [room], by stack pointer: the newest one, + 1; 0: none */
	uint32_t count, room; /* room is a power of two */
	uint32_t sets[SETS];  /* how many of the calls return to an address of it */
};

static unsigned set_of(uint64_t address)
{
	return (address >> 1 ^ address >> 9) % SETS;
}

static uint32_t *newest_of(const struct returns *of, uint64_t sp)
{
	uint64_t hash = (sp >> 3) * UINT64_C(0x9e3779b97f4a7c15);

	return &of->newest[hash >> 32 & (of->room - 1)];
}

static bool is_user(const struct call *call)
{
	return !(call->sp >> 63);
}

static void link_from(struct returns *of, uint32_t i)
{
	for (; i < of->count; i++) {
		uint32_t *newest = newest_of(of, of->list[i].call.sp);

		of->list[i].older = *newest;
		*newest = i + 1;
	}
}

/* From the newest down: each is the first of its chain. */
static void unlink_from(struct returns *of, uint32_t i)
{
	for (uint32_t n = of->count; n-- > i;)
		*newest_of(of, of->list[n].call.sp) = of->list[n].older;
}

/* Forgets `n` calls, from the i-th on. */
static void forget(struct returns *of, uint32_t i, uint32_t n)
{
	unlink_from(of, i);
	for (uint32_t k = i; k < i + n; k++)
		of->sets[set_of(of->list[k].call.address)]--;
	of->count -= n;
	memmove(&of->list[i], &of->list[i + n], (of->count - i) * sizeof(*of->list));
	link_from(of, i);
}

static bool grow(struct returns *of)
{
	uint32_t room = of->room ? 2 * of->room : 64;
	struct noted *list = realloc(of->list, room * sizeof(*list));
	uint32_t *newest = list ? calloc(room, sizeof(*newest)) : NULL;

	if (list)
		of->list = list;
	if (!newest)
		return false;
	free(of->newest);
	of->newest = newest;
	of->room = room;
	link_from(of, 0);
	return true;
}

static bool make_room(struct returns **calls)
{
	struct returns *of;

	if (!*calls)
		*calls = calloc(1, sizeof(**calls));
	of = *calls;
	if (!of)
		return false;
	if (of->count == CALLS_MAX)
		forget(of, 0, CALLS_MAX / 2);
	return of->count < of->room || grow(of);
}

static void append(struct returns *of, struct call call)
{
	of->list[of->count++].call = call;
	of->sets[set_of(call.address)]++;
	link_from(of, of->count - 1);
}

/* Whether a call cannot return any more when another one begins. */
static bool is_over(const struct call *call, const struct call *begins)
{
	if (call->sp != begins->sp)
		return false;
	/* By a tail call another function has the same end. */
	return call->address != begins->address || call->value == begins->value;
}

void returns_push(struct returns **calls, struct call call)
{
	struct returns *of;
	uint32_t older;

	if (!make_room(calls))
		return;
	of = *calls;
	/* Wherever they are: what a handler left may lie between, on another stack. */
	for (uint32_t i = *newest_of(of, call.sp); i; i = older) {
		older = of->list[i - 1].older;
		if (is_over(&of->list[i - 1].call, &call))
			forget(of, i - 1, 1);
	}
	append(of, call);
}

bool returns_may(const struct returns *calls, uint64_t address)
{
	return calls && calls->count && calls->sets[set_of(address)];
}

bool returns_pop(struct returns *calls, uint64_t address, uint64_t sp, uint32_t *value)
{
	uint32_t found = calls->room ? *newest_of(calls, sp) : 0;
	struct call call;

	while (found && (calls->list[found - 1].call.address != address ||
			 calls->list[found - 1].call.sp != sp))
		found = calls->list[found - 1].older;
	if (!found)
		return false;
	call = calls->list[--found].call;
	*value = call.value;
	for (uint32_t i = calls->count; --i > found;)
		if (calls->list[i].call.sp < sp &&
		    is_user(&calls->list[i].call) == is_user(&call))
			forget(calls, i, 1);
	forget(calls, found, 1);
	return true;
}

void returns_fork(struct returns **calls, const struct returns *parent)
{
	for (uint32_t i = 0; parent && i < parent->count; i++)
		if (is_user(&parent->list[i].call) && make_room(calls))
			append(*calls, parent->list[i].call);
}

void returns_leave(struct returns *calls)
{
	for (uint32_t i = calls ? calls->count : 0; i--;)
		if (is_user(&calls->list[i].call))
			forget(calls, i, 1);
}

void returns_free(struct returns *calls)
{
	if (calls) {
		free(calls->newest);
		free(calls->list);
	}
	free(calls);
}
