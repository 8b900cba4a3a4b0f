// SPDX-License-Identifier: GPL-2.0-or-later
// Awkward: faults that a handler repairs, so that the instruction begins again; one that
// lies across two pages faults once for each; a loop of one block faults at its first
// instruction, which is where a signal from outside would interrupt it, too.

#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>

#include "probes.h"

enum { PAGES = 16 };

static unsigned char *pages;
static volatile unsigned faults;

static void on_fault(int sig, siginfo_t *info, void *context)
{
	unsigned long at = (unsigned long)info->si_addr & -4096ul;

	(void)sig, (void)context;
	faults++;
	mprotect((void *)at, 4096, PROT_READ | PROT_WRITE);
}

/* Each turn of the loop is a block that begins with a load from the next page. */
static unsigned long walk(unsigned char *from, unsigned char *to)
{
	unsigned long sum = 0, x, step = 4096;

	__asm__ volatile("1: ld %1, 0(%2)\n"
			 "add %0, %0, %1\n"
			 "add %2, %2, %3\n"
			 "bne %2, %4, 1b"
			 : "+&r"(sum), "=&r"(x), "+&r"(from)
			 : "r"(step), "r"(to)
			 : "memory");
	return sum;
}

int main(void)
{
	struct sigaction act = { .sa_sigaction = on_fault, .sa_flags = SA_SIGINFO };
	unsigned long sum = 1;

	sigaction(SIGSEGV, &act, NULL);
	pages = mmap(NULL, PAGES * 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (pages == MAP_FAILED)
		return 1;
	for (unsigned i = 0; i < 60 * PROBES; i++) {
		unsigned page = 1 + i % (PAGES - 2), off = i / PROBES % 3 ? 4092 : 16;

		mprotect(pages, PAGES * 4096, i % 5 ? PROT_NONE : PROT_READ);
		sum = sum * 31 + probe(i % PROBES, pages + 4096 * page + off, i);
		if (i % 50 == 0)
			sum += walk(pages, pages + PAGES * 4096);
	}
	printf("repair %016lx %u\n", sum, faults);
	return 0;
}
