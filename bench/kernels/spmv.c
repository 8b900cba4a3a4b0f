// SPDX-License-Identifier: GPL-2.0-or-later
// Conjugate gradients over a random sparse matrix in compressed rows: the inner loop is a
// sparse matrix-vector product with indirect loads. Argument: iterations.

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROWS = 20000, PER_ROW = 12 };

static int start[ROWS + 1], column[ROWS * (PER_ROW + 1)];
static double value[ROWS * (PER_ROW + 1)];
static double x[ROWS], r[ROWS], p[ROWS], q[ROWS];

static void build(void)
{
	unsigned long seed = 1;
	int used = 0;

	for (int i = 0; i < ROWS; i++) {
		int extra = 0;

		start[i] = used;
		column[used] = i; /* the heavy diagonal keeps the system well behaved */
		value[used++] = 2 * PER_ROW;
		while (extra < PER_ROW / 2 + i % (PER_ROW / 2)) {
			seed = seed * 6364136223846793005u + 1442695040888963407u;
			column[used] = (int)((seed >> 33) % ROWS);
			value[used++] = 1.0 / (1 + (seed >> 60));
			extra++;
		}
	}
	start[ROWS] = used;
}

static void multiply(double *out, const double *in)
{
	for (int i = 0; i < ROWS; i++) {
		double sum = 0;

		for (int k = start[i]; k < start[i + 1]; k++)
			sum += value[k] * in[column[k]];
		out[i] = sum;
	}
}

static double dot(const double *a, const double *b)
{
	double sum = 0;

	for (int i = 0; i < ROWS; i++)
		sum += a[i] * b[i];
	return sum;
}

int main(int argc, char **argv)
{
	int rounds = argc > 1 ? atoi(argv[1]) : 800;
	double rho;

	build();
	for (int i = 0; i < ROWS; i++)
		r[i] = p[i] = 1;
	rho = dot(r, r);
	for (int round = 0; round < rounds; round++) {
		double alpha, next;

		multiply(q, p);
		alpha = rho / dot(p, q);
		for (int i = 0; i < ROWS; i++) {
			x[i] += alpha * p[i];
			r[i] -= alpha * q[i];
		}
		next = dot(r, r);
		if (round % 25 == 24) { /* start again, lest it converge to zero */
			for (int i = 0; i < ROWS; i++)
				r[i] = p[i] = x[i] * (i % 3 - 1) + 1;
			rho = dot(r, r);
			continue;
		}
		for (int i = 0; i < ROWS; i++)
			p[i] = r[i] + next / rho * p[i];
		rho = next;
	}
	printf("spmv %.9e\n", sqrt(dot(x, x)));
	return 0;
}
