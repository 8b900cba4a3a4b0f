// SPDX-License-Identifier: GPL-2.0-or-later
// Awkward: threads that fork while others run: a child has one thread, which is not the
// first; it faults under handlers that its parent installed and others of its own, starts
// threads, forks again, and executes another program when there are arguments.

#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static unsigned char *page;
static volatile unsigned faults;
static volatile int stop;
static char **program;

static void on_fault(int sig)
{
	faults += (unsigned)sig;
	mprotect(page, 4096, PROT_READ | PROT_WRITE);
}

static void on_fault_of_child(int sig)
{
	faults += 100 * (unsigned)sig;
	mprotect(page, 4096, PROT_READ | PROT_WRITE);
}

static unsigned touch(unsigned n)
{
	volatile unsigned x = n;

	for (unsigned i = 0; i < n; i++) {
		mprotect(page, 4096, PROT_NONE);
		x = x * 3 + 1;
		x ^= *(volatile unsigned *)page;
		x = x * 5 + 7;
	}
	return x;
}

static void *spin(void *arg)
{
	volatile unsigned long x = (unsigned long)arg;

	while (!stop) {
		for (unsigned i = 0; i < 1000; i++)
			x = x * 31 + (x >> 7 ^ 5);
		usleep(100);
	}
	return NULL;
}

static void *touch_more(void *arg)
{
	touch((unsigned)(unsigned long)arg);
	return NULL;
}

static int await(pid_t child)
{
	int status = 0;

	return waitpid(child, &status, 0) == child && WIFEXITED(status) ? WEXITSTATUS(status) :
									  255;
}

static int child(void)
{
	pthread_t thread;
	pid_t grandchild;

	touch(20);
	signal(SIGSEGV, on_fault_of_child);
	touch(20);
	pthread_create(&thread, NULL, touch_more, (void *)30);
	pthread_join(thread, NULL);
	grandchild = fork();
	if (!grandchild) {
		touch(5);
		if (program)
			execv(program[0], program);
		_exit(faults % 200);
	}
	return (await(grandchild) + (int)faults) % 200;
}

static void *branch(void *arg)
{
	pid_t pid;

	(void)arg;
	touch(10);
	pid = fork();
	if (!pid)
		_exit(child());
	return (void *)(long)await(pid);
}

int main(int argc, char **argv)
{
	pthread_t spinners[2], thread;
	void *status[3];

	program = argc > 1 ? argv + 1 : NULL;
	signal(SIGSEGV, on_fault);
	page = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (page == MAP_FAILED)
		return 1;
	for (int i = 0; i < 2; i++)
		pthread_create(&spinners[i], NULL, spin, NULL);
	for (int i = 0; i < 3; i++) {
		pthread_create(&thread, NULL, branch, NULL);
		pthread_join(thread, &status[i]);
	}
	stop = 1;
	for (int i = 0; i < 2; i++)
		pthread_join(spinners[i], NULL);
	printf("threadfork %ld %ld %ld %u\n", (long)status[0], (long)status[1],
	       (long)status[2], faults);
	return 0;
}
