// SPDX-License-Identifier: GPL-2.0-or-later
// Awkward: handlers that begin oddly: in the middle of a block that runs without a signal,
// too; with a loop of one block; with a block that faults itself; where another handler
// goes on. And two signals at once, so that one handler is interrupted before it begins.

#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>

#include "probes.h"

unsigned char *page;
volatile unsigned long turns, runs, deep;

extern void middle(int sig), looping(int sig), faulting(int sig), onward(int sig);
extern unsigned long before_middle(unsigned long x);

/* C's part of the handlers. */
void repair(int sig);

void repair(int sig)
{
	runs += (unsigned)sig;
	deep = 0;
	mprotect(page, 4096, PROT_READ | PROT_WRITE);
}

__asm__(".text\n"
	".option push\n"
	".option norelax\n"
	".balign 8\n"
	".type before_middle, @function\n"
	"before_middle:\n"
	"addi a1, a0, 1\n"
	"slli a1, a1, 1\n"
	".type middle, @function\n"
	"middle:\n"
	"addi a1, a1, 3\n"
	"addi a2, a1, 5\n"
	"li a3, 7\n"
	"bltu a0, a3, 1f\n" /* below 7: not a signal of ours */
	"tail repair\n"
	"1: mv a0, a2\n"
	"ret\n"
	".type looping, @function\n"
	"looping:\n"
	"la t0, turns\n"
	"ld t1, 0(t0)\n"
	"addi t1, t1, 1\n"
	"sd t1, 0(t0)\n"
	"andi t1, t1, 15\n"
	"bnez t1, looping\n"
	"tail repair\n"
	".type faulting, @function\n"
	"faulting:\n"
	"la t0, deep\n"
	"ld t1, 0(t0)\n"
	"addi t1, t1, 1\n"
	"sd t1, 0(t0)\n"
	"addi t2, t1, -3\n"
	"snez t2, t2\n"
	"neg t2, t2\n"	       /* at depth 3 it reads the stack, before that the page */
	"la t3, page\n"
	"ld t3, 0(t3)\n"
	"and t3, t3, t2\n"
	"not t2, t2\n"
	"and t2, t2, sp\n"
	"or t3, t3, t2\n"
	"ld t4, 0(t3)\n"
	"addi t4, t4, 1\n"
	"tail repair\n"
	".type onward, @function\n"
	"onward:\n"
	"addi a1, a1, 1\n"
	"j middle\n"
	".option pop\n");

static void install(void (*handler)(int), int flags)
{
	struct sigaction act = { .sa_handler = handler, .sa_flags = flags };

	sigaction(SIGSEGV, &act, NULL);
	mprotect(page, 4096, PROT_NONE);
}

/* SIGUSR1 and SIGUSR2 at once: the second is there before the first handler begins. */
static void both(void)
{
	sigset_t set;

	signal(SIGUSR1, onward);
	signal(SIGUSR2, looping);
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigaddset(&set, SIGUSR2);
	sigprocmask(SIG_BLOCK, &set, NULL);
	raise(SIGUSR1);
	raise(SIGUSR2);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
}

int main(void)
{
	static void (*const handlers[])(int) = { middle, looping, faulting, onward };
	unsigned long sum = 1;

	page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (page == MAP_FAILED)
		return 1;
	for (unsigned i = 0; i < 20 * PROBES; i++) {
		sum = sum * 31 + before_middle(i % 5);
		install(handlers[i / PROBES % 4], SA_NODEFER);
		sum += probe(i % PROBES, page, i);
		both();
	}
	printf("entries %016lx %lu %lu\n", sum, turns, runs);
	return 0;
}
