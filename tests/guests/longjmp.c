// SPDX-License-Identifier: GPL-2.0-or-later
// Awkward: longjmp leaves many frames at once, so calls never meet their returns and a
// stack of return addresses drifts away from the real one.

#include <setjmp.h>
#include <stdio.h>

static jmp_buf home;
static volatile unsigned seed = 1;

__attribute__((noinline, noclone)) static unsigned climb(unsigned depth)
{
	seed = seed * 1103515245 + 12345;
	if ((seed >> 16) % 97 == 0)
		longjmp(home, (int)(depth % 250) + 1);
	if (depth == 200)
		return 1;
	return climb(depth + 1) ^ depth;
}

int main(void)
{
	static volatile unsigned sum, jumps, plain;

	for (volatile int i = 0; i < 2000; i++) {
		int depth = setjmp(home);

		if (depth) {
			sum = sum * 31 + (unsigned)depth;
			jumps++;
		} else {
			sum ^= climb(0);
			plain++;
		}
	}
	printf("longjmp %08x %u jumps, %u returns\n", sum, jumps, plain);
	return 0;
}
