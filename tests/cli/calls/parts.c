// SPDX-License-Identifier: GPL-2.0-or-later
// So long that a trace has several chunks, most of whose bounds lie deep in recursion that
// began in others, and once in what longjmp leaves.

#include <setjmp.h>

#define FAR __attribute__((noinline, noclone))

static volatile unsigned sink;
static jmp_buf home;

FAR static void spin(unsigned rounds)
{
	for (unsigned i = 0; i < rounds; i++)
		if (sink & 1)
			sink += 3;
		else
			sink += 5;
}

FAR static int dive(int depth)
{
	spin(80000);
	if (depth == 0)
		return 1;
	depth = dive(depth - 1) + 1;
	spin(80000);
	return depth;
}

FAR static int tailed(int depth)
{
	spin(50000);
	return dive(depth);
}

FAR static void climb(int depth)
{
	spin(150000);
	if (depth == 0)
		longjmp(home, 1);
	climb(depth - 1);
	sink++;
}

int main(void)
{
	int depth = dive(40) + tailed(30);

	if (!setjmp(home))
		climb(60);
	spin(1000000);
	return depth != 41 + 31;
}
