/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The contents of a QEMU log: qemulog-read.c fills it. */
#ifndef TRACE_QEMULOG_DATA_H
#define TRACE_QEMULOG_DATA_H

#include "trace/logblocks.h"
#include "trace/logspool.h"

/*
 * A Trace line that a Stopped line may have taken back: it was the last one of several CPUs
 * with that pointer, and a Stopped line does not name its CPU.
 */
struct logdoubt {
	uint64_t at; /* where its id is in the CPU's sequence; or would be, before the id there */
	uint32_t id;
	unsigned cpu;
	bool there; /* in the spool. If not, this one was guessed to be taken back */
};

struct qemulog {
	struct logblocks blocks; /* the ids in `spool` are of these */
	struct logspool *spool;	 /* without the ids that were taken back */
	struct logdoubt *doubts; /* [doubts_n] those of a CPU are in its order */
	uint32_t doubts_n, doubts_room;
	uint64_t unsure; /* Stopped lines that one of several CPUs had printed */
	uint64_t traces; /* Trace lines */
	unsigned cpus;	 /* highest CPU number seen, plus 1 */
	bool chained;	 /* QEMU ran without nochain, so Trace lines are missing */
};

#endif
