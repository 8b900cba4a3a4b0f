/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The executed blocks of a range, thread after thread. The relations "blocks", "insns"
 * and "accesses" are built on it. Threads, chunks and parts of chunks outside the range
 * are not decoded.
 */
#ifndef SQL_WALK_H
#define SQL_WALK_H

#include "sql/relation.h"

struct walk {
	struct subject *subject;
	const struct range *range;
	uint8_t *wanted; /* [known_blocks + 1] by block id; NULL: all blocks */

	struct wm_stream stream; /* of the current thread */
	unsigned thread;
	struct subject_before before; /* the current thread, for numbers of rows */
	struct wm_cursor *cursor;     /* NULL: before the thread's first block */
	uint64_t chunk;		      /* index of the first chunk not examined yet */
	uint64_t chunk_end; /* ordinal at which to look for the next wanted chunk */

	const uint32_t *ids; /* [n] of the run; the current block is ids[at] */
	size_t n, at;
	struct wm_step step; /* of the run's first block */

	/* The current block: ordinals, and instructions that began. */
	uint64_t block, insn;
	uint32_t id, insns;
};

/*
 * The first columns of each table built on a walk, in this order, and their keys. Of a column
 * that might be NULL, SQLite would read all rows for min(insn).
 */
#define WALK_COLUMNS \
	"thread INTEGER NOT NULL, insn INTEGER NOT NULL, block INTEGER NOT NULL, process INTEGER, "

#define WALK_KEYS                                                       \
	[RANGE_THREAD] = WALK_THREAD + 1, [RANGE_INSN] = WALK_INSN + 1, \
	[RANGE_BLOCK] = WALK_BLOCK + 1
enum walk_column { WALK_THREAD, WALK_INSN, WALK_BLOCK, WALK_PROCESS, WALK_OWN };

/* The range must outlive the walk. WM_E_NOMEM; walk_close() is needed even then. */
int walk_open(struct walk *walk, struct subject *subject, const struct range *range,
	      struct wm_error *err);
void walk_close(struct walk *walk);
/* The next block, or WM_END. */
int walk_block(struct walk *walk, struct wm_error *err);
/*
 * Puts one of these columns; `insn` and `block` are added to the ordinals of the current
 * block. False for other columns.
 */
bool walk_put(const struct walk *walk, sqlite3_context *context, int column,
	      uint64_t insn, uint64_t block);

/*
 * The last columns of tables of code: the bytecode of a managed program that it is of, with
 * the names of `waymark insns --bytecodes`.
 */
#define WALK_BYTECODE_COLUMNS                                               \
	"method TEXT, bytecode INTEGER, opcode TEXT, method_line INTEGER, " \
	"note TEXT"
enum walk_bytecode {
	BYTECODE_METHOD,
	BYTECODE_OFFSET,
	BYTECODE_OPCODE,
	BYTECODE_LINE,
	BYTECODE_NOTE
};
/* Puts one of them, of instruction `insn` of the current block. */
int walk_put_bytecode(const struct walk *walk, sqlite3_context *context,
		      enum walk_bytecode column, uint64_t insn, struct wm_error *err);

/*
 * Moves to the first block of the next run, whose blocks are ids[0] to ids[n - 1]; or
 * WM_END. A run may contain blocks that are not wanted.
 */
int walk_run(struct walk *walk, struct wm_error *err);

#endif
