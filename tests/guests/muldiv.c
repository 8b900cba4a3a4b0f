// SPDX-License-Identifier: GPL-2.0-or-later
// Awkward: 64-bit and 128-bit multiplication, division and remainder, with RISC-V's own
// answers for division by zero and overflow, and library helpers for 128 bits.

#include <limits.h>
#include <stdio.h>

static volatile long zero, least = LONG_MIN, minus = -1;

static unsigned long divide(unsigned long a, unsigned long b)
{
	unsigned long q;

	__asm__("divu %0, %1, %2" : "=r"(q) : "r"(a), "r"(b));
	return q;
}

static long divide_signed(long a, long b)
{
	long q, r;

	__asm__("div %0, %2, %3\n\trem %1, %2, %3" : "=&r"(q), "=&r"(r) : "r"(a), "r"(b));
	return q ^ r;
}

int main(void)
{
	unsigned long a = 0x9e3779b97f4a7c15, sum = 0;

	for (unsigned long i = 1; i < 20000; i++) {
		unsigned __int128 wide;

		a = a * 6364136223846793005u + 1442695040888963407u;
		wide = (unsigned __int128)a * (a ^ i);
		sum += (unsigned long)(wide >> 64);
		sum += (unsigned long)(wide / (i * i + a % 7 + 1));
		sum ^= a / i + (unsigned long)((long)a % (long)i);
		sum += (unsigned)a / (unsigned)(i % 100 + 1);
		if (a % 1000 == 0)
			sum += divide(a, (unsigned long)zero);
	}
	sum += divide(sum, (unsigned long)zero);
	sum += (unsigned long)divide_signed(least, minus);
	sum += (unsigned long)divide_signed(least, zero);
	printf("muldiv %016lx\n", sum);
	return 0;
}
