// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A condition on addresses selects block ids: those of which some byte lies in the range.
 * A chunk whose histogram has none of them is passed over without decoding it.
 *
 * Example: address = 0x10568 selects block 7. Of 400 chunks 3 have executed it, so 3 are
 * decoded, and of their blocks only number 7 becomes a row.
 */
#include "sql/walk.h"

#include <stdlib.h>

/*
 * Positions: `block` and `insn` are those of the current block, which is ids[at] of a run.
 * Between calls, n is 0 before the first run of a thread.
 */

/* ---- which blocks -------------------------------------------------------------------- */

static bool overlaps(const struct subject_block *block, const struct range *range)
{
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

/* Whether a chunk has executed a wanted block. */
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
 * The first block at or after ordinal `block` that is in a wanted chunk, in *start; WM_END:
 * there is none in this thread.
 */
static int find_chunk(struct walk *walk, uint64_t block, uint64_t *start,
		      struct wm_error *err)
{
	struct wm_chunk chunk;
	bool has = false;
	int ret;

	for (; walk->chunk < walk->subject->summary.chunks; walk->chunk++) {
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

/* The next call begins with the next thread. */
static void end_thread(struct walk *walk)
{
	wm_cursor_free(walk->cursor);
	walk->cursor = NULL;
	walk->thread++;
	walk->n = walk->at = 0;
}

/* The first block that the range can have in the thread; WM_END: there is none. */
static int first_block(struct walk *walk, uint64_t *block, struct wm_error *err)
{
	const struct range *range = walk->range;
	uint64_t insn = range->of[RANGE_INSN].least;
	struct wm_step step;
	int ret = 0;

	*block = range->of[RANGE_BLOCK].least;
	if (*block >= walk->stream.blocks || insn >= walk->stream.insns + !insn)
		return WM_END;
	if (insn)
		ret = wm_cursor_seek_insn(walk->cursor, insn, err);
	if (insn && !ret)
		ret = wm_cursor_next_block(walk->cursor, &step, err);
	if (insn && !ret && step.block_ordinal > *block)
		*block = step.block_ordinal;
	return ret;
}

/* WM_END: nothing of the thread is in the range. */
static int begin_thread(struct walk *walk, struct wm_error *err)
{
	uint64_t block;
	int ret = wm_trace_stream(walk->subject->trace, walk->thread, &walk->stream);

	walk->chunk = 0;
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

/* A run of one block may have been left early; others are whole. */
static void enter_block(struct walk *walk)
{
	walk->id = walk->ids[walk->at];
	walk->insns = walk->n == 1 ? walk->step.insns :
				     walk->subject->blocks[walk->id].insns;
}

/* Past the end of a chunk, to the next wanted one. */
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

/* Whether nothing more of this thread can be in the range. */
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
		/* The last block counts: leave_chunk() looks at where the run ended. */
		if (!ret && walk->n)
			walk->block += walk->n - 1 - walk->at;
		if (!ret)
			ret = next_run(walk, err);
		if (ret < 0 || (!ret && !is_beyond(walk)))
			return ret;
		end_thread(walk);
	}
}

/* Within a run this is the whole loop: an addition and a comparison for each block. */
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

int walk_open(struct walk *walk, struct subject *subject, const struct range *range,
	      struct wm_error *err)
{
	int ret = subject_need_blocks(subject, err);
	uint64_t first = range->of[RANGE_THREAD].least;

	walk->subject = subject;
	walk->range = range;
	/* More than there are, or than fits: no thread. */
	walk->thread = first < subject->summary.streams ? (unsigned)first :
							  subject->summary.streams;
	return ret ? ret : select_blocks(walk, err);
}

void walk_close(struct walk *walk)
{
	wm_cursor_free(walk->cursor);
	free(walk->wanted);
}
