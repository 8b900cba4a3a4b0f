/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * QEMU's own trace events, of its log back end: QEMU writes lines into a FIFO, a thread
 * reads them and notes when each came, the collector takes them.
 */
#ifndef COLLECT_QEMU_TRACE_H
#define COLLECT_QEMU_TRACE_H

#include "base/error.h"

struct qemu_trace;

/* Makes the FIFO and starts the thread. */
int qemu_trace_open(struct qemu_trace **trace, struct wm_error *err);
/* For QEMU's option -D. */
const char *qemu_trace_path(const struct qemu_trace *trace);
/* The lines so far, each without its end; any bytes. `ns` is of CLOCK_MONOTONIC. */
void qemu_trace_take(struct qemu_trace *trace,
		     void (*line)(void *cookie, uint64_t ns, const char *text,
				  size_t bytes),
		     void *cookie);
/* Nobody writes any more: waits until all is read. Lines can still be taken. */
void qemu_trace_end(struct qemu_trace *trace);
/* Takes the FIFO away. NULL is fine. */
void qemu_trace_free(struct qemu_trace *trace);

/*
 * The time in front of a line, "4711@1700000000.123456:", which QEMU puts there when it
 * is asked to (-msg timestamp): moves *text, *bytes past it and sets *realtime_ns. False
 * when there is none.
 */
bool qemu_trace_stamp(const char **text, size_t *bytes, uint64_t *realtime_ns);

#endif
