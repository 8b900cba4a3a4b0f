// SPDX-License-Identifier: GPL-2.0-or-later
// Awkward: functions that are handlers only at times: called like any other before they
// are installed and after, or in the handler itself; one handler for several signals,
// with and without SA_SIGINFO; a handler put in another's place while that runs.

#define _GNU_SOURCE
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "probes.h"

static unsigned char *page;
static sigjmp_buf home;
static volatile unsigned long sum = 1;
static volatile unsigned calls, leave;

/* A handler like one of old: the number and nothing more. */
static void plain(int sig)
{
	calls++;
	sum = sum * 31 + (unsigned)sig;
	if (sig == SIGSEGV && leave)
		siglongjmp(home, sig);
	if (sig == SIGSEGV)
		mprotect(page, 4096, PROT_READ | PROT_WRITE);
}

static void replaced(int sig)
{
	signal(sig, plain); /* the fault repeats, and another handler sees it */
	sum = sum * 7 + (unsigned)sig;
}

static void full(int sig, siginfo_t *info, void *context)
{
	sum = sum * 17 + (unsigned)(info != NULL) + (unsigned)(context != NULL);
	plain(sig);
}

static void install(unsigned round)
{
	static const int signals[] = { SIGSEGV, SIGUSR1, SIGUSR2, SIGBUS, SIGILL, SIGTRAP };
	struct sigaction act = { .sa_handler = plain };

	if (round % 3 == 1)
		act = (struct sigaction){ .sa_sigaction = full, .sa_flags = SA_SIGINFO };
	if (round % 3 == 2)
		act = (struct sigaction){ .sa_handler = replaced,
					  .sa_flags = SA_NODEFER | SA_RESETHAND };
	for (unsigned i = 0; i < sizeof(signals) / sizeof(*signals); i++)
		sigaction(signals[i], &act, NULL);
}

int main(void)
{
	page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (page == MAP_FAILED)
		return 1;
	for (volatile unsigned i = 0; i < 20 * PROBES; i++) {
		leave = 0;
		plain(SIGUSR1);
		full(SIGUSR2, NULL, NULL);
		sum += probe(i % PROBES, page, i);
		install(i);
		raise(SIGUSR1);
		raise(SIGSEGV); /* a fault in name only */
		install(i);
		mprotect(page, 4096, PROT_NONE);
		leave = i / PROBES % 2;
		if (!sigsetjmp(home, 1))
			sum += probe(i % PROBES, page, i);
		leave = 0;
		plain(SIGSEGV);
	}
	printf("handlers %016lx %u\n", sum, calls);
	return 0;
}
