// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The guest is not our child: a pidfd tells when it has ended, its exit status stays
 * unknown. Its own plugin says so earlier when it ends in order, and waits for us.
 */
#include "collect/attach.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "collect/collector.h"
#include "collect/control.h"
#include "collect/memory.h"

struct watch {
	int pidfd;
	struct collector *collector;
};

static void *watch_guest(void *cookie)
{
	struct watch *watch = cookie;
	struct pollfd poll_fd = { .fd = watch->pidfd, .events = POLLIN };

	while (poll(&poll_fd, 1, -1) < 0 && errno == EINTR)
		;
	collector_ended(watch->collector, -1);
	return NULL;
}

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
	for (ssize_t i = 0; i + 1 < n; i++)
		if (!line[i])
			line[i] = ' ';
}

/* What the guest's terminal sends is for the guest; we end when it has ended. */
static void ignore_signals(void)
{
	static const int signals[] = { SIGINT, SIGQUIT, SIGHUP, SIGTERM, SIGPIPE };

	for (size_t i = 0; i < sizeof(signals) / sizeof(*signals); i++)
		signal(signals[i], SIG_IGN);
}

static int collect(struct collector *collector, int pidfd, int ready_fd,
		   const char *output, struct wm_error *err)
{
	struct watch watch = { pidfd, collector };
	struct control *control;
	pthread_t thread;

	if (pthread_create(&thread, NULL, watch_guest, &watch)) {
		collector_finish(collector, NULL, NULL);
		return wm_fail_nomem(err, "a thread");
	}
	if (write(ready_fd, "", 1) != 1)
		collector_stop(collector);
	close(ready_fd);
	control = control_start(collector, output);
	collector_run(collector);
	control_stop(control);
	pthread_cancel(thread);
	pthread_join(thread, NULL);
	return collector_finish(collector, NULL, err);
}

int attach_run(int arena_fd, int ready_fd, pid_t guest, const char *qemu_version,
	       const char *output, struct wm_error *err)
{
	int pidfd = (int)syscall(SYS_pidfd_open, guest, 0);
	struct collector *collector;
	char command[4096];
	struct collector_facts facts = { .command = command,
					 .qemu_version = qemu_version };
	struct memory memory;
	int ret;

	if (pidfd < 0)
		return wm_fail_errno(err, "cannot watch process %d", (int)guest);
	ignore_signals();
	read_command(guest, command, sizeof(command));
	ret = memory_adopt(&memory, arena_fd, err);
	if (!ret) {
		memory.board->follow = true;
		ret = collector_new(&collector, &memory, output, &facts, err);
		if (!ret)
			ret = collect(collector, pidfd, ready_fd, output, err);
		memory_fini(&memory);
	}
	close(pidfd);
	return ret;
}
