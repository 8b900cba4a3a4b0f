// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Turns ordinals of instructions into positions of chunks. Most chunks of a long part are
 * within it and are copied; of each stream two at most are cut, for which they are decoded.
 *
 *	blocks	0 1 2 3 4 | 5 6 7 8 9 | 10 11 12	three chunks
 *	part	      3 4 | 5 6 7 8 9 | 10		from the middle of block 3
 *
 * Chunk 0 stays from position 3 on, where a shorter block stands for block 3; chunk 1 is
 * copied; of chunk 2 one block stays.
 */
#include "cut/plan.h"

#include <stdlib.h>

#include "base/append.h"
#include "base/bisect.h"
#include "base/error.h"
#include "trace/trace.h"

/* ---- where a part begins and ends ---------------------------------------- */

static int insn_at(struct wm_cursor *cursor, uint64_t ordinal, struct wm_step *step,
		   struct wm_error *err)
{
	int ret = wm_cursor_seek_insn(cursor, ordinal, err);

	return ret ? ret : wm_cursor_next_insn(cursor, step, err);
}

static uint64_t end_of(const struct chunk_head *head)
{
	return head->first_block + head->blocks;
}

/* The first block, and how much of it comes before the part. */
static int find_begin(struct cut_stream *stream, struct wm_cursor *cursor, uint64_t from,
		      struct wm_error *err)
{
	struct wm_step step;
	int ret;

	/* What comes before the first instruction, such as a gap, is in the part. */
	if (!from)
		return 0;
	ret = insn_at(cursor, from, &step, err);
	if (ret)
		return ret;
	stream->dropped = (struct dropped){ step.block_ordinal, from };
	stream->skip = step.index;
	stream->id = step.id;
	return 0;
}

static int find_end(struct cut_stream *stream, struct wm_cursor *cursor, uint64_t to,
		    struct wm_error *err)
{
	struct wm_step step;
	int ret = insn_at(cursor, to, &step, err);

	if (ret)
		return ret;
	stream->end = step.block_ordinal + (step.index > 0);
	if (step.index)
		stream->last = step.index;
	return 0;
}

static int find_bounds(struct cut_stream *stream, const struct cut *cut,
		       const struct cut_part *part, struct wm_error *err)
{
	const struct trace_stream *of = &cut->trace->streams[part->stream];
	struct wm_cursor *cursor;
	int ret = wm_cursor_new(&cursor, cut->trace, part->stream, err);

	if (ret)
		return ret;
	*stream = (struct cut_stream){
		.old = part->stream,
		.end = of->blocks,
		.last = UINT32_MAX,
	};
	ret = find_begin(stream, cursor, part->from, err);
	if (!ret && part->to < of->insns)
		ret = find_end(stream, cursor, part->to, err);
	wm_cursor_free(cursor);
	/* The trace said that there are instructions. */
	return ret == WM_END ? wm_fail(err, WM_E_DAMAGED, 0, "a thread ends too early") :
			       ret;
}

/* ---- chunks -------------------------------------------------------------- */

/* Whether a chunk has anything of the part. One of events alone has no blocks. */
static bool is_in(const struct cut_stream *stream, uint64_t begin, uint64_t end)
{
	uint64_t first = stream->dropped.blocks;

	if (begin < end)
		return end > first && begin < stream->end;
	return begin >= first + (stream->skip > 0) &&
	       begin + (stream->last != UINT32_MAX) <= stream->end;
}

static bool is_whole(const struct cut_stream *stream, uint64_t begin, uint64_t end)
{
	return begin >= stream->dropped.blocks && end <= stream->end &&
	       !(begin == stream->dropped.blocks && stream->skip) &&
	       !(end == stream->end && stream->last != UINT32_MAX);
}

/* What of a chunk is in the part; `index` is the new one of its stream. */
static struct trim_range range_of(const struct cut_stream *stream, unsigned index,
				  const struct chunk_head *head)
{
	uint64_t first = stream->dropped.blocks;
	struct trim_range range = {
		.stream = index,
		.end = UINT32_MAX,
		.last = UINT32_MAX,
	};

	if (first >= head->first_block) {
		range.first.blocks = first - head->first_block;
		range.first.insns = stream->dropped.insns - head->first_insn;
		range.skip = stream->skip;
	}
	if (stream->end <= end_of(head)) {
		range.end = (uint32_t)(stream->end - head->first_block);
		range.last = stream->last;
	}
	return range;
}

