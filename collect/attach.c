// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A user may load the plugin by hand: qemu-riscv64 -plugin libwaymark.so PROGRAM. The
 * plugin then makes the shared memory itself and starts `waymark collect`, which ends up
 * here. QEMU runs already, so the guest's command line is read from /proc. The guest
 * waits until one byte arrives on `ready_fd`: then somebody watches how its process
 * ends.
 */
#include "collect/record.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "collect/collector.h"
#include "collect/memory.h"
#include "collect/serve.h"

/* What the guest was started as: QEMU's own command line. */
static void read_command(pid_t guest, char *line, size_t size)
{
	char path[40];
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/cmdline", (int)guest);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	n = fd < 0 ? 0 : read(fd, line, size - 1);
	if (fd >= 0)
		close(fd);
	line[n > 0 ? n : 0] = 0;
	/* Arguments are separated by NULs; the last one ends the string. */
	for (ssize_t i = 0; i + 1 < n; i++)
		if (!line[i])
			line[i] = ' ';
}

static void say_ready(void *cookie)
{
	const int *ready_fd = cookie;

	(void)!write(*ready_fd, "", 1); /* a guest that is gone is noticed soon */
	close(*ready_fd);
}

int attach_run(int arena_fd, int ready_fd, pid_t guest, const char *qemu_version,
	       const char *output, const struct record_reports *reports,
	       struct wm_error *err)
{
	struct collector *collector;
	char command[4096];
	struct collector_facts facts = { .command = command,
					 .qemu_version = qemu_version };
	struct memory memory;
	int ret;

	read_command(guest, command, sizeof(command));
	/*
	 * On failure the process exits and `ready_fd` closes: the plugin reads end of
	 * file and reports it.
	 */
	ret = memory_adopt(&memory, arena_fd, err);
	if (ret)
		return ret;
	memory.board->follow = true;
	ret = collector_new(&collector, &memory, output, &facts, err);
	if (!ret)
		ret = serve(collector, &memory, guest, output, reports, say_ready,
			    &ready_fd, err);
	return ret;
}
