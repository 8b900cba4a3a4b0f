// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The files of SimPoint 3.2, as its tools, gem5 and Valgrind's exp-bbv read and write them.
 * Blocks have their ids of the trace, from 1; a block's number is that of the instructions
 * it ran, executions times size.
 */
#include "export/phases_format.h"

#include <inttypes.h>

void simpoint_put_vector(FILE *out, const struct bbv *bbv)
{
	putc('T', out);
	for (size_t i = 0; i < bbv->n; i++)
		fprintf(out, ":%" PRIu32 ":%" PRIu64 " ", bbv->ids[i], bbv->insns[i]);
	putc('\n', out);
}

void simpoint_put_points(FILE *out, const struct simpoints *simpoints)
{
	for (unsigned c = 0; c < simpoints->clusters.k; c++)
		fprintf(out, "%zu %u\n", simpoints->points[c].interval, c);
}

void simpoint_put_weights(FILE *out, const struct simpoints *simpoints)
{
	for (unsigned c = 0; c < simpoints->clusters.k; c++)
		fprintf(out, "%.9g %u\n", simpoints->points[c].weight, c);
}
