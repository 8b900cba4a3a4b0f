// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * An anonymous file (memfd), so that nothing has to be cleaned up. The plugins of programs
 * that a guest becomes open it as /proc/PID/fd/N, which only the same user can.
 */
#include "collect/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

/* As many places as the limit on the size of files, which is one for memory, too, allows. */
static uint32_t most_places(void)
{
	struct rlimit limit;
	uint64_t n;

	if (getrlimit(RLIMIT_FSIZE, &limit) || limit.rlim_cur == RLIM_INFINITY)
		return PLACES_MAX;
	if (limit.rlim_cur < arena_off(0))
		return 0;
	n = (limit.rlim_cur - arena_off(0)) / sizeof(struct arena);
	return n < PLACES_MAX ? (uint32_t)n : PLACES_MAX;
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
	uint32_t places = most_places();
	int ret;

	memory->fd = fd;
	memory->board = MAP_FAILED;
	errno = EFBIG; /* without a single place */
	fchmod(fd, 0600);
	/* Guests have it open, too: what is mapped may not be taken away under our hands. */
	if (places && !ftruncate(fd, (off_t)arena_off(places)) &&
	    !fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL))
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

bool memory_header(const struct memory *memory, uint32_t place,
		   struct arena_header *header)
{
	return pread(memory->fd, header, sizeof(*header), (off_t)arena_off(place)) ==
	       sizeof(*header);
}

void memory_recycle(const struct memory *memory, uint32_t place)
{
	/* Who comes next must find zeros: should that fail, the place is nobody's for ever. */
	bool zero = !fallocate(memory->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
			       (off_t)arena_off(place), sizeof(struct arena));

	atomic_store(&memory->board->place[place],
		     zero ? PLACE_FREE : place_word(0, PLACE_TAKEN));
}
