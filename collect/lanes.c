// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * One ring, its reader's side:
 *
 *	        tail                 end (a head that was read, or a position of a message)
 *	...taken | take | take | ... |  ids that come later
 *
 * Each take is at most TAKE_IDS ids that do not wrap. They go to the stream of the thread
 * that the lane's route names, or are counted if that thread is left out, or are dropped if
 * the lane is nobody's; then the tail moves, and the writer may use their room.
 *
 * Nothing in a ring is trusted: the encoder takes only ids that a message has defined. At
 * the first other one the lane is given up with a reason, which ends up in the file; it is
 * still emptied, because its guest must not wait.
 */
#include "collect/lanes.h"

#include <stdlib.h>
#include <string.h>

#include "base/futex.h"

void lanes_fini(struct lanes *lanes)
{
	for (uint32_t i = 0; i < lanes->n; i++)
		value_lane_free(lanes->at[i].values);
	free(lanes->at);
}

bool lanes_provide(struct lanes *lanes, uint32_t n)
{
	uint32_t all = lanes->n;
	struct lane *grown;

	if (n <= all)
		return true;
	n += n / 2;
	grown = realloc(lanes->at, n * sizeof(*grown));
	if (!grown)
		return false;
	for (uint32_t i = all; i < n; i++)
		grown[i] = (struct lane){ .route = THREAD_NONE };
	lanes->at = grown;
	lanes->n = n < LANES_MAX ? n : LANES_MAX;
	return true;
}

void lanes_tell_room(struct arena *arena)
{
	struct arena_header *header = &arena->header;

	if (!atomic_load(&header->waiting))
		return;
	atomic_fetch_add(&header->room, 1);
	futex_wake_all(&header->room);
}

bool lanes_has_called(const struct lanes *lanes, uint32_t vcpu)
{
	return atomic_load(&lanes->arena->heads[vcpu].called) == lanes->at[vcpu].tail;
}

/* A lane that several threads shared has counted for all of them together. */
uint64_t lanes_passed(const struct lanes *lanes, const struct thread *thread)
{
	if (thread->lane == LANE_NONE || lanes->at[thread->lane].shared)
		return 0;
	return lane_passed(&lanes->arena->heads[thread->lane]);
}

bool lanes_worth(const struct lanes *lanes, uint32_t i, uint64_t head)
{
	const struct lane *lane = &lanes->at[i];

	return head - lane->tail >= lane_wake(i) ||
	       (lane->values && value_lane_worth(lane->values));
}

void lanes_settle(struct lanes *lanes, const struct thread *thread, bool killed)
{
	struct value_lane *values =
		thread->lane == LANE_NONE ? NULL : lanes->at[thread->lane].values;

	if (values)
		value_lane_settle(values, thread->stream, killed);
}

/* ---- taking ids ------------------------------------------------------------------------- */

/* What its words belong to is not known any more, either. */
static void break_lane(const struct lanes *lanes, struct lane *lane, const char *why)
{
	lane->broken = true;
	output_cut(lanes->chunks->out, why);
	if (lanes->values)
		image_values_end(lanes->values, why);
}

/* Whose the next ids of a lane are; NULL: nobody's. */
static struct thread *owner(const struct lanes *lanes, const struct lane *lane)
{
	return lane->route == THREAD_NONE ? NULL : &lanes->threads->at[lane->route];
}

/* Whether ids of the lane can be taken. */
static bool is_sound(const struct lanes *lanes, struct lane *lane)
{
	const struct thread *thread = owner(lanes, lane);

	if (!lane->broken && thread && thread->stream &&
	    stream_know(thread->stream, lanes->chunks->defs->known) < 0)
		break_lane(lanes, lane, output_no_memory);
	return !lane->broken;
}

/*
 * Moves a lane's tail, and shows it. An exchange and not a store: a tail that the guest changed
 * since guard_look() last compared it would be overwritten without notice.
 */
