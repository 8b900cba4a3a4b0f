/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the instructions of a log did to registers and memory, by their position in their
 * CPU's sequence. It is kept in a temporary file, because the log may be a pipe and larger
 * than memory.
 */
#ifndef TRACE_LOGVALUES_H
#define TRACE_LOGVALUES_H

#include "trace/logspool.h"

struct logvalues {
	struct logspool *spool;	      /* of words, see logvalues.c; NULL: no values yet */
	uint64_t last[LOGSPOOL_CPUS]; /* position of the last value of each CPU */
	unsigned has;		      /* enum wm_access_kind: 1 << kind of those added */
};

void logvalues_fini(struct logvalues *values);

/*
 * Appends what the instruction at `position` of a CPU did; positions do not descend. NULL:
 * it is not known what it did. WM_E_NOMEM, WM_E_OUTPUT.
 */
int logvalues_add(struct logvalues *values, unsigned cpu, uint64_t position,
		  const struct wm_access *access, struct wm_error *err);

struct logvalues_reader {
	struct logspool_reader words;
	uint64_t position;
};

/* Before the first value of a CPU. `values` must outlive the reader, and not grow. */
void logvalues_reader_init(struct logvalues_reader *reader,
			   const struct logvalues *values, unsigned cpu);

struct logvalue {
	uint64_t position;
	bool unknown; /* it is not known what the instruction did; `access` is empty */
	struct wm_access access;
};
/* The next one. WM_END, WM_E_IO. */
int logvalues_next(struct logvalues_reader *reader, struct logvalue *value,
		   struct wm_error *err);

#endif
