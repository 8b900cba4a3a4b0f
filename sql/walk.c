// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A walk skips as much as it can. Ordinals are skipped by seeking. A condition on
 * addresses selects block ids: those with a byte in the range. A chunk whose histogram
 * has none of these ids is not decoded.
 *
 * Example: address = 0x10568 selects block 7. Of 400 chunks 3 have executed it, so 3 are
 * decoded, and of their blocks only number 7 is returned.
 *
 * Invariants: `block` and `insn` are the ordinals of the current block, which is ids[at]
 * of a run of n. n is 0 before the first run of a thread. A run ends at the end of its
 * chunk at the latest, so the next wanted chunk is looked for only between runs.
 */
#include "sql/walk.h"

#include <stdio.h>
#include <stdlib.h>

/* ---- which blocks -------------------------------------------------------------------- */

/*
 * A gap has no bytes, so no condition on addresses selects it. The last byte is compared,
 * not the end, which would be 0 for a block at the top of the address space. A block that
 * cannot be read may lie anywhere: a query that comes to it must fail, not leave rows out.
 */
static bool overlaps(const struct subject_block *block, const struct range *range)
{
	if (block->bytes == SUBJECT_UNREADABLE)
		return true;
	return block->bytes && block->address <= range->of[RANGE_ADDRESS].most &&
	       block->address + (block->bytes - 1) >= range->of[RANGE_ADDRESS].least;
}

static int select_blocks(struct walk *walk, struct wm_error *err)
{
	const struct subject *subject = walk->subject;
	size_t n = subject->summary.known_blocks + (size_t)1;

	if (range_is_open(walk->range, RANGE_ADDRESS))
		return 0;
	walk->wanted = calloc(n, 1);
	if (!walk->wanted)
		return wm_error_set(err, WM_E_NOMEM, "no memory for a selection");
	for (size_t id = 1; id < n; id++)
		walk->wanted[id] = overlaps(&subject->blocks[id], walk->range);
	return 0;
}

/* Whether a chunk has executed a wanted block. Histograms are small. */
static int has_wanted(const struct walk *walk, uint64_t chunk, bool *has,
		      struct wm_error *err)
{
	struct wm_count *counts;
	size_t n;
	int ret;

	*has = !walk->wanted;
	if (*has)
		return 0;
	ret = wm_trace_histogram(walk->subject->trace, chunk, &counts, &n, err);
	if (ret)
		return ret;
	for (size_t i = 0; i < n && !*has; i++)
		*has = walk->wanted[counts[i].id];
	free(counts);
	return 0;
}

/*
 * Sets *start to the first ordinal at or after `block` that lies in a wanted chunk.
 * WM_END: this thread has none. Chunks of a thread are in order, so the search only goes
 * forward.
 */
static int find_chunk(struct walk *walk, uint64_t block, uint64_t *start,
		      struct wm_error *err)
{
	struct wm_chunk chunk;
	bool has = false;
	int ret;

	for (; walk->chunk < walk->subject->summary.chunks; walk->chunk++) {
		/* The ids of a lost chunk cannot be decoded, so it has no rows. */
		if (wm_trace_chunk(walk->subject->trace, walk->chunk, &chunk) ||
		    chunk.stream != walk->thread || chunk.lost ||
		    chunk.first_block + chunk.blocks <= block)
			continue;
		ret = has_wanted(walk, walk->chunk, &has, err);
		if (ret)
			return ret;
		if (has)
			break;
	}
	if (!has)
		return WM_END;
	walk->chunk++;
	walk->chunk_end = chunk.first_block + chunk.blocks;
	*start = chunk.first_block > block ? chunk.first_block : block;
	return 0;
}

/* ---- threads -------------------------------------------------------------------------- */

/* Without a cursor walk_run() begins the next thread. */
static void end_thread(struct walk *walk)
{
	wm_cursor_free(walk->cursor);
	walk->cursor = NULL;
	walk->thread++;
	walk->n = walk->at = 0;
}

/*
 * An ordinal at or before that of the lowest block of the thread that the range allows;
 * WM_END: there is none. A lower bound on instructions is turned into one on blocks by
 * seeking, to the instruction before: a gap has the ordinal of the instruction after it, also
 * at the end of the thread.
 */
static int first_block(struct walk *walk, uint64_t *block, struct wm_error *err)
{
	const struct range *range = walk->range;
	uint64_t insn = range->of[RANGE_INSN].least;
	struct wm_step step;
	int ret = 0;

	*block = range->of[RANGE_BLOCK].least;
	if (*block >= walk->stream.blocks || insn > walk->stream.insns)
		return WM_END;
	if (insn)
		ret = wm_cursor_seek_insn(walk->cursor, insn - 1, err);
	if (insn && !ret)
		ret = wm_cursor_next_block(walk->cursor, &step, err);
	if (insn && !ret && step.block_ordinal > *block)
		*block = step.block_ordinal;
	return ret;
}

/*
 * Places a new cursor. WM_END: nothing of the thread is in the range. The index of chunks
 * has those of all threads, so its search begins again for each thread.
 */
static int begin_thread(struct walk *walk, struct wm_error *err)
{
	uint64_t block;
	int ret = wm_trace_stream(walk->subject->trace, walk->thread, &walk->stream);

	walk->chunk = 0;
	if (!ret)
		ret = subject_add_before(walk->subject, walk->thread, &walk->before);
	if (!ret)
		ret = wm_cursor_new(&walk->cursor, walk->subject->trace, walk->thread,
				    err);
	if (!ret)
		ret = first_block(walk, &block, err);
	if (!ret)
		ret = find_chunk(walk, block, &block, err);
	if (!ret)
		ret = wm_cursor_seek_block(walk->cursor, block, err);
	return ret;
}

