// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Something to optimize by a profile: a loop whose calls through pointers nearly always lead to
 * one function, and that calls a function too large to be inlined unless it is known to be hot.
 */
#include <stdio.h>
#include <stdlib.h>

/* Larger than a compiler inlines without knowing that it is hot. */
static int step(int kind, unsigned value, unsigned *state)
{
	switch (kind) {
	case 0:
		*state = *state * 3 + value;
		return (int)(*state & 7);
	case 1:
		*state ^= value << 3;
		*state += value >> 2;
		return (int)(*state & 3);
	case 2:
		for (unsigned i = 0; i < (value & 3); i++)
			*state = *state * 31 + i;
		return 1;
	case 3:
		if (*state & 1) {
			*state = *state / 3 + 1;
			return 2;
		}
		*state = (*state << 1) ^ 0x1021;
		return 3;
	case 4:
		printf("never %u\n", *state);
		exit(3);
	default:
		*state += 0x9e3779b9u;
		return 0;
	}
}

typedef unsigned (*mixer)(unsigned);

static unsigned mix_common(unsigned x)
{
	return x * 2654435761u + 1;
}

static unsigned mix_rare(unsigned x)
{
	return x ^ 0x55555555u;
}

static mixer mixers[16];

static unsigned __attribute__((noinline)) run(unsigned n)
{
	unsigned state = 1, sum = 0;

	for (unsigned i = 0; i < n; i++) {
		unsigned value = mixers[i % 16](i);

		if (value == 12345)
			sum += (unsigned)step(4, value, &state);
		sum += (unsigned)step(0, value, &state);
		if (i % 64 == 63)
			sum += (unsigned)step(i % 4, value, &state);
		if (i % 128 == 5)
			sum += (unsigned)step(3 + (i & 2), value, &state);
	}
	return sum + state;
}

int main(int argc, char **argv)
{
	unsigned n = argc > 1 ? (unsigned)atoi(argv[1]) : 20000;

	for (unsigned i = 0; i < 16; i++)
		mixers[i] = i == 7 ? mix_rare : mix_common;
	printf("%u\n", run(n));
	return 0;
}
