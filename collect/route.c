// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Invariant: a thread is on one lane at most, and a lane has one thread at most; each names
 * the other (thread->lane, lane->route). With that, and with each lane emptied up to the
 * position of a switch before the switch is made, a stream gets its ids in their order:
 *
 *	lane 0	A A A A | B B B |	     messages, in order:
 *	lane 1	C C |   ^	| A A A	     lane 0 is B's from 4 on   takes 4 ids for A
 *		    ^ nobody's until 3	     lane 1 is nobody's from 2 on
 *					     lane 1 is A's from 3 on   drops 1 id
 *
 * A's second part cannot be taken before its first: it is A's only after the last message,
 * and the first one, which took A off lane 0, was before that. So a message that gives a
 * lane to a thread which is still on another one is a lie, and is refused.
 */
#include "collect/route.h"

#include <string.h>

/*
 * Whether a thread may be routed to the lane: nobody (THREAD_NONE) may, and a thread that
 * is on no other lane.
 */
static bool is_free(struct threads *threads, uint32_t vcpu, uint32_t number)
{
	const struct thread *thread;

	if (number == THREAD_NONE)
		return true;
	/* The number is from a message: no such thread has begun. */
	if (number >= threads->n)
		return false;
	thread = &threads->at[number];
	return thread->begun && (thread->lane == LANE_NONE || thread->lane == vcpu);
}

/*
 * Takes the thread on a lane, if there is one, off it: a switch happens between two
 * blocks.
 */
static void leave(struct lanes *lanes, struct lane *lane)
{
	struct thread *thread;

	/* What waits is nobody's, and not the next thread's. */
	if (lane->route == THREAD_NONE) {
		if (lane->values)
			value_lane_settle(lane->values, NULL, false);
		return;
	}
	thread = &lanes->threads->at[lane->route];
	if (thread->stream)
		stream_complete(thread->stream);
	lane->shared = true;
	route_take(lanes, lane->route);
}

void route_give(struct lanes *lanes, uint32_t vcpu, uint32_t number)
{
	struct lane *lane = &lanes->at[vcpu];

	leave(lanes, lane);
	lane->route = number;
	if (number != THREAD_NONE)
		lanes->threads->at[number].lane = vcpu;
}

void route_take(struct lanes *lanes, uint32_t number)
{
	struct thread *thread;

	if (number == THREAD_NONE)
		return;
	thread = &lanes->threads->at[number];
	if (thread->lane == LANE_NONE)
		return;
	/* What waits on the lane is the thread's; the stream will have no lane. */
	lanes_settle(lanes, thread, false);
	if (thread->stream)
		thread->stream->value_lane = NULL;
	lanes->at[thread->lane].route = THREAD_NONE;
	thread->lane = LANE_NONE;
}

/* The turn of a lane to nobody is none: the schedule has streams. */
static void note_turn(const struct lanes *lanes, const struct message_route *message)
{
	if (message->thread != THREAD_NONE)
		turns_add(lanes->turns, message->vcpu,
			  lanes->threads->at[message->thread].stream, message->ns, true,
			  lanes->chunks->out);
}

bool route_switch(struct lanes *lanes, const struct message_route *message)
{
	uint32_t vcpu = message->vcpu, number = message->thread;
	struct lane *lane;

	if (!is_free(lanes->threads, vcpu, number) ||
	    !lanes_reach(lanes, vcpu, message->position))
		return false;
	lane = &lanes->at[vcpu];
	if (lane->route == number)
		return true;
	lane->shared = true;
	route_give(lanes, vcpu, number);
	note_turn(lanes, message);
	return true;
}

bool route_message(struct lanes *lanes, struct span *span)
{
	struct message_route message;
	const uint8_t *bytes = span_bytes(span, sizeof(message));

	if (!bytes)
		return false;
	memcpy(&message, bytes, sizeof(message));
	return route_switch(lanes, &message);
}
