// SPDX-License-Identifier: GPL-2.0-or-later
// Awkward: floating point, with library calls (libm, soft 128-bit long double), compares
// that go both ways, conversions and not-a-number.

#include <math.h>
#include <stdio.h>

int main(void)
{
	double x = 0.1, sum = 0;
	long double wide = 1;
	int order = 0;

	for (int i = 1; i < 4000; i++) {
		double y;

		x = 3.9 * x * (1 - x); /* the logistic map, chaotic yet exact */
		y = fma(x, i, 1.0 / i);
		order += y > i / 2 ? 1 : -1;
		sum += sqrt(y) + floor(x * 10) - (double)(float)y;
		if (i % 8 == 0)
			sum += exp(x) - log(y) + sin(x) * cos(y) + pow(y, x);
		if (isnan(0 * (i % 100 == 0 ? INFINITY : x)))
			order++;
		if (i % 16 == 0)
			wide = wide * (1 + (long double)x / 64) - wide / 128;
	}
	printf("float %.9f %d %.12Lf\n", sum, order, wide);
	return 0;
}
