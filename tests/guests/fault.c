// SPDX-License-Identifier: GPL-2.0-or-later
// Awkward: loads and stores that fault in the middle of a block. The handler either
// makes the page accessible (the block resumes at the instruction) or jumps away for
// good. With and without a siginfo.

#define _GNU_SOURCE
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>

static volatile int repair;
static unsigned char *page;
static sigjmp_buf home;
static volatile unsigned faults;

static void on_plain_fault(int sig)
{
	(void)sig;
	if (repair)
		mprotect(page, 4096, PROT_READ | PROT_WRITE);
	else
		siglongjmp(home, 1);
}

static void on_fault(int sig, siginfo_t *info, void *context)
{
	(void)context;
	faults += (unsigned char *)info->si_addr == page + 16;
	on_plain_fault(sig);
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
	struct sigaction plain = { .sa_handler = on_plain_fault };
	static volatile unsigned sum = 1;

	page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
		    -1, 0);
	if (page == MAP_FAILED)
		return 1;
	for (volatile unsigned i = 0; i < 300; i++) {
		repair = i % 3 != 0;
		if (i % 50 == 0) /* the frames of both differ */
			sigaction(SIGSEGV, i % 100 ? &plain : &act, NULL);
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
