/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What heap.c gathers and heap_view.c reads. */
#ifndef ANALYSIS_MEM_HEAP_DATA_H
#define ANALYSIS_MEM_HEAP_DATA_H

#include "analysis/mem/heap.h"
#include "analysis/mem/heap_log.h"

/* An object begins, or the one that began at that address ends. */
enum {
	HEAP_CHANGE_SLOT,   /* of its address: index of slots[] */
	HEAP_CHANGE_NUMBER, /* of the object; 0: it is freed */
	HEAP_CHANGE,
};

/*
 * The first `changes` changes of a space are visible to other threads from time `ns` on. Thread
 * `stream`, which made the last of them, sees that one from its instruction `insn` on. The log has
 * the thread, and of the other numbers the differences from the entry before.
 */
struct heap_time {
	uint64_t ns, insn, changes;
	unsigned stream;
};
enum { HEAP_TIME_NS, HEAP_TIME_INSN, HEAP_TIME_CHANGES, HEAP_TIME_STREAM, HEAP_TIME };

/*
 * All objects that ever were are in the log; in memory is what grows with the addresses that a
 * program uses, not with how often it does.
 */
struct heap_space {
	struct heap_log changes; /* [n_changes] in their order */
	uint64_t n_changes;
	struct heap_log times; /* when there were how many; only until marks are made */
	struct heap_time last_time; /* that is in it */
	unsigned n_streams;	    /* that were in the space */
	uint64_t *starts;	    /* [n_starts] ascending, each once */
	uint32_t *slots; /* [n_starts] indexes of starts[], by the order of first use */
	uint32_t n_starts;
};

/* From instruction `insn` on, a thread sees the first `changes` changes of a space. */
struct heap_mark {
	uint64_t insn, changes;
	uint32_t space;
};

/* In the log, both are what was added since the mark before; the first comes behind zeros. */
enum { HEAP_MARK_INSN, HEAP_MARK_CHANGES, HEAP_MARK_SPACE, HEAP_MARK };

struct heap_marks {
	struct heap_log log;   /* by insn */
	struct heap_mark last; /* that is in it */
	uint32_t space;	       /* that the thread entered last */
	unsigned n_spaces;     /* how often it entered one */
};

struct heap {
	struct heap_object *objects; /* [n_objects] of numbers 1 to n_objects */
	uint32_t n_objects;
	struct heap_space *spaces; /* [n_spaces] */
	uint32_t n_spaces;
	struct heap_marks *marks; /* [n_streams] */
	unsigned n_streams;
};

/*
 * Makes the marks of all of the trace's threads from the times of the spaces (heap_marks.c).
 * `threads` is how many threads compute them; it does not change the result. Errors are those of
 * cursors and of logs.
 */
int heap_marks_make(struct heap *heap, const struct wm_trace *trace, unsigned threads,
		    struct wm_error *err);

#endif
