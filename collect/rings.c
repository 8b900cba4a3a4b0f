// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Pages of a ring may go only while the lane's writer cannot write to them: after their
 * ids have been taken, and before the tail is stored. The last id that was taken stays,
 * because its writer may want to read it again (lane_last()). It lies in a page whose
 * first ids are before the tail already; a writer that may use those stays LANE_SEGMENT
 * ids away from the tail, and a page has fewer.
 *
 * 	ring	| freed | freed | last taken id, kept | not taken yet ...
 * 		^ from		^ to - 1
 */
#include "collect/rings.h"

#include <sys/mman.h>
#include <sys/stat.h>

#define PAGE_IDS (4096 / sizeof(uint32_t))
#define BACKLOG_IDS LANE_SEGMENT /* of a lane, when they are tight */

_Static_assert(LANE_SEGMENT >= PAGE_IDS, "a writer stays a page away");

/*
 * Tight above the bound, and not before below half of it again: so it does not flicker.
 */
void rings_look(struct rings *rings, const struct memory *memory)
{
	struct stat st;

	if (fstat(memory->fd, &st) < 0)
		return;
	/* What the memory file occupies: pages of rings, and little else. */
	rings->bytes = (size_t)st.st_blocks * 512;
	if (rings->bytes > rings->bound)
		rings->tight = true;
	else if (rings->bytes < rings->bound / 2)
		rings->tight = false;
	atomic_store_explicit(&memory->board->backlog, rings->tight ? BACKLOG_IDS : 0,
			      memory_order_relaxed);
}

void rings_taken(const struct rings *rings, struct arena *arena, unsigned vcpu,
		 uint64_t from, uint64_t to)
{
	uint64_t pages = lane_ids(vcpu) / PAGE_IDS, at = from ? (from - 1) / PAGE_IDS : 0;
	uint64_t end = (to - 1) / PAGE_IDS, run;
	uint32_t *ring = lane_ring(arena, vcpu);

	for (; rings->tight && at < end; at += run) {
		run = end - at;
		if (run > pages - at % pages)
			run = pages - at % pages;
		madvise(ring + at % pages * PAGE_IDS, run * 4096, MADV_REMOVE);
	}
}
