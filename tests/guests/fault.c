// SPDX-License-Identifier: GPL-2.0-or-later
// Awkward: loads and stores that fault in the middle of a block. The handler either
// makes the page accessible (the block resumes at the instruction) or jumps away for
// good.

#define _GNU_SOURCE
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>

static volatile int repair;
static unsigned char *page;
static sigjmp_buf home;
static volatile unsigned faults;

static void on_fault(int sig, siginfo_t *info, void *context)
{
	(void)sig, (void)context;
	faults += (unsigned char *)info->si_addr == page + 16;
	if (repair)
		mprotect(page, 4096, PROT_READ | PROT_WRITE);
	else
		siglongjmp(home, 1);
}

__attribute__((noinline, noclone))
static unsigned touch(volatile unsigned char *at, unsigned x)
{
	x = x * 3 + 1;
	x ^= at[0]; /* faults here, between the others */
	x = x * 5 + 7;
	at[1] = (unsigned char)x;
	return x ^ x >> 7;
}

int main(void)
{
	struct sigaction act = { .sa_sigaction = on_fault, .sa_flags = SA_SIGINFO };
	static volatile unsigned sum = 1;

	sigaction(SIGSEGV, &act, NULL);
	page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
		    -1, 0);
	if (page == MAP_FAILED)
		return 1;
	for (volatile unsigned i = 0; i < 300; i++) {
		repair = i % 3 != 0;
		if (i % 2 == 0)
			mprotect(page, 4096, PROT_NONE);
		if (sigsetjmp(home, 1))
			sum = sum * 7;
		else
			sum += touch(page + 16, i);
	}
	printf("fault %08x %u\n", sum, faults);
	return 0;
}
