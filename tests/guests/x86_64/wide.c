// SPDX-License-Identifier: GPL-2.0-or-later
// Awkward: atomic operations of 16 bytes, in two threads: where the host has none, QEMU
// leaves the block and runs them alone.

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>

static _Alignas(16) uint64_t pair[2];

static void add(uint64_t low, uint64_t high)
{
	uint64_t a = 0, d = 0;
	char done;

	do
		__asm__ volatile("mov %%rax, %%rbx\n\tadd %4, %%rbx\n\t"
				 "mov %%rdx, %%rcx\n\tadd %5, %%rcx\n\t"
				 "lock cmpxchg16b %3\n\tsete %0"
				 : "=r"(done), "+&a"(a), "+&d"(d), "+m"(pair)
				 : "r"(low), "r"(high)
				 : "rbx", "rcx", "cc");
	while (!done);
}

static void *run(void *step)
{
	for (unsigned i = 0; i < 500; i++)
		add(i, (uintptr_t)step);
	return step;
}

int main(void)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, run, (void *)3))
		return 1;
	run((void *)5);
	pthread_join(thread, NULL);
	printf("wide %llu %llu\n", (unsigned long long)pair[0],
	       (unsigned long long)pair[1]);
	return 0;
}
