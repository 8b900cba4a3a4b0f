// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Hands the blocks, gaps and events of a segment to an analysis.
 *
 * A cursor gives runs of blocks that lie one after the other. Of a run, only the first block
 * can have been left early, and only the first and the last can be cut by --from and --to.
 * So a run becomes at most three stretches: a part of its first block, whole blocks, a part
 * of its last.
 *
 * Example: blocks of 4 instructions, ids 7 7 9, --from 2 --to 11:
 *
 *     7: instructions 2..3 | 7: whole | 9: instructions 0..2
 *
 * Invariant: `at.insn` is the ordinal of the next instruction that the analysis will get, and
 * never decreases. In the middle of a stream it is exact only after a run has begun: adding
 * up instructions costs a look at each block, which only a cut needs.
 */
#include "analysis/retrace.h"

#include <inttypes.h>

#include "base/error.h"
#include "trace/cursor.h"
#include "trace/trace.h"

/* Blocks whose accesses are given at once: so many that these stay in a cache. */
enum { PART_BLOCKS = 96 };

/* Where the retracing is. */
struct at {
	struct retrace *retrace;
	struct wm_cursor *cursor;
	uint64_t block, insn;	/* ordinals of what comes next */
	uint64_t end_block, to; /* where to stop, whichever comes first */
	bool cut;	/* `to` comes first; else instructions need no adding up */
	uint32_t given; /* blocks of the run */
	/* Of the stretch that is given, for an analysis that is `timed`. */
	struct clock_run when;
};

static const struct chunk_head *head_of(const struct retrace *retrace, uint32_t chunk)
{
	const struct wm_trace *trace = retrace->trace;
	const struct trace_stream *stream = &trace->streams[retrace->segment->stream];

	return &trace->chunks[stream->chunks[chunk]].head;
}

static uint32_t insns_of(const struct at *at, uint32_t id)
{
	return at->retrace->trace->table.insns[id];
}

/* Of a block's accesses, those of the instructions that a part of it has. */
static void cut_accesses(const struct stretch *part, const struct wm_access **accesses,
			 size_t *n)
{
	const struct wm_access *all = *accesses;
	size_t from = 0, to = *n;

	while (from < to && all[from].insn < part->skip)
		from++;
	while (to > from && all[to - 1].insn >= part->end)
		to--;
	*accesses = all + from;
	*n = to - from;
}

/* Goes on behind the blocks of a part. */
static void next_part(const struct at *at, struct stretch *part, size_t left)
{
	for (size_t i = 0; i < part->n; i++)
		part->insn += insns_of(at, part->ids[i]);
	part->ids += part->n;
	part->block += part->n;
	part->n = left < PART_BLOCKS ? left : PART_BLOCKS;
	if (part->n == 1)
		part->end = insns_of(at, part->ids[0]);
}

static int give_accesses(const struct at *at, const struct stretch *stretch,
			 struct wm_error *err)
{
	const struct analysis *analysis = at->retrace->analysis;
	const struct wm_access *accesses;
	struct stretch part = *stretch;
	size_t n, done = 0;
	int ret = 0;

	if (part.n > PART_BLOCKS)
		part.n = PART_BLOCKS;
	while (!ret && done < stretch->n) {
		ret = cursor_part_accesses(at->cursor, at->given + (uint32_t)done,
					   (uint32_t)part.n, &accesses, &n, err);
		if (ret)
			break;
		if (part.n == 1)
			cut_accesses(&part, &accesses, &n);
		ret = analysis->accesses(at->retrace->state, &part, accesses, n, err);
		done += part.n;
		if (done < stretch->n)
			next_part(at, &part, stretch->n - done);
	}
	return ret == WM_END ? 0 : ret;
}

static int give(struct at *at, struct stretch *stretch, struct wm_error *err)
{
	const struct analysis *analysis = at->retrace->analysis;
	int ret = 0;

	if (analysis->timed) {
		at->when = clock_run(&at->retrace->clock, at->cursor, stretch->block,
				     stretch->n);
		stretch->when = &at->when;
	}
	if (analysis->blocks)
		ret = analysis->blocks(at->retrace->state, stretch, err);
	if (!ret && analysis->accesses)
		ret = give_accesses(at, stretch, err);
	at->given += (uint32_t)stretch->n;
	return ret;
}

