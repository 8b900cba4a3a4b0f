// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Moves a cursor: to a block, an instruction or a chunk, and over what is not selected.
 *
 * Chunks have the ordinals at which they begin, so a seek decodes one of them, and no more of
 * that than is before the place. The end of a chunk needs no decoding. A place ahead in the
 * chunk at hand is reached from where the cursor stands.
 *
 * What is not selected is passed as one gap in each chunk, with id 0. Its events are not
 * given either, apart from those at its bounds: a trap lies between the blocks of two modes,
 * and both sides need it.
 *
 * Example: a chunk of blocks 0 to 99, of which 40 to 59 are selected. Runs are a gap at block
 * 0, blocks 40 to 59, and a gap at block 60. The blocks after that are not decoded.
 */
#include <inttypes.h>

#include "base/bisect.h"
#include "base/error.h"
#include "trace/cursor-data.h"
#include "trace/cursor.h"

/* The ordinal right after the chunk's last block or instruction. */
static uint64_t end_of(const struct wm_cursor *cursor, uint32_t chunk, bool by_insn)
{
	const struct chunk_head *head = cursor_head(cursor, chunk);

	return by_insn ? head->first_insn + head->insns :
			 head->first_block + head->blocks;
}

/* The first chunk that ends at an ordinal or beyond: it has the events before that. */
static uint32_t find_chunk(const struct wm_cursor *cursor, uint64_t ordinal, bool by_insn)
{
	return (uint32_t)BISECT(cursor->stream->chunk_count, i,
				end_of(cursor, (uint32_t)i, by_insn) < ordinal);
}

int cursor_enter_chunk(struct wm_cursor *cursor, uint32_t chunk, struct wm_error *err)
{
	return cursor_load(cursor, chunk, err);
}

/* Moves after the last of the loaded chunk's blocks, before the events at that place. */
static void pass_blocks(struct wm_cursor *cursor)
{
	const struct chunk_head *head = cursor_head(cursor, cursor->chunk);

	cursor->block = head->first_block + head->blocks;
	cursor->insn = head->first_insn + head->insns;
	cursor->at = cursor->n;
	/* No block is left, so no partial one is either. */
	cursor->partial.position = NOWHERE;
	while (cursor->event_at < cursor->at)
		cursor_advance_event(cursor);
}

static int step_to_block(struct wm_cursor *cursor, uint64_t ordinal, struct wm_error *err)
{
	int ret = 0;

	/*
	 * The end of a chunk needs no decoding, even when the ordinal is that of the next
	 * chunk's first block.
	 */
	if (ordinal == end_of(cursor, cursor->chunk, false))
		pass_blocks(cursor);
	while (!ret && cursor->block < ordinal) {
		ret = cursor_fetch(cursor, err);
		if (!ret)
			cursor_step_block(cursor);
	}
	return ret;
}

/*
 * Sets *only when no block is left in the chunk, apart from gaps. The cursor does not
 * move.
 */
static int only_gaps_left(struct wm_cursor *cursor, bool *only, struct wm_error *err)
{
	uint32_t at = cursor->at;
	int ret = 0;

	for (*only = true; *only && !ret && cursor->at < cursor->n; cursor->at++) {
		ret = cursor_fetch(cursor, err);
		*only = !ret && cursor_is_gap(cursor, cursor->at);
	}
	cursor->at = at;
	return ret;
}

static int step_to_insn(struct wm_cursor *cursor, uint64_t ordinal, struct wm_error *err)
{
	bool only;
	int ret = 0;

	/*
	 * Blocks that end at `ordinal` or before are passed. A gap right before the
	 * instruction comes after them and is not passed.
	 */
	while (!ret && cursor->at < cursor->n && cursor->insn < ordinal) {
		ret = cursor_fetch(cursor, err);
		if (ret || cursor->insn + cursor_insns_at(cursor) > ordinal)
			break;
		cursor_step_block(cursor);
	}
	if (!ret)
		ret = only_gaps_left(cursor, &only, err);
	/*
	 * Then the instruction must be the first of the next chunk, or the end of the
	 * stream.
	 */
	if (!ret && only &&
	    (cursor->insn != ordinal || end_of(cursor, cursor->chunk, true) != ordinal))
		ret = wm_fail(err, WM_E_DAMAGED,
			      cursor_head(cursor, cursor->chunk)->path_off,
			      "a chunk has fewer instructions than its header declares");
	if (ret)
		return ret;
	cursor->skip = (uint32_t)(ordinal - cursor->insn);
	/* Inside a block, the events before its first instruction have passed. */
	if (cursor->skip)
		cursor_pass_events(cursor);
	return 0;
}

/*
 * Whether the place is further on in the chunk at hand: then only what lies between is passed.
 * At the place itself, or inside a block before it, events may be over that lie there.
 */
