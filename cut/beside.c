// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Events of the clock are in the part when they happened while its chunks were recorded,
 * about; the correlation of clocks always is. Of a stream's turns those are in it that begin
 * in it, and the last one before. Example: a stream turns to hart 0 at block 0, to hart 1 at
 * block 50, to hart 0 at block 90; a part of blocks 60 to 80 has one turn, to hart 1 at its
 * block 0.
 */
#include "cut/beside.h"

#include <stdlib.h>

#include "base/error.h"
#include "format/clock_event.h"
#include "format/note.h"
#include "format/turn.h"
#include "trace/trace.h"

enum { BATCH_BYTES = 1 << 20, TURNS_LEVEL = 3 };

/* Writes what has been collected, when that is at least `least` bytes. */
static int flush(struct writer *writer, uint32_t type, struct buf *payload, size_t least,
		 uint64_t *last_ns, struct wm_error *err)
{
	int ret;

	if (payload->len < least || !payload->len)
		return 0;
	ret = writer_put(writer, type, payload, TURNS_LEVEL, NULL, err);
	payload->len = 0;
	*last_ns = 0;
	return ret;
}

static bool wants_event(const struct cut_plan *plan, const struct clock_event *event)
{
	return event->kind == WM_EVENT_CLOCK ||
	       (event->ns >= plan->begin_ns && event->ns <= plan->end_ns);
}

int beside_put_events(const struct cut_plan *plan, const struct cut *cut,
		      struct writer *writer, struct wm_error *err)
{
	const struct reader *reader = cut->trace->reader;
	struct buf payload = BUF_INIT, kept = BUF_INIT;
	uint64_t last_ns = 0;
	int ret = 0;

	for (size_t i = 0; !ret && i < reader_sections(reader); i++) {
		const struct section *section = reader_section(reader, i);
		struct clock_event event;
		struct span span;
		uint64_t ns = 0;

		if (section->type != SECTION_EVNT)
			continue;
		ret = reader_read(reader, section, &payload, err);
		span = span_of(payload.data, ret ? 0 : payload.len);
		while (clock_event_get(&span, &event, &ns))
			if (wants_event(plan, &event))
				clock_event_put(&kept, &event, &last_ns);
		if (!ret)
			ret = flush(writer, SECTION_EVNT, &kept, BATCH_BYTES, &last_ns,
				    err);
	}
	if (!ret)
		ret = flush(writer, SECTION_EVNT, &kept, 0, &last_ns, err);
	buf_fini(&payload);
	buf_fini(&kept);
	return ret;
}

/* ---- notes --------------------------------------------------------------- */

/* The place in the part; one before it is its beginning, one after it its end. */
static uint64_t block_in(const struct cut_stream *stream, uint64_t block)
{
	if (block > stream->end)
		block = stream->end;
	return block > stream->dropped.blocks ? block - stream->dropped.blocks : 0;
}

/* All notes stay: what they say is still true. Threads that are left out go. */
static bool move_place(void *cookie, struct note_place *place)
{
	const struct cut_plan *plan = cookie;
	unsigned stream = cut_plan_find(plan, place->stream);

	if (stream == plan->n_streams)
		return false;
	place->stream = stream;
	place->block = block_in(&plan->streams[stream], place->block);
	return true;
}

int beside_put_notes(struct cut_plan *plan, const struct cut *cut, struct writer *writer,
		     struct wm_error *err)
{
	const struct reader *reader = cut->trace->reader;
	struct buf payload = BUF_INIT, kept = BUF_INIT;
	uint64_t last_ns;
	int ret = 0;

	for (size_t i = 0; !ret && i < reader_sections(reader); i++) {
		const struct section *section = reader_section(reader, i);

		if (section->type != SECTION_NOTE)
			continue;
		ret = reader_read(reader, section, &payload, err);
		if (ret)
			break;
		if (!notes_move(span_of(payload.data, payload.len), &kept, move_place,
				plan))
			ret = wm_fail(err, WM_E_DAMAGED, section->off,
				      "a section of notes is malformed");
		else
			ret = flush(writer, SECTION_NOTE, &kept, 0, &last_ns, err);
	}
	buf_fini(&payload);
	buf_fini(&kept);
	return ret;
}

/* ---- turns --------------------------------------------------------------- */

/* Calls take() for the turns of the part's streams, with their numbers in the trace. */
static int each_turn(const struct cut_plan *plan, const struct cut *cut,
		     int (*take)(void *cookie, uint64_t number, unsigned stream,
				 const struct wm_turn *turn, struct wm_error *err),
		     void *cookie, struct wm_error *err)
{
	struct wm_schedule *schedule;
	struct wm_turn turn;
	int ret = wm_schedule_new(&schedule, cut->trace, err);

	if (ret)
		return ret;
	for (uint64_t i = 0; !ret; i++) {
		unsigned stream;

		ret = wm_schedule_next(schedule, &turn, err);
		stream = ret ? plan->n_streams : cut_plan_find(plan, turn.stream);
		if (stream < plan->n_streams)
			ret = take(cookie, i, stream, &turn, err);
	}
	wm_schedule_free(schedule);
	return ret == WM_END ? 0 : ret;
}

struct turns {
	const struct cut_plan *plan;
	uint64_t *first; /* [n_streams] the number of its first turn in the part */
	struct writer *writer;
	struct buf payload;
	uint64_t last_ns;
};

static int note_first(void *cookie, uint64_t number, unsigned stream,
		      const struct wm_turn *turn, struct wm_error *err)
{
	struct turns *turns = cookie;

	(void)err;
	if (turn->block_ordinal <= turns->plan->streams[stream].dropped.blocks)
		turns->first[stream] = number;
	return 0;
}

static int put_turn(void *cookie, uint64_t number, unsigned index,
		    const struct wm_turn *turn, struct wm_error *err)
{
	struct turns *turns = cookie;
	const struct cut_stream *stream = &turns->plan->streams[index];
	uint64_t before = stream->dropped.blocks;
	struct wm_turn kept = *turn;

	if (number < turns->first[index] || turn->block_ordinal >= stream->end)
		return 0;
	kept.stream = index;
	kept.block_ordinal = turn->block_ordinal > before ? turn->block_ordinal - before :
							    0;
	turn_put(&turns->payload, &kept, &turns->last_ns);
	return flush(turns->writer, SECTION_SCHD, &turns->payload, BATCH_BYTES,
		     &turns->last_ns, err);
}

int beside_put_turns(const struct cut_plan *plan, const struct cut *cut,
		     struct writer *writer, struct wm_error *err)
{
	struct turns turns = {
		.plan = plan,
		.first = calloc(plan->n_streams + 1ul, sizeof(*turns.first)),
		.writer = writer,
	};
	int ret = turns.first ? each_turn(plan, cut, note_first, &turns, err) :
				wm_fail_nomem(err, "a part");

	if (!ret)
		ret = each_turn(plan, cut, put_turn, &turns, err);
	if (!ret)
		ret = flush(writer, SECTION_SCHD, &turns.payload, 0, &turns.last_ns, err);
	buf_fini(&turns.payload);
	free(turns.first);
	return ret;
}
