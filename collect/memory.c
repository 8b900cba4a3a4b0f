// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The memory is an anonymous file (memfd): nothing has to be removed afterwards. Plugins
 * of programs that a guest becomes open it as /proc/PID/fd/N, which only the same user
 * can. Seals keep it from shrinking under a reader.
 *
 * A process that maps an arena need not be the one whose process id is in its header (a
 * child between fork() and its own arena, a process in another pid namespace); then only
 * the kernel knows who has it mapped.
 */
#include "collect/memory.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

/*
 * As many slots as the limit on the size of files, which is one for memory, too, allows.
 */
static uint32_t most_slots(void)
{
	struct rlimit limit;
	uint64_t n;

	if (getrlimit(RLIMIT_FSIZE, &limit) || limit.rlim_cur == RLIM_INFINITY)
		return SLOTS_MAX;
	if (limit.rlim_cur < arena_off(0))
		return 0;
	n = (limit.rlim_cur - arena_off(0)) / sizeof(struct arena);
	return n < SLOTS_MAX ? (uint32_t)n : SLOTS_MAX;
}

static void fill(struct memory *memory, uint32_t slots)
{
	struct board *board = memory->board;

	board->magic = ARENA_MAGIC;
	board->version = ARENA_VERSION;
	board->collector_pid = (uint32_t)getpid();
	/* Short and known at once; it stays valid as long as this process lives. */
	snprintf(board->path, sizeof(board->path), "/proc/%d/fd/%d", (int)getpid(),
		 memory->fd);
	memory->slots = slots;
	atomic_store(&board->slots, slots);
}

/*
 * Some of the shared memory; MAP_FAILED on failure. NORESERVE: an arena is gigabytes of address
 * space, of which little is ever used. A core of the recorder is without it: all its pages would be
 * allocated for that.
 */
static void *map_shared(int fd, size_t bytes, off_t off)
{
	void *map = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE,
			 fd, off);

	if (map != MAP_FAILED)
		(void)madvise(map, bytes, MADV_DONTDUMP);
	return map;
}

int memory_adopt(struct memory *memory, int fd, struct wm_error *err)
{
	uint32_t slots = most_slots();
	int ret;

	memory->fd = fd;
	memory->board = MAP_FAILED;
	errno = EFBIG; /* without a single slot */
	/* A memfd is created with mode 0777: through /proc other users could open it. */
	fchmod(fd, 0600);
	/*
	 * Guests have it open, too: what is mapped may not be taken away under our hands.
	 */
	if (slots && !ftruncate(fd, (off_t)arena_off(slots)) &&
	    !fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL))
		memory->board = map_shared(fd, BOARD_BYTES, 0);
	if (memory->board == MAP_FAILED) {
		ret = wm_fail_errno(err, "cannot create shared memory (see ulimit -f)");
		close(fd);
		return ret;
	}
	fill(memory, slots);
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

struct arena *memory_map(const struct memory *memory, uint32_t slot)
{
	void *arena =
		map_shared(memory->fd, sizeof(struct arena), (off_t)arena_off(slot));

	return arena == MAP_FAILED ? NULL : arena;
}

void memory_unmap(struct arena *arena)
{
	munmap(arena, sizeof(*arena));
}

bool memory_header(const struct memory *memory, uint32_t slot,
		   struct arena_header *header)
{
	return pread(memory->fd, header, sizeof(*header), (off_t)arena_off(slot)) ==
	       sizeof(*header);
}

void memory_recycle(const struct memory *memory, uint32_t slot)
{
	/*
	 * Who comes next must find zeros: should that fail, the slot is nobody's for
	 * ever.
	 */
	bool zero = !fallocate(memory->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
			       (off_t)arena_off(slot), sizeof(struct arena));

	atomic_store(&memory->board->slot[slot],
		     zero ? SLOT_FREE : slot_word(0, SLOT_TAKEN));
}

/* ---- who has an arena mapped --------------------------------------------- */

/* Whether a line of /proc/PID/maps is about bytes [from, to) of file `st`. */
static bool is_about(const char *line, const struct stat *st, uint64_t from, uint64_t to)
{
	uint64_t start, end, off, ino;
	unsigned major, minor;

	return sscanf(line, "%" SCNx64 "-%" SCNx64 " %*s %" SCNx64 " %x:%x %" SCNu64,
		      &start, &end, &off, &major, &minor, &ino) == 6 &&
	       ino == st->st_ino && makedev(major, minor) == st->st_dev && off < to &&
	       off + (end - start) > from;
}

static bool has_mapped(const char *pid, const struct stat *st, uint64_t from, uint64_t to)
{
	char path[300], line[512];
	bool found = false;
	FILE *maps;

	snprintf(path, sizeof(path), "/proc/%s/maps", pid);
	maps = fopen(path, "re");
	if (!maps)
		return false;
	/* A longer line continues in the next read, which does not parse as a map. */
	while (!found && fgets(line, sizeof(line), maps))
		found = is_about(line, st, from, to);
	fclose(maps);
	return found;
}

uint32_t memory_user(const struct memory *memory, uint32_t slot, uint32_t except)
{
	uint32_t found = 0, own = (uint32_t)getpid();
	DIR *folder = opendir("/proc");
	struct dirent *entry;
	struct stat st;

	if (!folder || fstat(memory->fd, &st) < 0) {
		if (folder)
			closedir(folder);
		return 0;
	}
	while (!found && (entry = readdir(folder))) {
		uint32_t pid = (uint32_t)strtoul(entry->d_name, NULL, 10);

		/* strtoul() gives 0 for entries that are no processes. */
		if (pid && pid != own && pid != except &&
		    has_mapped(entry->d_name, &st, arena_off(slot), arena_off(slot + 1)))
			found = pid;
	}
	closedir(folder);
	return found;
}
