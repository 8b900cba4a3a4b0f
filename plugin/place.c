// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Guests close file descriptors they do not know, so none is kept: mremap() with an old
 * size of 0 makes another mapping of shared pages, and of those after them. With the
 * board mapped, so are all arenas within reach, also for a forked child.
 */
#include "plugin/place.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"

#define TRIES 500 /* ... to get a place, 2 ms apart: the collector makes more */

_Alignas(4096) struct lane_head place_heads[PLACE_VCPUS_MAX];

static struct board *board;
static struct arena *arena;
static uint32_t place = PLACE_NONE;
static uint32_t *scratch; /* [LANE_LARGE_IDS] */

/* Maps `bytes` at `at`, or anywhere when that is NULL; NULL when it cannot be. */
static void *map_private(void *at, size_t bytes)
{
	void *memory =
		mmap(at, bytes, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | (at ? MAP_FIXED : 0),
		     -1, 0);

	return memory == MAP_FAILED ? NULL : memory;
}

/* Another mapping of an arena's memory; NULL when it cannot be. */
static struct arena *map_arena(uint32_t at)
{
	size_t off = arena_off(at);
	char *all = mremap(board, 0, off + sizeof(*arena), MREMAP_MAYMOVE);

	if (all == MAP_FAILED)
		return NULL;
	munmap(all, off);
	return (struct arena *)(all + off);
}

/* An arena's heads in the place that the callback's code knows. */
static bool map_heads(struct arena *of)
{
	return mremap(of->heads, 0, sizeof(of->heads), MREMAP_MAYMOVE | MREMAP_FIXED,
		      place_heads) != MAP_FAILED;
}

/* This process as the collector sees it: /proc tells, also in a pid namespace. */
static uint32_t own_pid(void)
{
	char text[16] = "";
	unsigned pid;

	if (readlink("/proc/self", text, sizeof(text) - 1) > 0 &&
	    sscanf(text, "%u", &pid) == 1)
		return pid;
	return (uint32_t)getpid();
}

static uint32_t take_free(void)
{
	uint32_t places = atomic_load(&board->places);

	for (uint32_t i = 0; i < places && i < PLACES_MAX; i++) {
		uint32_t unused = PLACE_FREE;

		if (atomic_compare_exchange_strong(&board->place[i], &unused,
						   PLACE_TAKEN))
			return i;
	}
	return PLACE_NONE;
}

/* Waits for a free place, should there be none. */
static bool take(void)
{
	static const struct timespec pause = { .tv_nsec = 2000000 };
	struct arena *mapped;

	place = take_free();
	for (unsigned i = 0; place == PLACE_NONE && i < TRIES; i++) {
		nanosleep(&pause, NULL);
		place = take_free();
	}
	if (place == PLACE_NONE)
		return false;
	mapped = map_arena(place);
	if (mapped && map_heads(mapped)) {
		arena = mapped;
		return true;
	}
	atomic_store(&board->place[place], PLACE_FREE);
	place = PLACE_NONE;
	return false;
}

static bool map_board(int fd)
{
	struct stat st;

	if (fstat(fd, &st) < 0 || (size_t)st.st_size < arena_off(1)) {
		fprintf(stderr, "waymark: the plugin was given no shared memory\n");
		return false;
	}
	board = mmap(NULL, BOARD_BYTES, PROT_READ | PROT_WRITE,
		     MAP_SHARED | MAP_NORESERVE, fd, 0);
	scratch = map_private(NULL, LANE_LARGE_IDS * sizeof(*scratch));
	if (board != MAP_FAILED && scratch)
		return true;
	fprintf(stderr, "waymark: cannot map the shared memory: %s\n", strerror(errno));
	return false;
}

bool place_open(int fd)
{
	bool mapped = map_board(fd);

	close(fd);
	if (!mapped)
		return false;
	if (board->magic != ARENA_MAGIC || board->version != ARENA_VERSION) {
		fprintf(stderr,
			"waymark: plugin and command are of different versions\n");
		return false;
	}
	if (take()) {
		arena->header.parent = PLACE_NONE;
		arena->header.guest_pid = own_pid();
		arena->header.begin_ns = clock_ns();
		return true;
	}
	fprintf(stderr, "waymark: no place for this process in the shared memory\n");
	return false;
}

struct board *place_board(void)
{
	return board;
}

struct arena *place_arena(void)
{
	return arena;
}

uint32_t place_lanes(void)
{
	uint32_t lanes = atomic_load(&arena->header.lanes);

	return lanes < LANES_MAX ? lanes : LANES_MAX;
}

uint32_t *place_ids(unsigned vcpu)
{
	return place == PLACE_NONE || vcpu >= LANES_MAX ? scratch :
							  lane_ring(arena, vcpu);
}

void place_ready(void)
{
	if (place != PLACE_NONE &&
	    atomic_load_explicit(&board->place[place], memory_order_relaxed) ==
		    PLACE_TAKEN)
		atomic_store(&board->place[place], PLACE_READY);
}

void place_leave(void)
{
	atomic_fetch_add(&board->missed, 1);
	place = PLACE_NONE;
	map_private(place_heads, sizeof(arena->heads));
	for (unsigned i = 0; i < place_lanes(); i++)
		place_heads[i].ids = scratch;
}

bool place_fork(uint32_t inherited, uint64_t begin_ns)
{
	struct arena *parents = arena;
	uint32_t parent = place;

	if (parent == PLACE_NONE || !take()) {
		if (parent != PLACE_NONE)
			atomic_fetch_add(&parents->header.forks_failed, 1);
		place_leave();
		return false;
	}
	memcpy(arena->header.isa, parents->header.isa, sizeof(arena->header.isa));
	memcpy(arena->header.program, parents->header.program,
	       sizeof(arena->header.program));
	arena->header.sizes_rule = parents->header.sizes_rule;
	arena->header.blind = parents->header.blind;
	arena->header.guest_pid = own_pid();
	arena->header.parent = parent;
	arena->header.inherited = inherited;
	arena->header.begin_ns = begin_ns;
	place_ready();
	/* Only now: from here on the parent's place may go to another process. */
	atomic_fetch_add(&parents->header.forks_placed, 1);
	munmap(parents, sizeof(*parents));
	return true;
}
