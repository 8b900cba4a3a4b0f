// SPDX-License-Identifier: GPL-2.0-or-later
// Awkward: calls nested far beyond the 1,024 return slots a codec keeps, so that most
// returns find their slot overwritten. Two call sites make the returns differ.

#include <stdio.h>

static volatile unsigned salt = 3;

__attribute__((noinline, noclone)) static unsigned dive(unsigned depth)
{
	unsigned below;

	if (depth == 0)
		return salt;
	if (depth % 3)
		below = dive(depth - 1);
	else
		below = ~dive(depth - 1);
	return (below ^ depth) * 31;
}

int main(void)
{
	unsigned sum = 0;

	for (unsigned depth = 1000; depth <= 5000; depth += 400)
		sum = sum * 7 + dive(depth);
	for (unsigned depth = 1020; depth <= 1028; depth++)
		sum = sum * 7 + dive(depth);
	printf("deep %08x\n", sum);
	return 0;
}
