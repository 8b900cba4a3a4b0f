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
	struct call *calls; /* [count], the newest last */
	uint32_t count, room;
	uint32_t sets[SETS]; /* how many of the calls return to an address of it */
};

static __thread __attribute__((tls_model("initial-exec"))) struct returns *mine;

static uint32_t *set_of(uint64_t address)
{
	return &mine->sets[(address >> 1 ^ address >> 9) % SETS];
}

static void forget(uint32_t i)
{
	struct call *call = &mine->calls[i];

	--*set_of(call->address);
	mine->count--;
	memmove(call, call + 1, (mine->count - i) * sizeof(*call));
}

static bool make_room(void)
{
	uint32_t room;
	struct call *grown;

	if (!mine)
		mine = calloc(1, sizeof(*mine));
	if (!mine)
		return false;
	if (mine->count == CALLS_MAX)
		forget(0);
	if (mine->count < mine->room)
		return true;
	room = mine->room ? 2 * mine->room : 64;
	grown = realloc(mine->calls, room * sizeof(*grown));
	if (!grown)
		return false;
	mine->calls = grown;
	mine->room = room;
	return true;
}

/* Whether a call cannot return any more when another one begins. */
static bool is_over(const struct call *call, const struct call *begins)
{
	if (call->sp != begins->sp)
		return false;
	/* By a tail call another function has the same end. */
	return call->address != begins->address || call->value == begins->value;
}

void returns_push(struct call call)
{
	if (!make_room())
		return;
	/* Those with the same stack pointer are the newest, or nearly. */
	for (uint32_t i = mine->count; i-- && mine->calls[i].sp <= call.sp;)
		if (is_over(&mine->calls[i], &call))
			forget(i);
	mine->calls[mine->count++] = call;
	++*set_of(call.address);
}

bool returns_may(uint64_t address)
{
	return mine && mine->count && *set_of(address);
}

bool returns_pop(uint64_t address, uint64_t sp, uint32_t *value)
{
	uint32_t found = mine->count;

	while (found && (mine->calls[found - 1].address != address ||
			 mine->calls[found - 1].sp != sp))
		found--;
	if (!found)
		return false;
	*value = mine->calls[--found].value;
	for (uint32_t i = mine->count; --i > found;)
		if (mine->calls[i].sp < sp)
			forget(i);
	forget(found);
	return true;
}
