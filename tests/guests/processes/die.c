// SPDX-License-Identifier: GPL-2.0-or-later
// Ends as its arguments say: `exit N`, `signal N` or `kill N`; or by something unhandled:
// `fault` (in the middle of a block), `wild` (a jump to nowhere), `illegal`, `stack` (its
// overflow), `again` (a fault in the handler of one), `thread` (one that faults while
// others run), `full` (a stack's overflow, whose handler has no stack), `bad` (a fault whose
// handler's stack is not there), `bus` (the same of a file's end).

#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static volatile int *volatile nowhere;
static volatile int x = 1;

static void fault(int sig)
{
	x = x * 5 + 1;
	x += nowhere[sig];
	x = x * 7 + 3;
}

__attribute__((noinline, noclone))
static int overflow(int n)
{
	volatile char frame[4096];

	frame[0] = (char)n;
	return x ? overflow(n + 1) + frame[0] : 0;
}

static void *spin(void *arg)
{
	for (;;)
		x = x * 31 + (arg != NULL);
	return NULL;
}

static void thread(void)
{
	pthread_t other;

	for (int i = 0; i < 3; i++)
		pthread_create(&other, NULL, spin, NULL);
	for (int i = 0; i < 20000; i++)
		x = x * 31 + i;
	fault(0);
}

static void stackless(int sig)
{
	x += sig;
	_exit(3);
}

/* The handler's stack is not there. */
static void handle(int sig)
{
	stack_t stack = {
		.ss_sp = mmap(NULL, 65536, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0),
		.ss_size = 65536,
	};
	struct sigaction act = { .sa_handler = stackless, .sa_flags = SA_ONSTACK };

	sigaltstack(&stack, NULL);
	sigaction(sig, &act, NULL);
}

static void beyond_end(void)
{
	FILE *file = tmpfile();

	nowhere = mmap(NULL, 65536, PROT_READ, MAP_SHARED, fileno(file), 0);
	fault(0);
}

static void without_stack(const char *how)
{
	if (!strcmp(how, "full") && signal(SIGSEGV, stackless) != SIG_ERR)
		overflow(0);
	else if (!strcmp(how, "bad"))
		handle(SIGSEGV), fault(0);
	else if (!strcmp(how, "bus"))
		handle(SIGBUS), beyond_end();
}

static void by_fault(const char *how)
{
	if (!strcmp(how, "fault"))
		fault(0);
	else if (!strcmp(how, "wild"))
		((void (*)(void))nowhere)();
	else if (!strcmp(how, "illegal"))
		__asm__ volatile("addi t0, t0, 1\n.4byte 0x0000707f\naddi t0, t0, 1" ::: "t0");
	else if (!strcmp(how, "stack"))
		overflow(0);
	else if (!strcmp(how, "thread"))
		thread();
	else if (!strcmp(how, "again") && signal(SIGSEGV, fault) != SIG_ERR)
		fault(0);
	else
		without_stack(how);
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "exit";
	int number = argc > 2 ? atoi(argv[2]) : 0;

	if (!strcmp(how, "signal"))
		raise(number);
	else if (!strcmp(how, "kill"))
		kill(getpid(), number);
	else
		by_fault(how);
	return number;
}
