// SPDX-License-Identifier: GPL-2.0-or-later
// Gaussian pairs from a linear congruential generator by the polar method, counted in
// square annuli: a branch nobody can predict and calls into libm. Argument: thousands of
// pairs to try.

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const unsigned long modulus_mask = (1ul << 46) - 1;

static double draw(unsigned long *seed)
{
	*seed = *seed * 1220703125ul & modulus_mask; /* 5^13, modulo 2^46 */
	return (double)*seed * (2.0 / (double)(modulus_mask + 1)) - 1;
}

int main(int argc, char **argv)
{
	long pairs = (argc > 1 ? atol(argv[1]) : 12000) * 1000;
	unsigned long seed = 271828183, kept = 0, annulus[10] = { 0 };
	double sum_x = 0, sum_y = 0;

	for (long i = 0; i < pairs; i++) {
		double x = draw(&seed), y = draw(&seed), square = x * x + y * y;
		double scale, widest;

		if (square > 1 || square == 0)
			continue;
		scale = sqrt(-2 * log(square) / square);
		x *= scale;
		y *= scale;
		widest = fabs(x) > fabs(y) ? fabs(x) : fabs(y);
		annulus[(int)widest % 10]++;
		sum_x += x;
		sum_y += y;
		kept++;
	}
	printf("lcg %lu %.6f %.6f", kept, sum_x, sum_y);
	for (int i = 0; i < 6; i++)
		printf(" %lu", annulus[i]);
	putchar('\n');
	return 0;
}
