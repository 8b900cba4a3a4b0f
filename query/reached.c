// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Finds where a thread reaches a position, by the kind of the position: a number of
 * instructions, a time, an event (marker or system call), or code.
 *
 * A position is the first instruction after an event: `syscall:write` begins a part after the
 * call and ends one with it, as a window of `record` does. A time lies between two known
 * ones, those of the chunk's bounds and of its events; in between all blocks are taken to
 * last equally long. Example: a chunk of 100 blocks from 0 to 1 s, and an event before block
 * 90 at 0.1 s: time:0.05 is block 45.
 *
 * Code is searched in query/reached_code.c, because most chunks need not be decoded for it; what
 * no native code has may be a method of a managed program (query/reached_method.c).
 */
#include "query/reached.h"

#include "base/error.h"
#include "query/landing.h"
#include "query/reached_code.h"
#include "query/reached_method.h"
#include "trace/pace.h"
#include "trace/trace.h"

/* ---- ordinals ------------------------------------------------------------ */

static struct wm_stream stream_of(const struct reaching *reaching)
{
	struct wm_stream stream;

	wm_trace_stream(reaching->source->trace, reaching->stream, &stream);
	return stream;
}

/*
 * Sets the ordinal of an instruction that is known. The end of the stream is allowed: there
 * is no instruction.
 */
static int settle_insn(struct reaching *reaching, struct wm_cursor *cursor, uint64_t insn,
		       struct wm_error *err)
{
	struct wm_step step;
	int ret;

	reaching->at = insn;
	if (reaching->by_insn)
		return 0;
	ret = wm_cursor_seek_insn(cursor, insn, err);
	if (!ret)
		ret = wm_cursor_next_insn(cursor, &step, err);
	if (ret < 0)
		return ret;
	reaching->at = ret == WM_END ?
			       stream_of(reaching).blocks :
			       step.block_ordinal + (reaching->is_to && step.index > 0);
	return 0;
}

static int settle_block(struct reaching *reaching, struct wm_cursor *cursor,
			uint64_t block, struct wm_error *err)
{
	struct wm_step step;
	int ret;

	reaching->at = block;
	if (!reaching->by_insn)
		return 0;
	ret = wm_cursor_seek_block(cursor, block, err);
	if (!ret)
		ret = wm_cursor_next_insn(cursor, &step, err);
	if (ret < 0)
		return ret;
	reaching->at = ret == WM_END ? stream_of(reaching).insns : step.insn_ordinal;
	return 0;
}

static int find_insn(struct reaching *reaching, struct wm_cursor *cursor,
		     struct wm_error *err)
{
	return reaching->position->value > stream_of(reaching).insns ?
		       WM_END :
		       settle_insn(reaching, cursor, reaching->position->value, err);
}

/* ---- time ---------------------------------------------------------------- */

struct moment {
	uint64_t ns, block;
};

/* Moves the bounds to the events around the time, which the cursor stands before. */
static int narrow(struct wm_cursor *cursor, uint64_t ns, struct moment *low,
		  struct moment *high, struct wm_error *err)
{
	struct wm_event event;
	int ret;

	while (!(ret = wm_cursor_next_event(cursor, &event, err)) &&
	       event.block_ordinal < high->block) {
		struct moment *bound = event.ns < ns ? low : high;

		*bound = (struct moment){ event.ns, event.block_ordinal };
		if (bound == high)
			break;
	}
	return ret == WM_END ? 0 : ret;
}

/* Looks in the first chunk of the thread that ends at that time or later. */
static int find_time(struct reaching *reaching, struct wm_cursor *cursor,
		     struct wm_error *err)
{
	const struct wm_trace *trace = reaching->source->trace;
	const struct trace_stream *stream = &trace->streams[reaching->stream];
	const struct chunk_head *head = NULL;
	struct wm_space space = { .begin_ns = 0 };
	struct moment low, high;
	struct pace pace;
	uint64_t ns;
	int ret;

