// SPDX-License-Identifier: GPL-2.0-or-later
// Awkward: atomic operations of 16 bytes, in two threads, by exclusive loads and stores
// and by one instruction: where the host has none, QEMU leaves the block and runs it alone.

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>

static _Alignas(16) uint64_t pair[2];

static void add_exclusive(uint64_t low, uint64_t high)
{
	uint64_t a, b;
	uint32_t failed;

	do
		__asm__ volatile("ldaxp %0, %1, %3\n\tadd %0, %0, %4\n\tadd %1, %1, %5\n\t"
				 "stlxp %w2, %0, %1, %3"
				 : "=&r"(a), "=&r"(b), "=&r"(failed), "+Q"(pair)
				 : "r"(low), "r"(high));
	while (failed);
}

static void add_compare(uint64_t low, uint64_t high)
{
	register uint64_t a __asm__("x4"), b __asm__("x5");
	register uint64_t c __asm__("x6"), d __asm__("x7");
	uint64_t seen_a, seen_b;

	do {
		seen_a = a = pair[0];
		seen_b = b = pair[1];
		c = a + low;
		d = b + high;
		__asm__ volatile(".arch armv8.1-a\n\tcaspal x4, x5, x6, x7, %4"
				 : "+r"(a), "+r"(b), "+r"(c), "+r"(d), "+Q"(pair));
	} while (a != seen_a || b != seen_b);
}

static void *run(void *step)
{
	for (unsigned i = 0; i < 500; i++) {
		add_exclusive(i, (uintptr_t)step);
		add_compare(i, (uintptr_t)step);
	}
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
