/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What accessed memory belongs to, by number: a variable or a file, a heap object, the frames
 * of a function, a stack. waymark-mem(1), OBJECTS, has the rules.
 */
#ifndef ANALYSIS_MEM_OWNERS_H
#define ANALYSIS_MEM_OWNERS_H

#include "analysis/mem/heap.h"
#include "analysis/mem/pages.h"
#include "program/objects.h"

/*
 * Numbers: from 1 on objects, after them heap objects; then `stack`, `stack` + 1 for what
 * nothing is known of, and from `frames` + 1 on the frames of functions. 0 is what is no
 * object: the page then decides whether it is the stack's.
 */
struct mem_owners {
	struct objects *objects;
	struct heap *heap; /* NULL: no values of an allocator were recorded */
	const struct functions *functions;
	uint32_t heap_first; /* less 1 */
	uint32_t stack, frames;
	uint32_t n; /* no number is greater */
};

/*
 * The caller calls mem_owners_fini(), also on failure; symbols and functions, which get
 * the callers of allocators, must outlive it. Functions that are numbered later have no
 * frames. `threads` read the trace; afterwards several threads may use the owners. Errors are
 * those of heap_new().
 */
int mem_owners_init(struct mem_owners *owners, const struct wm_trace *trace,
		    struct symbols *symbols, struct functions *functions,
		    unsigned threads, struct wm_error *err);
void mem_owners_fini(struct mem_owners *owners);

/*
 * The range of addresses around one that all belong to `number`; `view`, of a heap at some
 * moment, may be NULL. *at, when not NULL: where the object starts; 0: not known.
 */
struct mem_range {
	uint64_t start, last;
	uint32_t number;
};
void mem_owners_find(const struct mem_owners *owners, const struct heap_view *view,
		     uint32_t space, uint64_t address, struct mem_range *range,
		     uint64_t *at);

/* Names in C++ may have 1,000 letters, and what tells them apart is at their end. */
#define MEM_OWNER_TEXT 4096
/* Its name, "heap: main (24)"; *module: the file's path, or NULL. Returns `text`. */
const char *mem_owner_name(const struct mem_owners *owners, uint32_t number,
			   char text[MEM_OWNER_TEXT], const char **module);

/* ---- stacks ------------------------------------------------------------------------ */

/* Pages that were accessed relative to the stack pointer: [n], ascending. */
struct mem_stacks {
	struct mem_stack_page {
		uint32_t space;
		uint64_t page;
	} * pages;
	size_t n;
};

/* From pages whose by_stack is not 0. The caller frees stacks->pages. False: no memory. */
bool mem_stacks_init(struct mem_stacks *stacks, const struct mem_pages *pages);
/* Whether a page is one of them, or between two that are near each other. */
bool mem_is_stack(const struct mem_stacks *stacks, uint32_t space, uint64_t page);

#endif
