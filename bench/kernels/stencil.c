// SPDX-License-Identifier: GPL-2.0-or-later
// Seven-point smoothing of a cube, two grids in turn: long counted loops over contiguous
// memory. Argument: sweeps.

#include <stdio.h>
#include <stdlib.h>

enum { N = 64 };

static double grid[2][N][N][N];

static void sweep(double (*restrict to)[N][N], double (*restrict from)[N][N])
{
	for (int i = 1; i < N - 1; i++)
		for (int j = 1; j < N - 1; j++)
			for (int k = 1; k < N - 1; k++)
				to[i][j][k] = 0.4 * from[i][j][k] +
					0.1 * (from[i - 1][j][k] + from[i + 1][j][k] +
					       from[i][j - 1][k] + from[i][j + 1][k] +
					       from[i][j][k - 1] + from[i][j][k + 1]);
}

int main(int argc, char **argv)
{
	int sweeps = argc > 1 ? atoi(argv[1]) : 300;
	double sum = 0;

	for (int i = 0; i < N; i++)
		for (int j = 0; j < N; j++)
			for (int k = 0; k < N; k++)
				grid[0][i][j][k] = grid[1][i][j][k] =
					(i * 7 + j * 5 + k * 3) % 17 / 16.0;
	for (int s = 0; s < sweeps; s++)
		sweep(grid[(s + 1) % 2], grid[s % 2]);
	for (int i = 0; i < N; i++)
		sum += grid[sweeps % 2][i][N - 1 - i][(i * 5) % N];
	printf("stencil %.12f\n", sum);
	return 0;
}
