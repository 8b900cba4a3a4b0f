// SPDX-License-Identifier: GPL-2.0-or-later
// Awkward: a program that faults all the time gets a timer's signals all the time: many come
// while a fault is on its way to its handler, and their handler runs first. No handler has
// a siginfo, with which most of these ISAs' frames are others.

#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/time.h>

enum { HITS = 300 };

static unsigned char *page;
static volatile unsigned hits, leave;
static sigjmp_buf home;

static void on_fault(int sig)
{
	(void)sig;
	if (leave)
		siglongjmp(home, 1);
	mprotect(page, 4096, PROT_READ | PROT_WRITE);
}

static void on_hit(int sig)
{
	(void)sig;
	hits++;
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
	struct itimerval each = { { 0, 300 }, { 0, 300 } }, none = { { 0, 0 }, { 0, 0 } };

	page = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (page == MAP_FAILED)
		return 1;
	signal(SIGSEGV, on_fault);
	signal(SIGALRM, on_hit);
	setitimer(ITIMER_REAL, &each, NULL);
	for (volatile unsigned i = 0; hits < HITS; i++) {
		mprotect(page, 4096, PROT_NONE);
		leave = i % 2;
		if (!sigsetjmp(home, 1))
			touch(page, i);
	}
	setitimer(ITIMER_REAL, &none, NULL);
	printf("crossfire\n");
	return 0;
}
