/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What one CPU entered by a QEMU log, with the entries that may have been taken back. */
#ifndef TRACE_QEMULOG_SEQUENCE_H
#define TRACE_QEMULOG_SEQUENCE_H

#include "trace/qemulog-data.h"

struct qemulog_entry {
	uint32_t id;
	bool in_doubt; /* it may have been taken back */
};

struct qemulog_sequence {
	const struct qemulog *log;
	unsigned cpu;
	uint64_t at;		    /* of the next id of `spool` in the CPU's sequence */
	uint32_t doubt;		    /* the next one in log->doubts, of any CPU */
	struct qemulog_entry ahead; /* read, not yet given */
	bool has_ahead;
	uint32_t held_id, held; /* entries in doubt that wait for equal ones to pass */
	struct logspool_reader spool;
};

/* Starts to read what `cpu` entered, from a log that was read to its end. */
void qemulog_sequence_init(struct qemulog_sequence *sequence, const struct qemulog *log,
			   unsigned cpu);

/*
 * The next entry: 0, WM_END, or WM_E_IO. Of equal ones in a row, those in doubt come last: it
 * is the same which of them was taken back. So an entry in doubt differs from the next one.
 */
int qemulog_sequence_next(struct qemulog_sequence *sequence, struct qemulog_entry *entry,
			  struct wm_error *err);

#endif
