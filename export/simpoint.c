// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The three files of SimPoint 3.2, as its tools, gem5 and Valgrind's exp-bbv read and write
 * them.
 *
 *	.bb		T:1:120 :7:44		one interval: block 1 ran 120 instructions, 7 ran 44
 *	.simpoints	3 0			interval 3 stands for phase 0
 *	.weights	0.42 0			which is 42 % of all intervals
 *
 * Blocks have their ids of the trace, from 1. A block's number is its executions times its
 * instructions, as SimPoint wants it.
 */
#include "export/phases_format.h"

#include <inttypes.h>

static void put_vector(FILE *out, const struct bbv *bbv)
{
	putc('T', out);
	for (size_t i = 0; i < bbv->n; i++)
		fprintf(out, ":%" PRIu32 ":%" PRIu64 " ", bbv->ids[i], bbv->insns[i]);
	putc('\n', out);
}

static void put_points(FILE *out, const struct phases_picture *picture)
{
	const struct simpoints *simpoints = &picture->phases->simpoints;

	for (unsigned c = 0; c < simpoints->clusters.k; c++)
		fprintf(out, "%zu %u\n", simpoints->points[c].interval, c);
}

static void put_weights(FILE *out, const struct phases_picture *picture)
{
	const struct simpoints *simpoints = &picture->phases->simpoints;

	for (unsigned c = 0; c < simpoints->clusters.k; c++)
		fprintf(out, "%.9g %u\n", simpoints->points[c].weight, c);
}

const struct phases_format phases_bb = {
	.format = { "bb", FORMAT_PHASES, "bb", "SimPoint's frequency vectors" },
	.vector = put_vector,
};

const struct phases_format phases_simpoints = {
	.format = { "simpoints", FORMAT_PHASES, "simpoints",
		    "SimPoint's intervals and their phases" },
	.write = put_points,
};

const struct phases_format phases_weights = {
	.format = { "weights", FORMAT_PHASES, "weights",
		    "SimPoint's phases and their shares" },
	.write = put_weights,
};
