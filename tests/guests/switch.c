// SPDX-License-Identifier: GPL-2.0-or-later
// Awkward: a dense switch becomes an indirect jump through a table, a sparse one a tree
// of branches; both are driven by a generator with no short period.

#include <stdio.h>

static unsigned dense(unsigned op, unsigned x)
{
	switch (op) {
	case 0: return x + 1;
	case 1: return x * 5;
	case 2: return x ^ 0x5a5a;
	case 3: return x >> 3;
	case 4: return x << 2 | 1;
	case 5: return ~x;
	case 6: return x - 77;
	case 7: return x * x;
	case 8: return x % 1009;
	case 9: return x / 3 + 11;
	case 10: return x | 0xf0f0;
	case 11: return x & 0xffffff;
	default: return x ^ op;
	}
}

static unsigned sparse(unsigned x)
{
	switch (x % 5000) {
	case 3: return 1;
	case 70 ... 90: return 2;
	case 512: return 3;
	case 1000 ... 2500: return x & 1 ? 4 : 5;
	case 2501: return 6;
	case 4000 ... 4999: return 7;
	default: return 8;
	}
}

int main(void)
{
	unsigned seed = 1, x = 1;

	for (int i = 0; i < 100000; i++) {
		seed = seed * 1664525 + 1013904223;
		x = dense(seed >> 28, x) + sparse(seed >> 12);
	}
	printf("switch %08x\n", x);
	return 0;
}
