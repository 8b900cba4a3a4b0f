// SPDX-License-Identifier: GPL-2.0-or-later
// Awkward: frames whose size is known only at run time (alloca and variable-length
// arrays), so that the stack pointer itself is computed.

#include <alloca.h>
#include <stdio.h>
#include <string.h>

__attribute__((noinline, noclone)) static unsigned vla(unsigned n)
{
	unsigned table[n][3], sum = 0;

	for (unsigned i = 0; i < n; i++)
		for (unsigned j = 0; j < 3; j++)
			table[i][j] = i * j + n;
	for (unsigned i = 0; i < n; i += 2)
		sum = sum * 17 + table[n - 1 - i][i % 3];
	return sum;
}

__attribute__((noinline, noclone)) static unsigned chain(unsigned n)
{
	char *scratch = alloca(n * 5 + 1);

	memset(scratch, (int)n, n * 5 + 1);
	if (n == 0)
		return 1;
	return (chain(n - 1) ^ (unsigned char)scratch[n]) * 3;
}

int main(void)
{
	unsigned sum = 0;

	for (unsigned n = 1; n < 300; n++)
		sum = sum * 31 + vla(n) + chain(n % 64);
	printf("alloca %08x\n", sum);
	return 0;
}
