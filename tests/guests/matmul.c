// SPDX-License-Identifier: GPL-2.0-or-later
// Awkward: not at all: a matrix product, three nested counted loops. A codec that is not
// nearly free here is wrong somewhere.

#include <stdio.h>

#define N 64

static double a[N][N], b[N][N], c[N][N];

int main(void)
{
	double trace = 0;

	for (int i = 0; i < N; i++)
		for (int j = 0; j < N; j++) {
			a[i][j] = (i * 7 + j * 3) % 11 - 5;
			b[i][j] = (i * 5 - j * 2) % 13 / 4.0;
		}
	for (int i = 0; i < N; i++)
		for (int j = 0; j < N; j++) {
			double sum = 0;

			for (int k = 0; k < N; k++)
				sum += a[i][k] * b[k][j];
			c[i][j] = sum;
		}
	for (int i = 0; i < N; i++)
		trace += c[i][i] * (i + 1) - c[i][N - 1 - i];
	printf("matmul %.6f\n", trace);
	return 0;
}
