/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What timeline.c finds and timeline_put.c writes. */
#ifndef REPORT_TIMELINE_H
#define REPORT_TIMELINE_H

#include "report/section.h"

/*
 * Only DRAWN series can be distinguished by colour; the others have a strip. BINS bounds
 * the size of the page: at most 4,096 bins of 9 numbers.
 */
enum {
	SERIES = 60,		/* functions that have a series of their own */
	DRAWN = 8,		/* of these, in the chart */
	STRIP = 256,		/* points of each one's picture */
	NO_SERIES = SERIES + 1, /* of no function: several pieces */
	THREADS_MAX = 16,
	BINS = 4096, /* of all threads together, at most */
};

/* Instructions of a block from the end of the previous piece to `end`. */
struct piece {
	uint32_t end;
	uint32_t series;
};

/* A whole block: its instructions, and whose they are; NO_SERIES: of several. */
struct whole {
	uint32_t insns, series;
};

struct bin {
	uint64_t series[SERIES + 1];
};

struct lane {
	unsigned stream;
	uint64_t from, width; /* instructions */
	uint32_t n_bins;
	struct bin *bins; /* [n_bins] */
};

/*
 * first[] is by space and block, because two spaces may name one block differently. 0
 * means an unknown block: piece 0 is a dummy.
 */
struct report_timeline {
	struct report *report;
	uint32_t known;
	uint32_t names[SERIES]; /* functions' numbers in the report */
	uint32_t *series;	/* [functions + 1] by number: its series */
	unsigned n_series;
	uint32_t functions;
	struct piece *pieces; /* [n_pieces] */
	size_t n_pieces, room;
	uint32_t *first;      /* [spaces][known + 1] index of a block's first piece */
	struct whole *wholes; /* [spaces][known + 1] the same of whole blocks, in short */
	uint32_t *spaces;     /* [n_spaces] in which the lanes' threads ran */
	uint32_t n_spaces;
	struct lane lanes[THREADS_MAX]; /* [n_lanes] by stream */
	unsigned streams[THREADS_MAX];	/* [n_lanes] the same, for the walk */
	unsigned n_lanes, threads;	/* that ran */
};

/* Writes "timeline" and "strips". */
void timeline_put(const struct report_timeline *line);
void timeline_put_strips(const struct report_timeline *line);

#endif
