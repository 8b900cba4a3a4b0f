// SPDX-License-Identifier: GPL-2.0-or-later
// Awkward: one basic block far longer than a page and than QEMU's limit of instructions
// in a block, so that QEMU cuts it where the source has no branch.

#include <stdio.h>

#define S(n) x = (x ^ (x >> 9)) * 0x01000193u + a[(n) % 64];
#define S4(n) S(n) S((n) + 1) S((n) + 2) S((n) + 3)
#define S16(n) S4(n) S4((n) + 4) S4((n) + 8) S4((n) + 12)
#define S64(n) S16(n) S16((n) + 16) S16((n) + 32) S16((n) + 48)
#define S256(n) S64(n) S64((n) + 64) S64((n) + 128) S64((n) + 192)
#define S1024(n) S256(n) S256((n) + 256) S256((n) + 512) S256((n) + 768)

__attribute__((noinline, noclone)) static unsigned line(unsigned x, const unsigned *a)
{
	S1024(0)
	S1024(7)
	return x;
}

int main(void)
{
	unsigned a[64], x = 1;

	for (unsigned i = 0; i < 64; i++)
		a[i] = i * 2654435761u;
	for (int i = 0; i < 500; i++)
		x = line(x, a);
	printf("straight %08x\n", x);
	return 0;
}
