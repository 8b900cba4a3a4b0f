// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A process id alone does not identify a process: when it is used, it may belong to
 * another one. A pidfd identifies it, so one is kept for each image. Where descriptors
 * run out, the process id has to do, and /proc shows whether a process of that id has
 * ended.
 */
#include "collect/image.h"

#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/pid.h"

void life_watch(struct life *life, uint32_t pid)
{
	life->pid = pid <= INT32_MAX ? pid : 0; /* kill() takes others for groups */
	life->fd = life->pid ? (int)syscall(SYS_pidfd_open, pid, 0) : -1;
}

void life_unwatch(struct life *life)
{
	if (life->fd >= 0)
		close(life->fd);
	life->fd = -1;
}

bool life_is_over(const struct life *life)
{
	struct pollfd poll_fd = { .fd = life->fd, .events = POLLIN };

	if (life->fd < 0)
		return !life->pid || pid_is_gone(life->pid);
	/*
	 * A pidfd is readable when its process has ended, also before its parent has
	 * waited for it.
	 */
	return poll(&poll_fd, 1, 0) > 0;
}

/* struct pidfd_info of Linux 6.13, whose headers need not be here. */
struct info {
	uint64_t mask, cgroup;
	uint32_t ids[11];
	int32_t status;
};

#define GET_INFO _IOWR(0xff, 11, struct info)
#define INFO_EXIT UINT64_C(8) /* of Linux 6.15 */

/* Of a process that was waited for. */
static bool reaped_status(int fd, int *status)
{
	struct info info = { .mask = INFO_EXIT };

	if (ioctl(fd, GET_INFO, &info) || !(info.mask & INFO_EXIT))
		return false;
	*status = info.status;
	return true;
}

int life_status(const struct life *life)
{
	int status = -1, zombie;

	if (life->fd < 0 || reaped_status(life->fd, &status))
		return status;
	zombie = pid_zombie_status(life->pid);
	/* While it is a zombie, which takes signals, no other process has its id. */
	if (zombie >= 0 && !syscall(SYS_pidfd_send_signal, life->fd, 0, NULL, 0))
		return zombie;
	reaped_status(life->fd, &status);
	return status;
}

void life_signal(const struct life *life, int signal)
{
	if (life->fd >= 0)
		syscall(SYS_pidfd_send_signal, life->fd, signal, NULL, 0);
	/* Process 0 would be our own group. */
	else if (life->pid)
		kill((pid_t)life->pid, signal);
}

/* Lifts a limit, or, as most users may only do, the soft limit as far as the hard one. */
static void lift(int resource)
{
	const struct rlimit none = { RLIM_INFINITY, RLIM_INFINITY };
	struct rlimit limit;

	if (!setrlimit(resource, &none) || getrlimit(resource, &limit))
		return;
	limit.rlim_cur = limit.rlim_max;
	/* At the hard limit comes SIGKILL; a second before it SIGXCPU, to complete the file. */
	if (resource == RLIMIT_CPU && limit.rlim_cur > 1)
		limit.rlim_cur--;
	setrlimit(resource, &limit);
}

void life_lift_limits(void)
{
	lift(RLIMIT_NOFILE);
	lift(RLIMIT_AS);
	lift(RLIMIT_CPU);
}
