/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A list of small tuples of numbers, as long as the run: written once, then read in order, as
 * often as is wanted and by several threads. It takes some 64 KiB of memory at most, and a megabyte
 * while it is written.
 */
#ifndef ANALYSIS_MEM_HEAP_LOG_H
#define ANALYSIS_MEM_HEAP_LOG_H

#include "base/spool.h"

struct heap_log {
	struct spool *spool; /* NULL: it is empty */
	struct span all;     /* its bytes, once it has ended */
};

void heap_log_fini(struct heap_log *log);
/* Appends a tuple. Errors are those of spool_put(). */
int heap_log_put(struct heap_log *log, const uint64_t *numbers, unsigned n,
		 struct wm_error *err);
/* Nothing follows; it can be read now. Errors are those of spool_end(). */
int heap_log_end(struct heap_log *log, struct wm_error *err);

struct heap_log_reader {
	const struct heap_log *log;
	struct span in;
	uint64_t given_back;
};

/* From its begin on. */
struct heap_log_reader heap_log_read(const struct heap_log *log);
/* Reads the next tuple. Returns false at the end of the log. */
bool heap_log_next(struct heap_log_reader *reader, uint64_t *numbers, unsigned n);

#endif
