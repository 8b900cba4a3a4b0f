/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Packets of a Perfetto trace: one sequence, on tracks of processes, threads and counters. */
#ifndef EXPORT_PERFETTO_FORMAT_H
#define EXPORT_PERFETTO_FORMAT_H

#include <stdio.h>

#include "export/calls_format.h"
#include "out/protobuf.h"

struct perfetto {
	FILE *out;
	struct buf packet, message, inner; /* reused; each is a field of the one before */
	bool begun;			   /* a packet was written */
	bool failed;			   /* no memory */
};

enum perfetto_event {
	PERFETTO_BEGIN = 1,
	PERFETTO_END = 2,
	PERFETTO_INSTANT = 3,
	PERFETTO_COUNTER = 4,
};

/* The track of a stream's calls and events. Viewers treat thread 0 as idle. */
static inline uint64_t perfetto_thread(unsigned stream)
{
	return stream + 1ull;
}

void perfetto_fini(struct perfetto *perfetto);
/* The packet, which has all of its own fields, goes to the file. */
void perfetto_put(struct perfetto *perfetto);
/* Moves a message into a field of the one around it. */
void perfetto_inside(struct buf *out, uint32_t field, struct buf *message);

/* What threads did beside calls: system calls, signals and markers, `most` at most. */
int perfetto_events(struct perfetto *perfetto, const struct calls_subject *subject,
		    uint64_t most, struct wm_error *err);
/*
 * What changes over time: how fast instructions came, and where accesses were recorded,
 * misses of caches and the working set. Errors are those of cursors and analyses.
 */
int perfetto_counters(struct perfetto *perfetto, const struct calls_subject *subject,
		      struct wm_error *err);

#endif
