/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What heap.c gathers and heap_view.c reads. */
#ifndef ANALYSIS_MEM_HEAP_DATA_H
#define ANALYSIS_MEM_HEAP_DATA_H

#include "analysis/mem/heap.h"

/* An object begins, or the one that began at that address ends. */
struct heap_change {
	uint32_t slot;	 /* of its address: index of starts[] */
	uint32_t number; /* of the object; 0: it is freed */
};

struct heap_space {
	struct heap_change *changes; /* [n_changes] in their order */
	size_t n_changes;
	uint64_t *starts; /* [n_starts] ascending, each once */
	uint32_t n_starts;
};

/* From instruction `insn` on, a thread sees the first `changes` changes of a space. */
struct heap_mark {
	uint64_t insn;
	uint32_t space;
	uint32_t changes;
};

struct heap_marks {
	struct heap_mark *all; /* [n] by insn */
	size_t n;
};

struct heap {
	struct heap_object *objects; /* [n_objects] of numbers 1 to n_objects */
	uint32_t n_objects;
	struct heap_space *spaces; /* [n_spaces] */
	uint32_t n_spaces;
	struct heap_marks *marks; /* [n_streams] */
	unsigned n_streams;
};

#endif
