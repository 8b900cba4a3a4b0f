// SPDX-License-Identifier: GPL-2.0-or-later
// Awkward: stores into the very block they are in. What follows them is to run as stored,
// so QEMU leaves the block at the store, runs it alone, and goes on with a new block.

#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

typedef unsigned (*code_fn)(void);

int main(void)
{
	static const unsigned char before[] = { 0x90 }; /* nop */
#ifdef __x86_64__
	static const unsigned char store[] = { 0xc6, 0x04, 0x25 }; /* movb $.., address */
#else
	static const unsigned char store[] = { 0xc6, 0x05 };
#endif
	static const unsigned char after[] = { 0x90, 0xb8, 0, 0, 0, 0, /* mov $..,%eax */
					       0x83, 0xc0, 1, 0xc3 };  /* add; ret */
	unsigned char *code = mmap((void *)0x10000000, 4096,
				   PROT_READ | PROT_WRITE | PROT_EXEC,
				   MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
	unsigned sum = 0;

	if (code == MAP_FAILED)
		return 1;
	for (unsigned i = 0; i < 100; i++) {
		unsigned char *at = code + i % 7;
		uint32_t target;

		at = (unsigned char *)memcpy(at, before, sizeof(before)) + sizeof(before);
		at = (unsigned char *)memcpy(at, store, sizeof(store)) + sizeof(store);
		target = (uint32_t)(uintptr_t)(at + 4 + 1 + 2);
		memcpy(at, &target, 4);
		at[4] = (unsigned char)i;
		memcpy(at + 5, after, sizeof(after));
		sum = sum * 31 + ((code_fn)(code + i % 7))();
		/* The same with the store as the block's first instruction. */
		at[4] = (unsigned char)~i;
		sum = sum * 31 + ((code_fn)(code + i % 7 + sizeof(before)))();
	}
	printf("ownstore %u\n", sum);
	return 0;
}
