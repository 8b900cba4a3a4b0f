// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The collector keeps its own copy of everything that it writes to an arena, and here
 * compares it with the arena. It works with its own copy in any case; the comparison only
 * finds that something was overwritten, so that the file reports it.
 *
 * The hard case is memory that became zeros. A lane whose head is 0 looks like a lane in
 * which nothing was written: the ids that were there are lost, and nothing shows it. At
 * the end the writer's own count of laps shows it: laps * ring + head must be what was
 * taken. Example: a ring of 65,536 ids, laps 2, head at id 100: the writer has stored
 * 131,172 ids. If the reader's tail is 131,172 as well, nothing is missing.
 */
#include "collect/image.h"

/* Restores a tail that the guest changed; false if it had. */
static bool look_at_tail(struct arena *arena, _Atomic uint64_t *tail, uint64_t mine)
{
	if (atomic_load_explicit(tail, memory_order_relaxed) == mine)
		return true;
	/*
	 * Then whoever waits: with a wrong tail a writer may have gone to sleep for room
	 * that is there.
	 */
	atomic_store(tail, mine);
	lanes_tell_room(arena);
	return false;
}

static bool look_at_lane(struct arena *arena, uint32_t vcpu, const struct lane *lane)
{
	bool good = look_at_tail(arena, &arena->tails[vcpu].tail, lane->tail);

	if (lane->values)
		good &= !lane->values->overwritten &
			look_at_tail(arena, &arena->value_tails[vcpu].tail,
				     lane->values->shown);
	return good;
}

bool guard_look(struct image *image)
{
	const struct lanes *lanes = &image->lanes;
	struct arena *arena = image->arena;
	struct arena_header *header = &arena->header;
	bool good = !lanes->overwritten;

	if (read_once(&header->magic) != ARENA_MAGIC) {
		good = false;
		header->magic = ARENA_MAGIC;
	}
	/*
	 * Lanes are only ever added. A lower number would hide lanes from the next drain.
	 */
	if (atomic_load(&header->lanes) < lanes->seen) {
		good = false;
		atomic_store(&header->lanes, lanes->seen);
	}
	good &= look_at_tail(arena, &header->message_tail, image->message_tail);
	for (uint32_t i = 0; i < lanes->seen; i++)
		good &= look_at_lane(arena, i, &lanes->at[i]);
	return good;
}

/*
 * Whether the writer's count of ids agrees with the reader's; `over`: the writer has
 * ended.
 */
static bool is_in_step(const struct lanes *lanes, uint32_t vcpu, bool over)
{
	const struct lane_head *head = &lanes->arena->heads[vcpu];
	uint32_t laps = atomic_load(&head->laps), at = atomic_load(&head->head);
	uint64_t ahead = (uint64_t)laps * lane_ids(vcpu) + at / 4 - lanes->at[vcpu].tail;

	/* At the very end of its ring it may or may not have counted the lap. */
	if (at == lane_ids(vcpu) * 4)
		return ahead == 0 || ahead == lane_ids(vcpu) || !over;
	/* The writer went around between the two loads: nothing can be concluded. */
	if (!over && laps != atomic_load(&head->laps))
		return true;
	return ahead == 0 || (!over && ahead < lane_ids(vcpu));
}

bool guard_end(struct image *image)
{
	bool over = life_is_over(&image->life), good = guard_look(image);

	for (uint32_t i = 0; i < image->lanes.seen; i++)
		good &= is_in_step(&image->lanes, i, over);
	return good;
}
