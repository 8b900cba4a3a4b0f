// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * broadcast BYTES...: how long MPI takes to bring that number of bytes from rank 0 to all others: the
 * shortest of several times, in seconds, for each size. For tests/long/scale.sh.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { TIMES = 20 };

/* In the slowest rank. */
static double send_once(char *bytes, int n)
{
	double begin, mine, all;

	MPI_Barrier(MPI_COMM_WORLD);
	begin = MPI_Wtime();
	MPI_Bcast(bytes, n, MPI_BYTE, 0, MPI_COMM_WORLD);
	mine = MPI_Wtime() - begin;
	MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
	return all;
}

int main(int argc, char **argv)
{
	int rank;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	for (int i = 1; i < argc; i++) {
		int n = atoi(argv[i]);
		char *bytes = calloc((size_t)n + 1, 1);
		double least = 1e9;

		for (int k = 0; bytes && k < TIMES; k++) {
			double took = send_once(bytes, n);

			if (took < least)
				least = took;
		}
		if (!rank)
			printf("%d %.6f\n", n, least);
		free(bytes);
	}
	MPI_Finalize();
	return 0;
}
