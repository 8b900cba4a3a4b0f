/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The contents of a QEMU log: qemulog-read.c fills it, qemulog-compare.c reads it. */
#ifndef TRACE_QEMULOG_DATA_H
#define TRACE_QEMULOG_DATA_H

#include "trace/logblocks.h"
#include "trace/logspool.h"

struct qemulog {
	struct logblocks blocks; /* the ids in `spool` are of these */
	struct logspool *spool;
	uint64_t traces;  /* Trace lines */
	uint64_t stopped; /* Trace lines that a Stopped line took back */
	unsigned cpus;	  /* highest CPU number seen, plus 1 */
	bool chained;	  /* QEMU ran without nochain, so Trace lines are missing */
};

#endif