/* In a sound file, a run never begins before the previous one ended. */
static int check_run(const struct at *at, const struct wm_step *step,
		     struct wm_error *err)
{
	if (at->insn < step->insn_ordinal + step->insns ||
	    (!step->insns && at->insn == step->insn_ordinal))
		return 0;
	return wm_fail(err, WM_E_DAMAGED, 0,
		       "a chunk before block %" PRIu64
		       " has more instructions than its header declares",
		       step->block_ordinal);
}

/* The first block of a run, when not all of it ran or not all of it is selected. */
static int give_part(struct at *at, const uint32_t *ids, const struct wm_step *step,
		     struct wm_error *err)
{
	struct stretch stretch = {
		.ids = ids,
		.n = 1,
		.block = at->block,
		.insn = at->insn,
		.skip = (uint32_t)(at->insn - step->insn_ordinal),
		.end = step->insns,
		.uncertain = step->uncertain,
	};
	/*
	 * The last instructions of the block are the uncertain ones, so what --to cuts
	 * off is taken from `uncertain` first.
	 */
	uint64_t left = at->to - step->insn_ordinal;

	if (left < stretch.end) {
		uint32_t cut = stretch.end - (uint32_t)left;

		stretch.uncertain -= cut < stretch.uncertain ? cut : stretch.uncertain;
		stretch.end = (uint32_t)left;
	}
	/* --from may begin in the middle of the uncertain instructions. */
	if (stretch.uncertain > stretch.end - stretch.skip)
		stretch.uncertain = stretch.end - stretch.skip;
	at->block++;
	at->insn = step->insn_ordinal + stretch.end;
	return give(at, &stretch, err);
}

/*
 * How many of ids[n] end before `to`, and their instructions. Without a cut only a single
 * block's instructions are looked up: the next run has where it begins.
 */
static size_t whole_ones(const struct at *at, const uint32_t *ids, size_t n,
			 uint64_t *insns)
{
	uint64_t sum = 0, most = at->to - at->insn;
	size_t i = 0;

	if (!at->cut) {
		*insns = n == 1 ? insns_of(at, *ids) : 0;
		return n;
	}
	for (; i < n; i++) {
		uint32_t one = insns_of(at, ids[i]);

		if (one > most - sum)
			break;
		sum += one;
	}
	*insns = sum;
	return i;
}

/* A run of blocks: whole ones, and what a cut leaves of the first and the last. */
static int give_run(struct at *at, const uint32_t *ids, size_t n,
		    const struct wm_step *first, struct wm_error *err)
{
	struct wm_step step = *first;
	/* at->insn is beyond the block's start only when --from lies inside the block. */
	bool broken = at->insn > step.insn_ordinal || step.uncertain ||
		      step.insns < insns_of(at, ids[0]);
	int ret = broken ? give_part(at, ids, &step, err) : 0;
	size_t from = broken, whole;
	uint64_t insns;

	if (ret || from == n || at->insn == at->to)
		return ret;
	whole = whole_ones(at, ids + from, n - from, &insns);
	if (whole) {
		struct stretch stretch = {
			.ids = ids + from,
			.n = whole,
			.block = at->block,
			.insn = at->insn,
			/* Of several blocks `end` has no meaning: they are whole. */
			.end = whole == 1 ? (uint32_t)insns : 0,
		};

		at->block += whole;
		at->insn += insns;
		ret = give(at, &stretch, err);
	}
	if (ret || from + whole == n || at->insn == at->to)
		return ret;
	/* --to lies inside the block that follows the whole ones. */
	step = (struct wm_step){
		.insn_ordinal = at->insn,
		.insns = insns_of(at, ids[from + whole]),
	};
	return give_part(at, ids + from + whole, &step, err);
}

