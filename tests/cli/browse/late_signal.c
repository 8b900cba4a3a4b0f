/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Preloaded: SIGTERM comes when a program has decided to wait for a key, and does not wait yet. A
 * wait that goes on for a second then ends the program with status 9.
 */
#define _GNU_SOURCE
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static int came;

int ppoll(struct pollfd *fds, nfds_t n, const struct timespec *wait, const sigset_t *mask)
{
	struct timespec second = { .tv_sec = 1 };
	int ready;

	if (fds->fd != STDIN_FILENO || (wait && !wait->tv_sec && !wait->tv_nsec))
		return (int)syscall(SYS_ppoll, fds, n, wait, mask, _NSIG / 8);
	if (!came++)
		raise(SIGTERM);
	ready = (int)syscall(SYS_ppoll, fds, n, &second, mask, _NSIG / 8);
	if (!ready)
		_exit(9);
	return ready;
}

int poll(struct pollfd *fds, nfds_t n, int milliseconds)
{
	struct timespec wait = { milliseconds / 1000, milliseconds % 1000 * 1000000 };

	return ppoll(fds, n, milliseconds < 0 ? NULL : &wait, NULL);
}
