// SPDX-License-Identifier: GPL-2.0-or-later
// Awkward: loads that fault right before a marker, where a block's first piece ends whole, and
// right after one; the handler leaves, or repairs the page so that the load begins again.

#define _GNU_SOURCE
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>

#include "waymark-mark.h"

static sigjmp_buf home;
static volatile unsigned char *page;
static volatile unsigned faults, leave, sum = 1;

static void on_fault(int sig)
{
	WAYMARK_BEGIN(3);
	faults++;
	WAYMARK_END(3);
	if (leave)
		siglongjmp(home, sig);
	mprotect((void *)page, 4096, PROT_READ | PROT_WRITE);
}

/* The same once more after itself, so that the first part has a block's begin. */
#define LOADS(from)                                                                      \
	do {                                                                             \
		(void)*(from);                                                           \
		WAYMARK_POINT(1);                                                        \
		WAYMARK_POINT(2);                                                        \
		(void)*(from);                                                           \
	} while (0)

__attribute__((noinline))
static void load(volatile unsigned char *from, unsigned x)
{
	sum += x;
	LOADS(from);
	sum ^= x;
	LOADS(from + 1);
}

int main(void)
{
	signal(SIGSEGV, on_fault);
	page = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (page == MAP_FAILED)
		return 1;
	for (volatile unsigned i = 0; i < 100; i++) {
		mprotect((void *)page, 4096, i % 5 ? PROT_NONE : PROT_READ);
		leave = i % 2;
		WAYMARK_BEGIN(4);
		if (!sigsetjmp(home, 1))
			load(page + i, i);
		WAYMARK_END(4);
	}
	printf("marks %08x %u\n", sum, faults);
	return 0;
}