	wm_trace_space(trace, 0, &space);
	ns = space.begin_ns + reaching->position->value;
	for (uint32_t i = 0; i < stream->chunk_count; i++) {
		head = &trace->chunks[stream->chunks[i]].head;
		if (head->end_ns >= ns)
			break;
	}
	if (!head || head->end_ns < ns)
		return WM_END;
	low = (struct moment){ head->begin_ns, head->first_block };
	high = (struct moment){ head->end_ns, head->first_block + head->blocks };
	if (ns <= low.ns)
		return settle_block(reaching, cursor, low.block, err);
	ret = wm_cursor_seek_block(cursor, low.block, err);
	if (!ret)
		ret = narrow(cursor, ns, &low, &high, err);
	if (ret)
		return ret;
	/* What began before `ns` is before the position. */
	pace = (struct pace){ low.ns, high.ns, high.block - low.block };
	return settle_block(reaching, cursor, low.block + pace_within(&pace, ns - 1),
			    err);
}

/* ---- events -------------------------------------------------------------- */

/* An end of a marker begins no part, and a begin ends none. */
static bool is_marker(const struct reaching *reaching, const struct wm_event *event)
{
	uint64_t other = reaching->is_to ? WM_MARKER_BEGIN : WM_MARKER_END;

	return event->kind == WM_EVENT_MARKER && event->fields[0] != other &&
	       event->fields[1] == reaching->position->value;
}

/* `call` is the number of the system call; NULL: the position is a marker. */
static int find_event(struct reaching *reaching, struct wm_cursor *cursor,
		      const uint64_t *call, struct wm_error *err)
{
	struct wm_event event;
	int ret;

	while (!(ret = wm_cursor_next_event(cursor, &event, err))) {
		if (call ? event.kind != WM_EVENT_SYSCALL || event.fields[0] != *call :
			   !is_marker(reaching, &event))
			continue;
		reaching->at = reaching->by_insn ? event.insn_ordinal :
						   event.block_ordinal;
		if (++reaching->hits >= reaching->position->times &&
		    reaching->at >= reaching->least)
			return 0;
	}
	return ret;
}

static int find_call(struct reaching *reaching, struct wm_cursor *cursor,
		     struct wm_error *err)
{
	const char *isa = wm_trace_meta(reaching->source->trace, "guest-isa");
	uint64_t call;
	int ret = position_call(&call, reaching->position, isa ? isa : "it", err);

	return ret ? ret : find_event(reaching, cursor, &call, err);
}

/* ---- all of it ----------------------------------------------------------- */

static int find(struct reaching *reaching, struct wm_cursor *cursor, struct wm_error *err)
{
	uint64_t insn;
	int ret;

	switch (reaching->position->kind) {
	case POSITION_INSN:
		return find_insn(reaching, cursor, err);
	case POSITION_TIME:
		return find_time(reaching, cursor, err);
	case POSITION_MARKER:
		return find_event(reaching, cursor, NULL, err);
	case POSITION_SYSCALL:
		return find_call(reaching, cursor, err);
	default:
		ret = reached_code_find(reaching, cursor, &insn, err);
		if (ret == WM_E_RANGE && reaching->position->kind != POSITION_ADDRESS)
			ret = reached_method_find(reaching, &insn, err);
		return ret ? ret : settle_insn(reaching, cursor, insn, err);
	}
}

int reaching_find(struct reaching *reaching, struct wm_error *err)
{
	struct wm_cursor *cursor;
	int ret = wm_cursor_new(&cursor, reaching->source->trace, reaching->stream, err);

	if (ret)
		return ret;
	reaching->hits = 0;
	ret = find(reaching, cursor, err);
	wm_cursor_free(cursor);
	return !ret && reaching->at < reaching->least ? WM_END : ret;
}

void reaching_fini(struct reaching *reaching)
{
	landing_free(reaching->landing);
	reaching->landing = NULL;
}
