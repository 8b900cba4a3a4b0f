// SPDX-License-Identifier: GPL-2.0-or-later
#include "collect/arena_memory.h"

#include <errno.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* The limit on the size of files holds for shared memory too; an error is enough. */
static int resize(int fd, off_t bytes)
{
	struct sigaction ignore = { .sa_handler = SIG_IGN }, old;
	int ret, saved;

	sigaction(SIGXFSZ, &ignore, &old);
	ret = ftruncate(fd, bytes);
	saved = errno;
	sigaction(SIGXFSZ, &old, NULL);
	errno = saved;
	return ret;
}

int arena_create(struct arena **arena, int *fd, struct wm_error *err)
{
	int ret;

	*fd = memfd_create("waymark-arena", 0);
	if (*fd < 0)
		return wm_fail_errno(err, "cannot create shared memory");
	if (resize(*fd, sizeof(**arena)) < 0)
		ret = wm_fail_errno(err, "cannot create shared memory (see ulimit -f)");
	else
		ret = arena_attach(arena, *fd, err);
	if (ret)
		close(*fd);
	return ret;
}

int arena_attach(struct arena **out, int fd, struct wm_error *err)
{
	struct arena *arena;
	struct stat st;

	if (fstat(fd, &st) < 0)
		return wm_fail_errno(err, "cannot map shared memory");
	if ((uint64_t)st.st_size != sizeof(*arena))
		return wm_fail(err, WM_E_IO, 0,
			       "plugin and command are of different versions");
	arena = mmap(NULL, sizeof(*arena), PROT_READ | PROT_WRITE,
		     MAP_SHARED | MAP_NORESERVE, fd, 0);
	if (arena == MAP_FAILED)
		return wm_fail_errno(err, "cannot map shared memory");
	arena->header.magic = ARENA_MAGIC;
	arena->header.version = ARENA_VERSION;
	arena->header.collector_pid = (uint32_t)getpid();
	*out = arena;
	return 0;
}

void arena_unmap(struct arena *arena)
{
	munmap(arena, sizeof(*arena));
}
