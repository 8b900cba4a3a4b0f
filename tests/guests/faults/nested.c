// SPDX-License-Identifier: GPL-2.0-or-later
// Awkward: faults and signals inside handlers: a handler that faults, or runs again the
// very block it was called from; a signal that waits for the handler to return, and then
// comes before the faulting instruction begins again.

#define _GNU_SOURCE
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>

#include "probes.h"

enum { PAGES = 8 };

static unsigned char *pages;
static sigjmp_buf home;
static volatile unsigned long sum = 1;
static volatile unsigned depth, deepest, which, faults, others;

static void repair(const siginfo_t *info)
{
	unsigned long at = (unsigned long)info->si_addr & -4096ul;

	mprotect((void *)at, 4096, PROT_READ | PROT_WRITE);
}

/* Faults once more for each page, in the same block, before it repairs its own. */
static void on_fault(int sig, siginfo_t *info, void *context)
{
	(void)sig, (void)context;
	faults++;
	if (++depth < PAGES)
		sum += probe(which, pages + 4096 * depth + 64, depth);
	if (depth > deepest)
		deepest = depth;
	repair(info);
	depth--;
}

/* SIGUSR1 waits until this has returned. */
static void on_fault_raise(int sig, siginfo_t *info, void *context)
{
	(void)sig, (void)context;
	faults++;
	raise(SIGUSR1);
	raise(SIGUSR2);
	repair(info);
}

/* Faults in turn, and the innermost leaves them all. */
static void on_fault_leave(int sig, siginfo_t *info, void *context)
{
	(void)sig, (void)info, (void)context;
	faults++;
	if (++depth == 3)
		siglongjmp(home, 1);
	sum += probe(which, pages + 4096 * depth + 64, depth);
}

static void on_user(int sig)
{
	others++;
	sum = sum * 31 + (unsigned)sig;
}

static void handle(void (*handler)(int, siginfo_t *, void *), int flags)
{
	struct sigaction act = { .sa_sigaction = handler, .sa_flags = SA_SIGINFO | flags };

	sigaddset(&act.sa_mask, SIGUSR1);
	sigaddset(&act.sa_mask, SIGUSR2);
	sigaction(SIGSEGV, &act, NULL);
	depth = 0;
	mprotect(pages, PAGES * 4096, PROT_NONE);
}

int main(void)
{
	pages = mmap(NULL, PAGES * 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (pages == MAP_FAILED)
		return 1;
	signal(SIGUSR1, on_user);
	signal(SIGUSR2, on_user);
	for (volatile unsigned i = 0; i < 20 * PROBES; i++) {
		which = i % PROBES;
		handle(on_fault, SA_NODEFER);
		sum += probe(which, pages + 64, i);
		handle(on_fault_raise, 0);
		sum += probe(which, pages + 64, i);
		handle(on_fault_leave, SA_NODEFER);
		if (!sigsetjmp(home, 1))
			sum += probe(which, pages + 64, i);
	}
	printf("nested %016lx %u %u %u\n", sum, deepest, faults, others);
	return 0;
}
