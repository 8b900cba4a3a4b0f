// SPDX-License-Identifier: GPL-2.0-or-later
// Awkward: 1,024 different functions, called through one indirect call in scattered
// order and then directly one after another: more targets than tables have room for.

#include <stdio.h>

#define R4(m, p) m(p##0) m(p##1) m(p##2) m(p##3)
#define R16(m, p) R4(m, p##0) R4(m, p##1) R4(m, p##2) R4(m, p##3)
#define R64(m, p) R16(m, p##0) R16(m, p##1) R16(m, p##2) R16(m, p##3)
#define R256(m, p) R64(m, p##0) R64(m, p##1) R64(m, p##2) R64(m, p##3)
#define R1024(m) R256(m, 0) R256(m, 1) R256(m, 2) R256(m, 3)

#define DEFINE(n)                                                                      \
	__attribute__((noinline)) static unsigned f##n(unsigned x)                     \
	{                                                                              \
		return x & 1 ? (x ^ 0x##n) * 3 : x + 0x##n;                            \
	}
#define NAME(n) f##n,
#define CALL(n) x = f##n(x);

R1024(DEFINE)

static unsigned (*const volatile table[])(unsigned) = { R1024(NAME) };

__attribute__((noinline)) static unsigned in_order(unsigned x)
{
	R1024(CALL)
	return x;
}

int main(void)
{
	unsigned seed = 9, x = 1;

	for (int i = 0; i < 60000; i++) {
		seed = seed * 1664525 + 1013904223;
		x = table[seed >> 22](x);
		if (i % 3000 == 0)
			x = in_order(x);
	}
	printf("manycalls %08x\n", x);
	return 0;
}
