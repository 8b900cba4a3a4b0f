// SPDX-License-Identifier: GPL-2.0-or-later
/* Floating point of many kinds, and a C library around it. */
#include <fenv.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

__attribute__((noinline)) double d(double x, double y, int k)
{
	switch (k & 7) {
	case 0:
		return x + y;
	case 1:
		return x * y - 1;
	case 2:
		return fma(x, y, -y);
	case 3:
		return sqrt(fabs(x));
	case 4:
		return fmin(x, y);
	case 5:
		return copysign(fmax(x, y), -x);
	case 6:
		return (double)(float)x - (float)y;
	default:
		return x / (y + 1.5);
	}
}

__attribute__((noinline)) float f(float x, float y)
{
	float z = x * y + x;

	z = -z - fmaf(x, -y, z);
	z /= 3.0f + sqrtf(fabsf(y));
	return z < x ? z : x;
}

__attribute__((noinline)) long cv(double x, float y)
{
	long l = (long)x;
	unsigned long u = (unsigned long)fabs(x);
	int i = (int)y;
	unsigned w = (unsigned)fabsf(y);
	union {
		double d;
		uint64_t u;
	} v = { x };

	l += (long)(double)i + (long)(float)w + lrint(x) + (long)(double)u;
	return l ^ (v.u >> 52) ^ (isnan(x) << 3) ^ (x == y);
}

int main(void)
{
	double a = 0.5, b = 1.25;
	long n = 0;
	float g = 1;

	for (int i = 0; i < 3000; i++) {
		a = d(a, b, i);
		b = d(b, (double)i, i >> 3);
		g = f(g, (float)b);
		if (!isfinite(a) || fabs(a) > 1e12)
			a = i * 0.001;
		if (!isfinite(b) || fabs(b) > 1e12)
			b = 1.1;
		if (!isfinite(g))
			g = 2;
		n += cv(a, g);
		if (i % 100 == 0)
			a += sin(b) + exp(-fabs(a) * 1e-9) + pow(1.5, fmod(fabs(b), 7));
	}
	fesetround(FE_DOWNWARD);
	a += 1.0 / 3;
	fesetround(FE_TONEAREST);
	printf("%g %.17g %g %ld %d\n", a, b, g, n, fetestexcept(FE_ALL_EXCEPT));
	double z = strtod("3.14159e2", 0);
	printf("%f\n", z);
	return 0;
}
