/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A comparison of a QEMU log with a trace, for the two files that do it: what was compared so
 * far, and the sentence with the result. A program uses qemulog.h.
 */
#ifndef TRACE_QEMULOG_COMPARISON_H
#define TRACE_QEMULOG_COMPARISON_H

#include "trace/qemulog-data.h"
#include "trace/qemulog-sequence.h"
#include "trace/qemulog.h"

struct comparison {
	const struct qemulog *log;
	const struct wm_trace *trace;
	unsigned process;
	struct qemulog_result *result;
	struct wm_error *err;
	uint32_t *twins; /* log id - 1 -> the equal block of the trace; 0: none yet */
	struct u64map pieces; /* log id << 32 | trace's id -> offset of the piece + 1 */
	struct qemulog_sequence *logged;

	unsigned cpu;
	uint64_t ordinal;     /* of the block on this CPU */
	int64_t generation;   /* of the current stream; -1: before the first */
	uint64_t insn;	      /* ordinal in that stream */
	struct wm_step ahead; /* the next block, if it was read already */
	bool has_ahead;
	uint64_t stopped; /* entries in doubt that the trace does not have, of all CPUs */
	uint64_t ended;	  /* those that may not have begun when the process ended */
	uint64_t traced;  /* blocks of the trace that were met, of all CPUs */
	bool stoppable;	  /* the process's end may have stopped threads anywhere */
	struct wm_cursor *blocks, *insns; /* NULL: no stream */
};

/* Appends to the sentence in the result. */
__attribute__((format(printf, 2, 3))) void comparison_say(struct comparison *walk,
							  const char *format, ...);
/* Begins the sentence with the block and the CPU. */
void comparison_say_place(struct comparison *walk);
/* Ends the sentence. Returns QEMULOG_DIFFERS. */
int comparison_differs(struct comparison *walk);
/* Says that the two blocks differ in address or size. Returns QEMULOG_DIFFERS. */
int comparison_places_differ(struct comparison *walk, const struct logblock *logged,
			     const struct wm_block *block);

/*
 * Compares block `id` with the log's block from its byte `off` on. *bytes is how many of
 * these it covers. A block without bytes is an action of QEMU itself: it covers the whole
 * block. 0, QEMULOG_DIFFERS or a negative code.
 */
int comparison_block(struct comparison *walk, uint32_t log_id, uint32_t off, uint32_t id,
		     uint32_t *bytes);

#endif
