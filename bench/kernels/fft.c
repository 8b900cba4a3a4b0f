// SPDX-License-Identifier: GPL-2.0-or-later
// Radix-2 complex Fourier transform, forth and back: bit reversal, then butterflies with
// strides that double. Argument: pairs of transforms.

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { BITS = 14, N = 1 << BITS };

struct cplx {
	double re, im;
};

static struct cplx data[N], root[N / 2];

static void reorder(struct cplx *a)
{
	for (unsigned i = 1, j = 0; i < N; i++) {
		unsigned bit = N >> 1;

		for (; j & bit; bit >>= 1)
			j ^= bit;
		j ^= bit;
		if (i < j) {
			struct cplx t = a[i];

			a[i] = a[j];
			a[j] = t;
		}
	}
}

static void transform(struct cplx *a, double sign)
{
	reorder(a);
	for (unsigned half = 1; half < N; half *= 2)
		for (unsigned base = 0; base < N; base += 2 * half)
			for (unsigned k = 0; k < half; k++) {
				struct cplx w = root[k * (N / 2 / half)];
				struct cplx *lo = &a[base + k], *hi = lo + half, t;

				w.im *= sign;
				t.re = hi->re * w.re - hi->im * w.im;
				t.im = hi->re * w.im + hi->im * w.re;
				hi->re = lo->re - t.re;
				hi->im = lo->im - t.im;
				lo->re += t.re;
				lo->im += t.im;
			}
}

int main(int argc, char **argv)
{
	int rounds = argc > 1 ? atoi(argv[1]) : 250;
	double sum = 0;

	for (int i = 0; i < N / 2; i++) {
		root[i].re = cos(2 * M_PI * i / N);
		root[i].im = sin(2 * M_PI * i / N);
	}
	for (int i = 0; i < N; i++)
		data[i].re = i * 37 % 101 / 100.0;
	for (int round = 0; round < rounds; round++) {
		transform(data, -1);
		for (int i = 0; i < N; i++) {
			data[i].re /= N;
			data[i].im /= N;
		}
		sum += data[round % N].re;
		transform(data, 1);
	}
	printf("fft %.6f %.6f\n", sum, data[12345].re);
	return 0;
}
