/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which of the places whose values were recorded ("value_places" of the trace) are those of
 * allocators, and which of the values are sizes and addresses.
 */
#ifndef ANALYSIS_MEM_ALLOCATORS_H
#define ANALYSIS_MEM_ALLOCATORS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "waymark.h"

enum { ALLOCATOR_ARGUMENTS = 3 };

/* Indexes of arguments; -1: it has none. An allocator without `bytes` only frees. */
struct allocator {
	const char *name;
	int8_t bytes, count, freed;
};

struct allocators {
	/* [n] by place, which is from 1: entry place - 1. NULL: it is no allocator's. */
	const struct allocator **of;
	size_t n;
	bool any;
	/* Numbers of registers; -1: unknown ISA. */
	int argument[ALLOCATOR_ARGUMENTS], returned;
};

/* The caller frees it with allocators_fini(), also on failure. WM_E_NOMEM. */
int allocators_init(struct allocators *allocators, const struct wm_trace *trace,
		    struct wm_error *err);
void allocators_fini(struct allocators *allocators);

/* The allocator that a value beside the path belongs to; NULL: none. */
const struct allocator *allocator_of(const struct allocators *allocators,
				     const struct wm_access *access);
/* Which argument a register is; ALLOCATOR_ARGUMENTS: none. */
unsigned allocator_argument(const struct allocators *allocators, uint64_t number);

#endif