/* ---- blocks --------------------------------------------------------------------------- */

/*
 * Only a block that is alone in its run may have been left early: then the step says how
 * many instructions began. Blocks of longer runs ran as a whole.
 */
static void enter_block(struct walk *walk)
{
	walk->id = walk->ids[walk->at];
	walk->insns = walk->n == 1 ? walk->step.insns :
				     walk->subject->blocks[walk->id].insns;
}

/*
 * At the end of a chunk, seeks to the next wanted one. `block` is the last block of the
 * run. When the next chunk is wanted the cursor is there already.
 */
static int leave_chunk(struct walk *walk, struct wm_error *err)
{
	uint64_t start;
	int ret;

	if (walk->block + 1 < walk->chunk_end)
		return 0;
	ret = find_chunk(walk, walk->chunk_end, &start, err);
	if (ret || start == walk->chunk_end)
		return ret;
	return wm_cursor_seek_block(walk->cursor, start, err);
}

static int next_run(struct walk *walk, struct wm_error *err)
{
	int ret = walk->n ? leave_chunk(walk, err) : 0;

	if (!ret)
		ret = wm_cursor_next_run(walk->cursor, &walk->ids, &walk->n, &walk->step,
					 err);
	if (ret)
		return ret;
	walk->at = 0;
	walk->block = walk->step.block_ordinal;
	walk->insn = walk->step.insn_ordinal;
	enter_block(walk);
	return 0;
}

/* Whether this block and all later ones of the thread are outside the range. */
static bool is_beyond(const struct walk *walk)
{
	return walk->block > walk->range->of[RANGE_BLOCK].most ||
	       walk->insn > walk->range->of[RANGE_INSN].most;
}

int walk_run(struct walk *walk, struct wm_error *err)
{
	uint64_t last = walk->range->of[RANGE_THREAD].most;

	for (;;) {
		int ret = 0;

		if (walk->thread >= walk->subject->summary.streams || walk->thread > last)
			return WM_END;
		if (!walk->cursor)
			ret = begin_thread(walk, err);
		/* leave_chunk() needs the last block of the run, not the current one. */
		if (!ret && walk->n)
			walk->block += walk->n - 1 - walk->at;
		if (!ret)
			ret = next_run(walk, err);
		if (ret < 0 || (!ret && !is_beyond(walk)))
			return ret;
		end_thread(walk);
	}
}

/*
 * Inside a run each block costs a few additions and comparisons: this loop determines how
 * fast a query scans.
 *
 * A run may go beyond the range. The thread then ends in the next round of the loop,
 * which saves decoding the rest of the thread.
 */
int walk_block(struct walk *walk, struct wm_error *err)
{
	do {
		int ret;

		if (walk->at + 1 < walk->n && !is_beyond(walk)) {
			walk->insn += walk->insns;
			walk->block++;
			walk->at++;
			enter_block(walk);
			continue;
		}
		if (walk->n && is_beyond(walk))
			end_thread(walk);
		ret = walk_run(walk, err);
		if (ret)
			return ret;
	} while ((walk->wanted && !walk->wanted[walk->id]) || is_beyond(walk));
	return 0;
}

bool walk_put(const struct walk *walk, sqlite3_context *context, int column,
	      uint64_t insn, uint64_t block)
{
	switch (column) {
	case WALK_THREAD:
		put_number(context, walk->thread);
		return true;
	case WALK_INSN:
		put_number(context, walk->insn + insn);
		return true;
	case WALK_BLOCK:
		put_number(context, walk->block + block);
		return true;
	case WALK_PROCESS:
		put_number(context, walk->step.space);
		return true;
	default:
		return false;
	}
}

/* A Java method's name has its signature behind it, as everywhere. */
static int put_method(sqlite3_context *context, const struct wm_bytecode *bytecode,
		      struct wm_error *err)
{
	char *name;

	if (asprintf(&name, "%s%s", bytecode->method, bytecode->signature) < 0)
		return wm_error_set(err, WM_E_NOMEM, "no memory for a name");
	put_text(context, name);
	free(name);
	return 0;
}

int walk_put_bytecode(const struct walk *walk, sqlite3_context *context,
		      enum walk_bytecode column, uint64_t insn, struct wm_error *err)
{
	struct wm_bytecode bytecode;
	int ret = subject_bytecode(walk->subject, walk->thread, walk->insn + insn,
				   &bytecode, err);

	if (ret)
		return ret == WM_END ? 0 : ret;
	switch (column) {
	case BYTECODE_METHOD:
		return put_method(context, &bytecode, err);
	case BYTECODE_OFFSET:
		put_number(context, bytecode.offset);
		break;
	case BYTECODE_OPCODE:
		put_text(context, bytecode.opcode);
		break;
	case BYTECODE_LINE:
		if (bytecode.line)
			put_number(context, bytecode.line);
		break;
	case BYTECODE_NOTE:
		put_text(context, bytecode.note);
	}
	return 0;
}

int walk_open(struct walk *walk, struct subject *subject, const struct range *range,
	      struct wm_error *err)
{
	int ret = subject_need_blocks(subject, err);
	uint64_t first = range->of[RANGE_THREAD].least;

	walk->subject = subject;
	walk->range = range;
	/* A bound beyond the last thread selects none; it may exceed an unsigned int. */
	walk->thread = first < subject->summary.streams ? (unsigned)first :
							  subject->summary.streams;
	return ret ? ret : select_blocks(walk, err);
}

void walk_close(struct walk *walk)
{
	wm_cursor_free(walk->cursor);
	free(walk->wanted);
}
