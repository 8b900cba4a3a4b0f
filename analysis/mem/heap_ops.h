/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What allocators did in each thread of a trace, by itself: a list for each, written once and
 * then read in order. Lists are as long as the run, so they are logs (heap_log.h).
 */
#ifndef ANALYSIS_MEM_HEAP_OPS_H
#define ANALYSIS_MEM_HEAP_OPS_H

#include "analysis/mem/allocators.h"
#include "analysis/mem/heap_log.h"
#include "trace/trace.h"

enum heap_op_kind {
	HEAP_ENTER, /* the thread comes to a space */
	HEAP_FREE,
	HEAP_MAKE,
};

struct heap_op {
	uint64_t ns;	  /* by the clock; of a thread it never goes back */
	uint64_t insn;	  /* from which on the thread itself sees it */
	uint64_t kind;	  /* enum heap_op_kind */
	uint64_t address; /* of an object, or the index of a space */
	/* Of HEAP_MAKE: its size, and where the allocator returned to: block and instruction. */
	uint64_t bytes, id, index;
};

/*
 * Fills logs[], one for each thread of the trace. `threads` is how many threads read the trace; it
 * does not change the result. The caller frees the logs, also on failure. Errors are those of
 * cursors and of logs.
 */
int heap_ops_gather(struct heap_log *logs, const struct wm_trace *trace,
		    const struct allocators *allocators, unsigned threads,
		    struct wm_error *err);

struct heap_ops_reader {
	struct heap_log_reader in;
	struct heap_op op; /* the one that was read last */
};
struct heap_ops_reader heap_ops_read(const struct heap_log *log);
/* Reads the next one; false: there is none. */
bool heap_ops_next(struct heap_ops_reader *reader);

#endif
