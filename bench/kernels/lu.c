// SPDX-License-Identifier: GPL-2.0-or-later
// LU factorisation of a dense matrix with row exchanges, then a solve: loops whose
// lengths shrink as the work goes on. Argument: the matrix's order.

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static int factor(int n, double (*a)[n], int *row)
{
	for (int k = 0; k < n; k++) {
		int pivot = k;

		for (int i = k + 1; i < n; i++)
			if (fabs(a[i][k]) > fabs(a[pivot][k]))
				pivot = i;
		row[k] = pivot;
		if (a[pivot][k] == 0)
			return -1;
		for (int j = 0; pivot != k && j < n; j++) {
			double t = a[k][j];

			a[k][j] = a[pivot][j];
			a[pivot][j] = t;
		}
		for (int i = k + 1; i < n; i++) {
			double f = a[i][k] /= a[k][k];

			for (int j = k + 1; j < n; j++)
				a[i][j] -= f * a[k][j];
		}
	}
	return 0;
}

static void solve(int n, double (*a)[n], const int *row, double *b)
{
	for (int k = 0; k < n; k++) {
		double t = b[row[k]];

		b[row[k]] = b[k];
		b[k] = t;
	}
	for (int i = 0; i < n; i++)
		for (int j = 0; j < i; j++)
			b[i] -= a[i][j] * b[j];
	for (int i = n - 1; i >= 0; i--) {
		for (int j = i + 1; j < n; j++)
			b[i] -= a[i][j] * b[j];
		b[i] /= a[i][i];
	}
}

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 900;
	double(*a)[n] = malloc(sizeof(double) * (size_t)n * (size_t)n);
	double *b = malloc(sizeof(*b) * (size_t)n), sum = 0;
	int *row = malloc(sizeof(*row) * (size_t)n);
	unsigned long seed = 3;

	if (n < 1 || !a || !b || !row)
		return 2;
	for (int i = 0; i < n; i++) {
		b[i] = 0;
		for (int j = 0; j < n; j++) {
			seed = seed * 6364136223846793005u + 1442695040888963407u;
			a[i][j] = (double)(long)(seed >> 40) / (1 << 24) - 0.5;
			b[i] += a[i][j]; /* so that the solution is all ones */
		}
	}
	if (factor(n, a, row))
		return 1;
	solve(n, a, row, b);
	for (int i = 0; i < n; i++)
		sum += fabs(b[i] - 1);
	printf("lu %d %s\n", n, sum / n < 1e-6 ? "solved" : "wrong");
	free(a);
	free(b);
	free(row);
	return sum / n >= 1e-6;
}