static bool is_ahead(const struct wm_cursor *cursor, uint32_t chunk, uint64_t ordinal,
		     bool by_insn)
{
	return cursor->chunk == chunk && cursor->at < cursor->n && !cursor->skip &&
	       (by_insn ? cursor->insn : cursor->block) < ordinal;
}

static int seek_in(struct wm_cursor *cursor, uint32_t chunk, uint64_t ordinal,
		   bool by_insn, struct wm_error *err)
{
	int ret = 0;

	if (is_ahead(cursor, chunk, ordinal, by_insn))
		cursor->step_blocks = 0; /* the last step is over */
	else
		ret = cursor_load(cursor, chunk, err);
	if (ret)
		return ret;
	return by_insn ? step_to_insn(cursor, ordinal, err) :
			 step_to_block(cursor, ordinal, err);
}

/* Into the chunk with an ordinal, or at least before the one that begins with it. */
static int seek(struct wm_cursor *cursor, uint64_t ordinal, bool by_insn,
		struct wm_error *err)
{
	uint32_t chunk = find_chunk(cursor, ordinal, by_insn);
	int ret = seek_in(cursor, chunk, ordinal, by_insn, err);

	/*
	 * The chunk that ends at the ordinal is damaged, but the next one begins there
	 * and may be sound.
	 */
	if (ret < 0 && chunk + 1 < cursor->stream->chunk_count &&
	    end_of(cursor, chunk, by_insn) == ordinal)
		ret = cursor_load(cursor, chunk + 1, err);
	return ret == WM_END ? 0 : ret;
}

int wm_cursor_seek_block(struct wm_cursor *cursor, uint64_t ordinal, struct wm_error *err)
{
	/* The number of blocks itself is valid: the end of the stream. */
	if (ordinal > cursor->stream->blocks)
		return wm_fail(err, WM_E_RANGE, 0,
			       "there is no block %" PRIu64 ": the thread has %" PRIu64,
			       ordinal, cursor->stream->blocks);
	return seek(cursor, ordinal, false, err);
}

int wm_cursor_seek_insn(struct wm_cursor *cursor, uint64_t ordinal, struct wm_error *err)
{
	if (ordinal > cursor->stream->insns)
		return wm_fail(err, WM_E_RANGE, 0,
			       "there is no instruction %" PRIu64
			       ": the thread has %" PRIu64,
			       ordinal, cursor->stream->insns);
	return seek(cursor, ordinal, true, err);
}

/* ---- what is not selected ---------------------------------------------------------- */

bool cursor_is_outside(struct wm_cursor *cursor)
{
	const struct excerpts *excerpts = cursor->excerpts;

	if (!excerpts)
		return false;
	/* Mostly it is the part at hand, or the next one; a seek may have gone back. */
	if (cursor->excerpt && excerpts->all[cursor->excerpt - 1].to > cursor->block)
		cursor->excerpt = excerpts_find(excerpts, cursor->block);
	while (cursor->excerpt < excerpts->n &&
	       excerpts->all[cursor->excerpt].to <= cursor->block)
		cursor->excerpt++;
	return cursor->excerpt == excerpts->n ||
	       excerpts->all[cursor->excerpt].from > cursor->block;
}

uint32_t cursor_before_outside(const struct wm_cursor *cursor, uint32_t end)
{
	uint64_t most = cursor->excerpts->all[cursor->excerpt].to - cursor->block;

	return end - cursor->at < most ? end : cursor->at + (uint32_t)most;
}

/*
 * Chunks without selected blocks are not even entered, apart from one whose events at its end
 * lie before a selected block: that is the chunk find_chunk() gives.
 */
int cursor_pass_outside(struct wm_cursor *cursor, struct wm_step *step,
			struct wm_error *err)
{
	const struct excerpts *excerpts = cursor->excerpts;
	uint64_t to = cursor->excerpt < excerpts->n ?
			      excerpts->all[cursor->excerpt].from :
			      cursor->stream->blocks;
	uint64_t end = end_of(cursor, cursor->chunk, false);
	uint32_t next;

	*step = (struct wm_step){
		.block_ordinal = cursor->block,
		.insn_ordinal = cursor->insn + cursor->skip,
		.space = cursor->space,
	};
	cursor->skip = cursor->step_blocks = 0;
	if (to < end)
		return step_to_block(cursor, to, err);
	pass_blocks(cursor);
	next = find_chunk(cursor, to, false);
	if (next > cursor->next)
		cursor->next = next;
	return 0;
}

uint64_t cursor_block_ahead(const struct wm_cursor *cursor)
{
	if (cursor->chunk != NO_CHUNK && cursor->at < cursor->n)
		return cursor_head(cursor, cursor->chunk)->first_block + cursor->at;
	return cursor->next < cursor->stream->chunk_count ?
		       cursor_head(cursor, cursor->next)->first_block :
		       cursor->stream->blocks;
}
