// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * An anonymous file (memfd), so that nothing has to be cleaned up. The plugins of programs
 * that a guest becomes open it as /proc/PID/fd/N, which only the same user can.
 */
#include "collect/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define PLACES_FIRST 8
#define PLACES_SPARE 4 /* free ones there should be */

/* The limit on the size of files holds for shared memory too; an error is enough. */
static int resize(int fd, uint32_t places)
{
	struct sigaction ignore = { .sa_handler = SIG_IGN }, old;
	int ret, saved;

	sigaction(SIGXFSZ, &ignore, &old);
	ret = ftruncate(fd, (off_t)arena_off(places));
	saved = errno;
	sigaction(SIGXFSZ, &old, NULL);
	errno = saved;
	return ret;
}

/* As many places as a limit on files allows, at least one. */
static uint32_t resize_first(int fd)
{
	uint32_t places = PLACES_FIRST;

	while (places && resize(fd, places) < 0)
		places /= 2;
	return places;
}

static void fill(struct memory *memory, uint32_t places)
{
	struct board *board = memory->board;

	board->magic = ARENA_MAGIC;
	board->version = ARENA_VERSION;
	board->collector_pid = (uint32_t)getpid();
	snprintf(board->path, sizeof(board->path), "/proc/%d/fd/%d", (int)getpid(),
		 memory->fd);
	memory->places = places;
	atomic_store(&board->places, places);
}

int memory_adopt(struct memory *memory, int fd, struct wm_error *err)
{
	uint32_t places = resize_first(fd);
	int ret;

	memory->fd = fd;
	memory->board = MAP_FAILED;
	/* The guest has it open, too, and may not take it away under our hands. */
	fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_SEAL);
	fchmod(fd, 0600);
	if (places)
		memory->board = mmap(NULL, BOARD_BYTES, PROT_READ | PROT_WRITE,
				     MAP_SHARED, fd, 0);
	if (memory->board == MAP_FAILED) {
		ret = wm_fail_errno(err, "cannot create shared memory (see ulimit -f)");
		close(fd);
		return ret;
	}
	fill(memory, places);
	return 0;
}

int memory_create(struct memory *memory, struct wm_error *err)
{
	int fd = memfd_create("waymark", MFD_CLOEXEC | MFD_ALLOW_SEALING);

	if (fd < 0)
		return wm_fail_errno(err, "cannot create shared memory");
	return memory_adopt(memory, fd, err);
}

void memory_fini(struct memory *memory)
{
	munmap(memory->board, BOARD_BYTES);
	close(memory->fd);
}

struct arena *memory_map(const struct memory *memory, uint32_t place)
{
	void *arena = mmap(NULL, sizeof(struct arena), PROT_READ | PROT_WRITE,
			   MAP_SHARED | MAP_NORESERVE, memory->fd,
			   (off_t)arena_off(place));

	return arena == MAP_FAILED ? NULL : arena;
}

void memory_unmap(struct arena *arena)
{
	munmap(arena, sizeof(*arena));
}

void memory_provide(struct memory *memory)
{
	struct board *board = memory->board;
	uint32_t places = memory->places, unused = 0, more;

	for (uint32_t i = 0; i < places; i++)
		unused += atomic_load(&board->place[i]) == PLACE_FREE;
	more = places * 2 < PLACES_MAX ? places * 2 : PLACES_MAX;
	if (unused >= PLACES_SPARE || more == places || resize(memory->fd, more) < 0)
		return;
	memory->places = more;
	atomic_store(&board->places, more);
}

void memory_recycle(const struct memory *memory, uint32_t place)
{
	/* Should that fail, the place stays taken: who comes next must find zeros. */
	if (!fallocate(memory->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
		       (off_t)arena_off(place), sizeof(struct arena)))
		atomic_store(&memory->board->place[place], PLACE_FREE);
}
