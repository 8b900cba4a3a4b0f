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
 * says so at once.
 *
 * Example: f calls itself from 0x1008, sp is 0x9000 and then 0x8ff0. When it comes back to
 * 0x1008 with 0x8ff0 the second call is over, and the first one is not.
 */
#include "plugin/core/returns.h"

#include <stdlib.h>
#include <string.h>

#define SETS 256
#define CALLS_MAX (1u << 16) /* of a thread; the oldest is forgotten */

struct returns {
	struct call *list; /* [count], the newest last */
	uint32_t count, room;
	uint32_t sets[SETS]; /* how many of the calls return to an address of it */
};

static unsigned set_of(uint64_t address)
{
	return (address >> 1 ^ address >> 9) % SETS;
}

static bool is_user(const struct call *call)
{
	return !(call->sp >> 63);
}

static void forget(struct returns *calls, uint32_t i)
{
	struct call *call = &calls->list[i];

	calls->sets[set_of(call->address)]--;
	calls->count--;
	memmove(call, call + 1, (calls->count - i) * sizeof(*call));
}

static bool make_room(struct returns **calls)
{
	struct call *grown;
	struct returns *of;
	uint32_t room;

	if (!*calls)
		*calls = calloc(1, sizeof(**calls));
	of = *calls;
	if (!of)
		return false;
	if (of->count == CALLS_MAX)
		forget(of, 0);
	if (of->count < of->room)
		return true;
	room = of->room ? 2 * of->room : 64;
	grown = realloc(of->list, room * sizeof(*grown));
	if (!grown)
		return false;
	of->list = grown;
	of->room = room;
	return true;
}

static void append(struct returns *calls, struct call call)
{
	calls->list[calls->count++] = call;
	calls->sets[set_of(call.address)]++;
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

	if (!make_room(calls))
		return;
	of = *calls;
	/* Those with the same stack pointer are the newest of its half, or nearly. */
	for (uint32_t i = of->count; i--;) {
		if (is_user(&of->list[i]) != is_user(&call))
			continue;
		if (of->list[i].sp > call.sp)
			break;
		if (is_over(&of->list[i], &call))
			forget(of, i);
	}
	append(of, call);
}

bool returns_may(const struct returns *calls, uint64_t address)
{
	return calls && calls->count && calls->sets[set_of(address)];
}

bool returns_pop(struct returns *calls, uint64_t address, uint64_t sp, uint32_t *value)
{
	uint32_t found = calls->count;

	while (found && (calls->list[found - 1].address != address ||
			 calls->list[found - 1].sp != sp))
		found--;
	if (!found)
		return false;
	*value = calls->list[--found].value;
	for (uint32_t i = calls->count; --i > found;)
		if (calls->list[i].sp < sp &&
		    is_user(&calls->list[i]) == is_user(&calls->list[found]))
			forget(calls, i);
	forget(calls, found);
	return true;
}

void returns_fork(struct returns **calls, const struct returns *parent)
{
	for (uint32_t i = 0; parent && i < parent->count; i++)
		if (is_user(&parent->list[i]) && make_room(calls))
			append(*calls, parent->list[i]);
}

void returns_leave(struct returns *calls)
{
	for (uint32_t i = calls ? calls->count : 0; i--;)
		if (is_user(&calls->list[i]))
			forget(calls, i);
}

void returns_free(struct returns *calls)
{
	if (calls)
		free(calls->list);
	free(calls);
}