/* What is not selected is one gap, however many blocks that is. */
static int give_gap(struct at *at, uint32_t id, struct wm_error *err)
{
	const struct analysis *analysis = at->retrace->analysis;

	if (analysis->timed)
		clock_run(&at->retrace->clock, at->cursor, at->block, 1);
	at->block = id ? at->block + 1 : cursor_block_ahead(at->cursor);
	return analysis->gap ? analysis->gap(at->retrace->state, id, at->insn, err) : 0;
}

/* The next event right before the next block. Events at a segment's end belong to it. */
static bool has_event(const struct at *at, struct wm_event *event)
{
	uint64_t block, ns;

	/*
	 * At the end of a chunk a cursor would continue with the next one, of another
	 * segment.
	 */
	return (at->block < at->end_block ||
		cursor_event_ahead(at->cursor, &block, &ns)) &&
	       wm_cursor_event_here(at->cursor, event) == 0;
}

static int give_events(struct at *at, struct wm_error *err)
{
	const struct analysis *analysis = at->retrace->analysis;
	struct wm_event event;
	int ret = 0;

	while (!ret && analysis->event && has_event(at, &event)) {
		if (analysis->timed)
			clock_event(&at->retrace->clock, &event);
		ret = analysis->event(at->retrace->state, &event, err);
	}
	return ret;
}

static int go(struct at *at, struct wm_error *err)
{
	const uint32_t *ids;
	struct wm_step step;
	size_t n;
	int ret = 0;

	while (!ret && at->insn < at->to) {
		ret = give_events(at, err);
		if (ret || at->block >= at->end_block)
			break;
		ret = wm_cursor_next_run(at->cursor, &ids, &n, &step, err);
		if (!ret)
			ret = check_run(at, &step, err);
		/* Behind what is not selected, `to` may be passed. */
		if (ret || step.insn_ordinal >= at->to)
			break;
		/*
		 * The run has where it begins: without a cut, at->insn was not added up
		 * exactly.
		 */
		at->block = step.block_ordinal;
		at->given = 0;
		if (at->insn < step.insn_ordinal)
			at->insn = step.insn_ordinal;
		ret = step.insns ? give_run(at, ids, n, &step, err) :
				   give_gap(at, ids[0], err);
	}
	return ret == WM_END ? 0 : ret;
}

/* Moves to the beginning of a chunk of the stream, or to --from when that is later. */
static int enter(struct at *at, uint32_t chunk, uint32_t chunks, struct wm_error *err)
{
	const struct selection *selection = at->retrace->selection;
	const struct chunk_head *first = head_of(at->retrace, chunk);
	const struct chunk_head *last = head_of(at->retrace, chunk + chunks - 1);

	at->block = first->first_block;
	at->insn = first->first_insn;
	at->end_block = last->first_block + last->blocks;
	at->to = selection->to;
	at->cut = at->to < last->first_insn + last->insns;
	if (selection->from <= first->first_insn)
		return cursor_enter_chunk(at->cursor, chunk, err);
	at->insn = selection->from; /* the first run has the block that it is in */
	return wm_cursor_seek_insn(at->cursor, selection->from, err);
}

/*
 * The last event of the chunk before this one may lie behind its blocks, so right before the
 * first block here. It was given to the segment before.
 */
static int note_event_before(struct retrace *retrace, uint32_t chunk,
			     struct wm_error *err)
{
	unsigned stream = retrace->segment->stream;
	struct wm_cursor *cursor = NULL;
	struct wm_event event;
	uint64_t block, ns;
	int ret = cursor_renew(&cursor, retrace->trace, stream, err);

	if (!ret)
		cursor_select(cursor, selection_excerpts(retrace->selection, stream));
	if (!ret)
		ret = cursor_enter_chunk(cursor, chunk - 1, err);
	while (!ret && cursor_event_ahead(cursor, &block, &ns)) {
		ret = cursor_skim_event(cursor, &event, err);
		if (!ret && event.block_ordinal == retrace->clock.chunk.first_block)
			clock_event(&retrace->clock, &event);
	}
	wm_cursor_free(cursor);
	return ret < 0 ? ret : 0;
}

