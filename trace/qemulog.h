/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Compares a trace with QEMU's own log of the same run, made with `-d
 * in_asm,exec,nochain`: the proof that nothing was lost.
 *
 * A log has about 80 bytes for each block executed, so it is best read from a pipe while
 * the guest runs, before the trace is complete. Hence three steps, in this order;
 * `waymark verify FILE --against LOG` is
 *
 *	fd = open(LOG, O_RDONLY | O_CLOEXEC);	a FIFO is fine; "-" is fd 0
 *	qemulog_read(&log, fd, &err);		until QEMU ends: the end of the file
 *	trace_settle(FILE, 60, &err);		trace/settle.h: until the recorder has ended
 *	wm_trace_open(&trace, FILE, &err);	not earlier
 *	ret = qemulog_compare(log, trace, 0, &result, &err);
 *
 * It then prints result.text and exits with 0 for ret 0, with 1 for QEMULOG_DIFFERS, and
 * with 2 and err.text for a negative one. FILE must not be opened before qemulog_read()
 * returns. The same order works with a regular file as LOG.
 */
#ifndef TRACE_QEMULOG_H
#define TRACE_QEMULOG_H

#include <stdbool.h>

#include "waymark.h"

struct qemulog;

enum { QEMULOG_DIFFERS = 1 };

/*
 * Reads a log to its end from `fd`, which remains the caller's. *log is the caller's to
 * free. The sequence goes to an unlinked file in $TMPDIR, 4 bytes per block.
 *
 * WM_E_FORMAT when it is no such log (err->offset is the place in the log), WM_E_IO,
 * WM_E_NOMEM.
 */
int qemulog_read(struct qemulog **log, int fd, struct wm_error *err);
void qemulog_free(struct qemulog *log);
/* Whether QEMU ran without nochain, so that Trace lines are missing. */
bool qemulog_is_chained(const struct qemulog *log);

struct qemulog_result {
	uint64_t blocks, insns; /* found equal, up to the first difference */
	uint64_t log_blocks;	/* in the log, of all CPUs */
	uint64_t trace_blocks;	/* in the process's streams */
	unsigned cpus;		/* compared */
	uint32_t unread;	/* instructions compared by their bytes only */
	unsigned unbegun;	/* CPUs whose last block in the log did not begin */
	char text[1024];	/* the outcome, in sentences, without a newline */
};

/*
 * Compares the log with all streams of process `process` of the trace, CPU by CPU,
 * first to last: address, instructions, bytes and disassembly of every block, and every
 * instruction a cursor delivers. The log has no mark of which process wrote a line, so
 * it must be of that process alone.
 *
 * QEMU logs a block before it begins. So the log may have one more at the end of a CPU where
 * the process was killed, or where one of its threads ended it while others ran.
 *
 * Returns 0 when all is equal, QEMULOG_DIFFERS, or a negative code when one of the two
 * could not be read, or the trace has gaps. *result is filled in unless negative.
 */
int qemulog_compare(const struct qemulog *log, const struct wm_trace *trace,
		    unsigned process, struct qemulog_result *result,
		    struct wm_error *err);

#endif
