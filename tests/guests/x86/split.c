// SPDX-License-Identifier: GPL-2.0-or-later
// Awkward: locked operations across the end of a cache line, while another thread runs.
// The host cannot do that at once, so QEMU leaves the block, stops the others, and runs
// the instruction alone.

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>

static _Alignas(64) char memory[128];

static void add(void *at, unsigned n)
{
	uint32_t old = n;

	__asm__ volatile("nop\n\tlock incl (%1)\n\tnop\n\tlock xaddl %0, (%1)\n\tnop"
			 : "+r"(old)
			 : "r"(at)
			 : "memory", "cc");
}

static void *run(void *unused)
{
	for (unsigned i = 0; i < 200; i++)
		add(memory + 61, i);
	return unused;
}

int main(void)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, run, NULL))
		return 1;
	run(NULL);
	pthread_join(thread, NULL);
	printf("split %u\n", *(unsigned *)(void *)(memory + 61));
	return 0;
}
