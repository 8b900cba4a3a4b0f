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

#define PAGE 4096
#define PAGE_IDS (PAGE / sizeof(uint32_t))
#define PAGE_WORDS (PAGE / sizeof(uint64_t))
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

/* Frees pages `at` <= i < `end` of a ring of so many pages, counted without wrapping. */
static void free_pages(char *ring, uint64_t pages, uint64_t at, uint64_t end)
{
	uint64_t run;

	for (; at < end; at += run) {
		run = end - at;
		if (run > pages - at % pages)
			run = pages - at % pages;
		madvise(ring + at % pages * PAGE, run * PAGE, MADV_REMOVE);
	}
}

void rings_taken(const struct rings *rings, struct arena *arena, unsigned vcpu,
		 uint64_t from, uint64_t to)
{
	uint64_t at = from ? (from - 1) / PAGE_IDS : 0;

	if (rings->tight)
		free_pages((char *)lane_ring(arena, vcpu), lane_ids(vcpu) / PAGE_IDS, at,
			   (to - 1) / PAGE_IDS);
}

/* Nobody reads a word again, but the page of the next one is being written. */
void rings_values_taken(const struct rings *rings, struct arena *arena, unsigned vcpu,
			uint64_t from, uint64_t to)
{
	if (rings->tight)
		free_pages((char *)lane_values(arena, vcpu),
			   lane_words(vcpu) / PAGE_WORDS, from / PAGE_WORDS,
			   to / PAGE_WORDS);
}
