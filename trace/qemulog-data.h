/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is kept of a QEMU log: written by qemulog-read.c, walked by qemulog-compare.c. */
#ifndef TRACE_QEMULOG_DATA_H
#define TRACE_QEMULOG_DATA_H

#include "trace/logblocks.h"
#include "trace/logspool.h"

struct qemulog {
	struct logblocks blocks; /* ids in `spool` are theirs */
	struct logspool *spool;
	uint64_t traces;  /* Trace lines */
	uint64_t stopped; /* of which taken back by a Stopped line */
	unsigned cpus;	  /* one more than the highest CPU number seen */
	bool chained;	  /* blocks were chained to each other: nochain was missing */
};

#endif
