// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Starts the collector for a plugin that was loaded by hand. The collector is the
 * `waymark` command beside the plugin, in a background process (base/background.c), so
 * that it outlives the guest and is not its child. It reports through a pipe: one byte
 * when it is ready, or end of file when it failed.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/background.h"
#include "format/arena.h"
#include "plugin/core/link.h"
#include "plugin/core/notice.h"

/* The command that belongs to this plugin: in its folder, or where it is installed. */
static bool find_command(char *path, size_t size)
{
	static const char *const places[] = { "waymark", "../../bin/waymark" };
	Dl_info self;
	const char *slash;

	/*
	 * The plugin's own path, as the dynamic loader knows it: the process is QEMU's,
	 * so its argv does not have it.
	 */
	if (!dladdr((void *)find_command, &self) || !self.dli_fname)
		return false;
	slash = strrchr(self.dli_fname, '/');
	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++) {
		snprintf(path, size, "%.*s%s",
			 slash ? (int)(slash + 1 - self.dli_fname) : 0, self.dli_fname,
			 places[i]);
		if (!access(path, X_OK))
			return true;
	}
	return false;
}

static void run_collector(const char *waymark, const char *out, int arena, int ready,
			  pid_t guest)
{
	char arena_fd[16], ready_fd[16], pid[16];

	snprintf(arena_fd, sizeof(arena_fd), "%d", arena);
	snprintf(ready_fd, sizeof(ready_fd), "%d", ready);
	snprintf(pid, sizeof(pid), "%d", (int)guest);
	/*
	 * On success exec() does not return. The descriptors are inherited on purpose, so
	 * neither has CLOEXEC.
	 */
	execl(waymark, waymark, "collect", "--arena-fd", arena_fd, "--ready-fd", ready_fd,
	      "--pid", pid, "-o", out, (char *)NULL);
	notice("cannot start %s: %s", waymark, strerror(errno));
	_exit(127);
}

static bool start(const char *waymark, const char *out, int arena)
{
	pid_t guest = getpid();
	int ready[2], forked;
	char byte;
	ssize_t n;

	if (pipe(ready) < 0)
		return false;
	forked = background_fork();
	if (!forked) {
		close(ready[0]);
		run_collector(waymark, out, arena, ready[1], guest);
	}
	/*
	 * Without this close the read below would never see end of file when the
	 * collector fails.
	 */
	close(ready[1]);
	do
		n = read(ready[0], &byte, 1);
	while (n < 0 && errno == EINTR);
	close(ready[0]);
	return forked > 0 && n == 1;
}

int spawn_collector(const char *out, const char *waymark)
{
	char beside[PATH_MAX];
	int arena;

	if (!waymark && find_command(beside, sizeof(beside)))
		waymark = beside;
	if (!waymark) {
		notice("no waymark command beside the plugin; "
		       "name it with waymark=PATH");
		return -1;
	}
	/*
	 * Sealing is allowed so that the collector can fix the size: a guest that shrank
	 * the file would make the collector fault.
	 */
	arena = memfd_create("waymark", MFD_ALLOW_SEALING);
	if (arena < 0) {
		notice("cannot create shared memory: %s", strerror(errno));
		return -1;
	}
	if (start(waymark, out, arena))
		return arena;
	notice("the collector did not start");
	close(arena);
	return -1;
}