static void move_tail(struct lanes *lanes, uint32_t vcpu, uint64_t tail)
{
	struct lane *lane = &lanes->at[vcpu];
	uint64_t shown;

	if (lane->values)
		value_lane_show(lane->values, lanes->rings);
	rings_taken(lanes->rings, lanes->arena, vcpu, lane->tail, tail);
	shown = atomic_exchange_explicit(&lanes->arena->tails[vcpu].tail, tail,
					 memory_order_acq_rel);
	lanes->overwritten |= shown != lane->tail;
	lane->tail = tail;
	/* Who waits is woken with all others, and looks for its own room. */
	if (!lanes->crowded)
		lanes_tell_room(lanes->arena);
}

/* The same where words come with the ids, which must be counted whoever's they are. */
static bool take_values(const struct lanes *lanes, const struct lane *lane,
			const uint32_t *ids, size_t n)
{
	struct thread *thread = owner(lanes, lane);
	struct stream *stream = thread ? thread->stream : NULL;
	const struct id_map *in_ring = lanes->ids;

	if (!stream || !in_ring->same) {
		id_map_copy(lanes->ids, ids, n, lanes->scratch);
		ids = lanes->scratch;
		in_ring = NULL;
	}
	if (thread && !stream)
		thread_drop(lanes->threads, thread, ids, n);
	return value_lane_feed(lane->values, lanes->chunks, stream, in_ring, ids, n,
			       lane->tail);
}

/* Takes ids[n] of a lane's ring; false when they make no sense. */
static bool take(const struct lanes *lanes, const struct lane *lane, const uint32_t *ids,
		 size_t n)
{
	struct thread *thread = owner(lanes, lane);

	if (lane->values)
		return take_values(lanes, lane, ids, n);
	if (!thread)
		return true;
	ids = id_map_translate(lanes->ids, ids, n, lanes->scratch);
	if (thread->stream)
		return chunks_feed(lanes->chunks, thread->stream, ids, n);
	thread_drop(lanes->threads, thread, ids, n);
	return true;
}

/* Before ids are taken, whose head has been read. */
static void look_at_values(const struct lanes *lanes, struct lane *lane, uint32_t vcpu)
{
	if (!lanes->values || !lanes->values->recorded)
		return;
	if (!lane->values)
		lane->values = value_lane_new(lanes->values, lanes->arena, vcpu);
	if (lane->values)
		value_lane_look(lane->values);
	else
		break_lane(lanes, lane, output_no_memory);
}

/*
 * The tail moves after each take, not once at the end: the writer of a nearly full ring gets
 * room as early as possible. A broken lane is emptied in one step.
 */
void lanes_empty(struct lanes *lanes, uint32_t vcpu, uint64_t end)
{
	const uint32_t *ring = lane_ring(lanes->arena, vcpu);
	struct lane *lane = &lanes->at[vcpu];
	uint32_t size = lane_ids(vcpu);

	look_at_values(lanes, lane, vcpu);
	while (lane->tail != end && is_sound(lanes, lane)) {
		uint64_t off = lane->tail % size, n = end - lane->tail;

		if (n > size - off)
			n = size - off;
		if (n > TAKE_IDS)
			n = TAKE_IDS;
		if (!take(lanes, lane, ring + off, n))
			break_lane(lanes, lane,
				   lanes->chunks->encoders.pages.failed ?
					   output_no_memory :
					   output_scribbled);
		move_tail(lanes, vcpu, lane->tail + n);
	}
	if (lane->tail != end)
		move_tail(lanes, vcpu, end);
}

/*
 * A position before the tail would need ids to be given back; one beyond the head names ids that
 * no thread has written. Neither is checked on a broken lane, whose tail means nothing.
 */
bool lanes_reach(struct lanes *lanes, uint32_t vcpu, uint64_t position)
{
	const struct lane *lane;

	if (vcpu >= LANES_MAX || !lanes_provide(lanes, vcpu + 1))
		return false;
	lane = &lanes->at[vcpu];
	if (position < lane->tail ||
	    position > lane_readable(lanes->arena, vcpu, lane->tail))
		return lane->broken;
	lanes_empty(lanes, vcpu, position);
	return true;
}
