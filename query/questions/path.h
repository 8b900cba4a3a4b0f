/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The executions of blocks by the selected threads, for questions with a row for each. */
#ifndef QUERY_QUESTIONS_PATH_H
#define QUERY_QUESTIONS_PATH_H

#include "query/query.h"

struct label_source;

/* An execution of a block, reduced to the part that is selected. */
struct path_block {
	unsigned thread; /* index of the stream */
	uint32_t id, space;
	uint64_t block_ordinal;
	uint64_t insn_ordinal; /* of instruction 0 of the block */
	uint32_t first, end;   /* the instructions first <= index < end began */
	uint32_t uncertain;    /* how many of the last of these may not have run */
	struct wm_block is;
	struct label_source *labels; /* when bytecodes are wanted; else NULL */
};

/* Puts the rows of a block; an error ends the walk. */
typedef int path_put(const struct query *query, struct table *table,
		     const struct path_block *block, struct wm_error *err);

/*
 * Calls put() for the blocks of an open query, without gaps, until the table is full. The
 * bounds of the scope are ordinals of instructions if `by_insn` is set, else of blocks.
 */
int path_walk(const struct query *query, bool by_insn, struct table *table, path_put *put,
	      struct wm_error *err);

/* Bytes of a block's instructions first <= index < end. */
uint32_t path_bytes(const struct wm_block *block, uint32_t first, uint32_t end);

#endif
