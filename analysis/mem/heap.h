/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Heap objects: where and when each object was on the heap, from the recorded values of
 * malloc() and similar functions. An object is named by the function that it was
 * allocated for and by its size: all of one name count as one.
 */
#ifndef ANALYSIS_MEM_HEAP_H
#define ANALYSIS_MEM_HEAP_H

#include <stdbool.h>

#include "program/functions.h"

struct heap_object {
	uint32_t function; /* number of the one that called the allocator */
	uint64_t bytes;
};

struct heap;

/*
 * Reads what was allocated in the whole trace, by all of its threads in the order of the clock.
 * `threads` is how many threads read it; it does not change the result. The caller frees *heap
 * with heap_free(); it is NULL if no values of an allocator were recorded. Errors are those of
 * cursors. Afterwards several threads may use it.
 */
int heap_new(struct heap **heap, const struct wm_trace *trace,
	     struct functions *functions, unsigned threads, struct wm_error *err);
void heap_free(struct heap *heap); /* takes NULL */

uint32_t heap_count(const struct heap *heap); /* takes NULL; numbers run from 1 to this */
const struct heap_object *heap_get(const struct heap *heap, uint32_t number);

/* The heap of a space at a moment of a thread; for one user at a time. */
struct heap_view;

/* At the thread's start. NULL: no memory. */
struct heap_view *heap_view_new(const struct heap *heap, unsigned stream, uint32_t space);
void heap_view_free(struct heap_view *view); /* takes NULL */

/*
 * Moves to the moment before instruction `insn` of the thread; forwards it costs little.
 * Returns whether anything is different there.
 */
bool heap_view_move(struct heap_view *view, uint64_t insn);

/* Addresses start <= address <= last, all of one object or of none. */
struct heap_range {
	uint64_t start, last;
	uint32_t number; /* 0: none */
};
void heap_view_find(const struct heap_view *view, uint64_t address,
		    struct heap_range *range);

#endif
