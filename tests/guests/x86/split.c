// SPDX-License-Identifier: GPL-2.0-or-later
// Awkward: locked operations across the end of a cache line, while other threads run. The
// host cannot do that at once, so QEMU leaves the block, stops the others, and runs the
// instruction alone; or, when another thread stops it just then, tries anew.

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>

enum { THREADS = 4 };

static _Alignas(64) char memory[128];

static void add(void *at, unsigned n)
{
	uint32_t old = n;

	__asm__ volatile("nop\n\tlock incl (%1)\n\tnop\n\tlock xaddl %0, (%1)\n\tnop\n\t"
			 "xchgl %0, (%1)\n\tnop"
			 : "+r"(old)
			 : "r"(at)
			 : "memory", "cc");
}

static void *run(void *unused)
{
	for (unsigned i = 0; i < 300; i++)
		add(memory + 61, i);
	return unused;
}

int main(void)
{
	pthread_t threads[THREADS];

	for (unsigned i = 0; i < THREADS; i++)
		if (pthread_create(&threads[i], NULL, run, NULL))
			return 1;
	run(NULL);
	for (unsigned i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	puts("split");
	return 0;
}
