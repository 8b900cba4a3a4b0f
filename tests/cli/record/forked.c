// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * One thread sleeps in recvfrom(), where a window has an end; meanwhile another one forks, and the
 * child runs work() and ends. QEMU translates code again when the sleeper comes back, which it
 * never does in the child.
 */
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static int ends[2];
static _Atomic int sleeper;

__attribute__((noinline)) static unsigned work(unsigned n)
{
	unsigned sum = 0;

	for (unsigned i = 0; i < n; i++) {
		sum = sum * 31 + i;
		__asm__ volatile("" : "+r"(sum));
	}
	return sum;
}

static void *sleeps(void *unused)
{
	char byte;

	sleeper = (int)syscall(SYS_gettid);
	recv(ends[0], &byte, 1, 0);
	return unused;
}

/* The host's number of the call that the thread sleeps in; -1: it runs. */
static int sleeps_in(int thread)
{
	char path[64], text[128] = "";
	int fd;

	snprintf(path, sizeof(path), "/proc/self/task/%d/syscall", thread);
	fd = open(path, O_RDONLY);
	if (fd < 0 || read(fd, text, sizeof(text) - 1) < 1)
		exit(3);
	close(fd);
	return strncmp(text, "running", 7) ? atoi(text) : -1;
}

int main(void)
{
	pthread_t thread;
	unsigned warm = work(10);
	int number, status;
	pid_t child;

	socketpair(AF_UNIX, SOCK_STREAM, 0, ends);
	pthread_create(&thread, NULL, sleeps, NULL);
	/* recvfrom of x86-64, and of AArch64 */
	do {
		sched_yield();
		number = sleeper ? sleeps_in(sleeper) : -1;
	} while (number != 45 && number != 207);
	child = fork();
	if (!child)
		_exit(work(1000) == warm);
	waitpid(child, &status, 0);
	(void)!write(ends[1], "x", 1);
	pthread_join(thread, NULL);
	return WEXITSTATUS(status);
}
