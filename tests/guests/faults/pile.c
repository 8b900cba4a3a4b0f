// SPDX-License-Identifier: GPL-2.0-or-later
// Awkward: 26 signals come at once to a process that does little but fault, because it was
// stopped when they were sent: all their handlers are to run on top of the fault's.

#define _GNU_SOURCE
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "probes.h"

#define SIGNALS 26
#define ROUNDS 60

static sigjmp_buf back;
static volatile sig_atomic_t over;

static void handle_fault(int signal)
{
	siglongjmp(back, signal);
}

static void handle(int signal)
{
	if (signal == SIGUSR2)
		over = 1;
}

static void install(int signal, void (*handler)(int), int flags)
{
	struct sigaction act = { .sa_handler = handler, .sa_flags = flags };

	sigaction(signal, &act, NULL);
}

static void fault_until_told(void)
{
	probe_fn load = (probe_fn)load_middle;

	while (!over)
		if (!sigsetjmp(back, 0))
			load((void *)8, 1);
	_exit(6);
}

static void send_all(pid_t to)
{
	kill(to, SIGSTOP);
	waitpid(to, NULL, WUNTRACED);
	for (int i = 0; i < SIGNALS; i++)
		kill(to, SIGRTMIN + i);
	kill(to, SIGCONT);
}

int main(void)
{
	int status = 0;
	pid_t child;

	install(SIGSEGV, handle_fault, SA_NODEFER);
	install(SIGUSR2, handle, 0);
	for (int i = 0; i < SIGNALS; i++)
		install(SIGRTMIN + i, handle, 0);
	child = fork();
	if (!child)
		fault_until_told();
	for (int i = 0; i < ROUNDS; i++) {
		nanosleep(&(struct timespec){ .tv_nsec = 1000000 + i * 7919 }, NULL);
		send_all(child);
	}
	kill(child, SIGUSR2);
	waitpid(child, &status, 0);
	printf("pile %x\n", (unsigned)status);
	return 0;
}
