// SPDX-License-Identifier: GPL-2.0-or-later
/* Reaches a function, a line, a marker and a system call a known number of times. */
#include <unistd.h>

#include <waymark-mark.h>

static volatile unsigned sum;

__attribute__((noinline)) static void work(unsigned n)
{
	sum += n * n;
}

int main(void)
{
	for (unsigned i = 0; i < 20; i++) {
		WAYMARK_BEGIN(7);
		work(i);
		WAYMARK_END(7);
		if (i % 10 == 9)
			(void)!write(1, "\n", 1);
	}
	return 0;
}