/* A segment has one chunk, as every one of an analysis in order. */
static int set_clock(struct retrace *retrace, uint32_t chunk, struct wm_error *err)
{
	const struct segment *segment = retrace->segment;
	const struct trace_stream *stream = &retrace->trace->streams[segment->stream];
	bool goes_on = retrace->clock_stream == segment->stream &&
		       retrace->clock_chunk == chunk && !segment->first;
	struct wm_chunk here;

	wm_trace_chunk(retrace->trace, stream->chunks[chunk], &here);
	retrace->clock_stream = segment->stream;
	retrace->clock_chunk = chunk + 1;
	if (goes_on) {
		clock_enter(&retrace->clock, &here);
		return 0;
	}
	clock_begin(&retrace->clock, retrace->trace, &here);
	return segment->first ? 0 : note_event_before(retrace, chunk, err);
}

static int retrace_chunks(struct retrace *retrace, uint32_t chunk, uint32_t chunks,
			  struct wm_error *err)
{
	struct at at = { .retrace = retrace };
	int ret = cursor_renew(&retrace->cursor, retrace->trace, retrace->segment->stream,
			       err);

	if (!ret && retrace->analysis->timed)
		ret = set_clock(retrace, chunk, err);

	at.cursor = retrace->cursor;
	if (!ret)
		cursor_select(at.cursor, selection_excerpts(retrace->selection,
							    retrace->segment->stream));
	if (!ret)
		ret = enter(&at, chunk, chunks, err);
	return ret ? ret : go(&at, err);
}

/*
 * A chunk that lies inside the selection needs no decoding by an analysis with chunk().
 */
static bool is_whole(const struct retrace *retrace, uint32_t chunk)
{
	const struct chunk_head *head = head_of(retrace, chunk);
	const struct excerpts *excerpts =
		selection_excerpts(retrace->selection, retrace->segment->stream);

	if (excerpts && !excerpts_have_all(excerpts, head->first_block,
					   head->first_block + head->blocks))
		return false;
	return head->first_insn >= retrace->selection->from &&
	       head->first_insn + head->insns <= retrace->selection->to;
}

/* Such a chunk is not even entered. */
static bool is_left_out(const struct retrace *retrace, uint32_t chunk)
{
	const struct chunk_head *head = head_of(retrace, chunk);
	const struct excerpts *excerpts =
		selection_excerpts(retrace->selection, retrace->segment->stream);

	return excerpts && excerpts_have_none(excerpts, head->first_block,
					      head->first_block + head->blocks);
}

static int walk(struct retrace *retrace, struct wm_error *err)
{
	const struct segment *segment = retrace->segment;
	const struct chunk_head *last =
		head_of(retrace, segment->chunk + segment->chunks - 1);
	uint64_t from = head_of(retrace, segment->chunk)->first_insn;
	uint64_t to = last->first_insn + last->insns;

	if (from < retrace->selection->from)
		from = retrace->selection->from;
	if (to > retrace->selection->to)
		to = retrace->selection->to;
	return from < to ?
		       retrace->analysis->walk(retrace->state, segment, from, to, err) :
		       0;
}

int retrace_segment(struct retrace *retrace, struct wm_error *err)
{
	const struct segment *segment = retrace->segment;
	const struct trace_stream *stream = &retrace->trace->streams[segment->stream];
	uint32_t end = segment->chunk + segment->chunks;
	int ret = 0;

	if (retrace->analysis->walk)
		return walk(retrace, err);
	if (!retrace->analysis->chunk)
		return retrace_chunks(retrace, segment->chunk, segment->chunks, err);
	for (uint32_t i = segment->chunk; !ret && i < end; i++) {
		if (is_left_out(retrace, i))
			continue;
		ret = is_whole(retrace, i) ?
			      retrace->analysis->chunk(retrace->state, stream->chunks[i],
						       err) :
			      retrace_chunks(retrace, i, 1, err);
	}
	return ret;
}

void retrace_fini(struct retrace *retrace)
{
	wm_cursor_free(retrace->cursor);
}
