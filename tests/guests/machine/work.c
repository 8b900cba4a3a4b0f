// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A program of a machine whose Linux runs it: rounds of work(), which faults on fresh pages and
 * calls the kernel in its middle. Built twice, as "one" and, with OTHER, as "two": the same
 * functions at the same addresses, but work() is called other() in the second.
 *
 * usage: one|two ROUNDS
 */
#include <stdlib.h>
#include <sched.h>
#include <sys/mman.h>

#ifdef OTHER
#define work other
#endif

enum { PAGE = 4096, PAGES = 3 };

static volatile unsigned sum;

__attribute__((noinline, aligned(64))) unsigned work(unsigned round)
{
	char *pages = mmap(NULL, PAGES * PAGE, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	for (unsigned i = 0; i < PAGES; i++)
		pages[i * PAGE] = (char)(round + i);
	sched_yield();
	for (unsigned i = 0; i < 100; i++)
		sum += (unsigned)pages[i % PAGES * PAGE];
	munmap(pages, PAGES * PAGE);
	return sum;
}

/* What follows work(), at a place of its own. */
__attribute__((noinline, aligned(64))) unsigned rest(unsigned round)
{
	return sum ^= round;
}

int main(int argc, char **argv)
{
	unsigned rounds = argc > 1 ? (unsigned)atoi(argv[1]) : 1;

	for (unsigned i = 0; i < rounds; i++) {
		work(i);
		rest(i);
	}
	return 0;
}