/* A thread's beginning and end are those of the run, as far as the part knows. */
static void note_time(struct cut_plan *plan, const struct cut *cut,
		      const struct cut_stream *stream, const struct chunk_head *head)
{
	bool ends = stream->end == cut->trace->streams[stream->old].blocks;
	uint64_t begin_ns = stream->dropped.blocks ? head->begin_ns : 0;
	uint64_t end_ns = ends ? UINT64_MAX : head->end_ns;

	if (!plan->n_chunks || begin_ns < plan->begin_ns)
		plan->begin_ns = begin_ns;
	if (end_ns > plan->end_ns)
		plan->end_ns = end_ns;
}

static int add_chunk(struct cut_plan *plan, const struct cut *cut, uint32_t chunk,
		     struct wm_error *err)
{
	const struct chunk_head *head = &cut->trace->chunks[chunk].head;
	uint64_t begin = head->first_block, end = end_of(head);
	unsigned index = cut_plan_find(plan, head->stream);
	const struct cut_stream *stream = &plan->streams[index];
	struct cut_chunk add = { .index = chunk };

	if (index == plan->n_streams || !is_in(stream, begin, end))
		return 0;
	add.whole = is_whole(stream, begin, end);
	add.range = range_of(stream, index, head);
	if (!add.whole && chunk_is_lost(head))
		return wm_fail(err, WM_E_DAMAGED, cut->trace->chunks[chunk].section.off,
			       "the part begins or ends where the trace has lost its "
			       "blocks");
	note_time(plan, cut, stream, head);
	return APPEND(plan->chunks, plan->n_chunks, add) ? 0 :
							   wm_fail_nomem(err, "a part");
}

/* ---- all of it ----------------------------------------------------------- */

unsigned cut_plan_find(const struct cut_plan *plan, unsigned old)
{
	unsigned i = (unsigned)BISECT(plan->n_streams, j, plan->streams[j].old < old);

	return i < plan->n_streams && plan->streams[i].old == old ? i : plan->n_streams;
}

uint32_t cut_plan_number(struct cut_plan *plan, uint32_t first_id)
{
	uint32_t id = first_id;

	for (unsigned i = 0; i < plan->n_streams; i++)
		if (plan->streams[i].skip)
			plan->streams[i].as = id++;
	for (size_t i = 0; i < plan->n_chunks; i++)
		if (plan->chunks[i].range.skip)
			plan->chunks[i].range.as =
				plan->streams[plan->chunks[i].range.stream].as;
	return id - first_id;
}

static int add_stream(struct cut_plan *plan, const struct cut *cut,
		      const struct cut_part *part, struct wm_error *err)
{
	uint64_t insns = cut->trace->streams[part->stream].insns;
	struct cut_stream stream;
	int ret;

	if (part->from >= part->to || part->from >= insns)
		return 0;
	ret = find_bounds(&stream, cut, part, err);
	if (!ret && !APPEND(plan->streams, plan->n_streams, stream))
		ret = wm_fail_nomem(err, "a part");
	return ret;
}

int cut_plan_make(struct cut_plan *plan, const struct cut *cut, struct wm_error *err)
{
	int ret = 0;

	*plan = (struct cut_plan){ .streams = NULL };
	for (unsigned i = 0; !ret && i < cut->n; i++)
		ret = add_stream(plan, cut, &cut->parts[i], err);
	if (!ret && !plan->n_streams)
		ret = wm_fail(err, WM_E_RANGE, 0,
			      "no thread has an instruction in that part");
	for (uint32_t i = 0; !ret && i < cut->trace->chunk_count; i++)
		ret = add_chunk(plan, cut, i, err);
	if (ret)
		cut_plan_fini(plan);
	return ret;
}

void cut_plan_fini(struct cut_plan *plan)
{
	free(plan->streams);
	free(plan->chunks);
	*plan = (struct cut_plan){ .streams = NULL };
}
