// SPDX-License-Identifier: GPL-2.0-or-later
// Ends as its arguments say: `exit N`, `signal N` or `kill N`; or by something unhandled:
// `fault` (in the middle of a block), `wild` (a jump to nowhere), `illegal`, `stack` (its
// overflow), `again` (a fault in the handler of one), `thread` (one that faults while
// others run).

#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
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
