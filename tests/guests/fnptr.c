// SPDX-License-Identifier: GPL-2.0-or-later
// Awkward: calls through function pointers, first in a fixed rotation (learnable), then
// in data-dependent order (not), then through pointers that the callee itself replaces.

#include <stdio.h>

typedef unsigned (*step_fn)(unsigned);

static step_fn next;

static unsigned add(unsigned x) { return x + 0x9e3779b9; }
static unsigned mix(unsigned x) { return (x ^ x >> 15) * 0x85ebca6b; }
static unsigned turn(unsigned x) { return x << 13 | x >> 19; }
static unsigned drop(unsigned x) { return x & 1 ? x >> 1 ^ 0xedb88320 : x >> 1; }

static unsigned flip(unsigned x);

static unsigned flop(unsigned x)
{
	next = x & 4 ? flip : flop;
	return x * 3 + 1;
}

static unsigned flip(unsigned x)
{
	next = x & 2 ? flop : flip;
	return x ^ x << 7;
}

int main(void)
{
	static step_fn volatile steps[] = { add, mix, turn, drop };
	unsigned x = 1;

	for (int i = 0; i < 40000; i++)
		x = steps[i % 4](x);
	for (int i = 0; i < 40000; i++)
		x = steps[x >> 30](x + i);
	next = flip;
	for (int i = 0; i < 40000; i++)
		x = next(x) + i;
	printf("fnptr %08x\n", x);
	return 0;
}
