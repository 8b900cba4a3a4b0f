// SPDX-License-Identifier: GPL-2.0-or-later
// Awkward: faults whose handler never returns: nothing ever completes the block.

#define _GNU_SOURCE
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>

#include "probes.h"

static sigjmp_buf home;
static volatile unsigned faults;

static void on_fault(int sig)
{
	faults++;
	siglongjmp(home, sig);
}

int main(void)
{
	static volatile unsigned long sum = 1;
	unsigned char *pages = mmap(NULL, 3 * 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS,
				    -1, 0);

	signal(SIGSEGV, on_fault);
	if (pages == MAP_FAILED || mprotect(pages + 4096, 4096, PROT_READ | PROT_WRITE))
		return 1;
	/* Nowhere, no access, across the end of a page into it and out of it; and none. */
	void *places[] = { NULL, (void *)(1ul << 62), pages, pages + 4096 - 4,
			   pages + 2 * 4096 - 4, pages + 4096 };

	for (volatile unsigned i = 0; i < 40 * PROBES; i++) {
		if (sigsetjmp(home, 1))
			sum = sum * 7;
		else
			sum += probe(i % PROBES, places[i / PROBES % 6], i);
	}
	printf("jump %016lx %u\n", sum, faults);
	return 0;
}
