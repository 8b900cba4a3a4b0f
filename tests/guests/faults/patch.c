// SPDX-License-Identifier: GPL-2.0-or-later
// Awkward: a function that is patched 1,000 times, and returns another number each time;
// the first is its first version, so there are 999 later ones. With an
// argument it prints where.

#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

enum { VERSIONS = 1000 };

int main(int argc, char **argv)
{
	uint32_t *code = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
			      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	unsigned wrong = 0;

	if (code == MAP_FAILED)
		return 1;
	code[1] = 0x00008067; /* ret */
	for (unsigned i = 0; i < VERSIONS; i++) {
		code[0] = 0x00000513 | i << 20; /* li a0, i */
		__asm__ volatile("fence.i" ::: "memory");
		wrong += ((unsigned (*)(void))code)() != i;
	}
	(void)argv;
	if (argc > 1)
		printf("at %p\n", (void *)code);
	printf("patch %u\n", wrong);
	return 0;
}
