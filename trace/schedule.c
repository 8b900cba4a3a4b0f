// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The turns of SCHD sections, in the order of the file, which is the order in which they
 * happened. There may be thousands for each second, so one section is in memory at a time.
 *
 * Invariant: the blocks of a stream's turns do not descend. Example: hart 0 turns to stream 1
 * at block 0, to stream 2 at block 0, and to stream 1 again at block 70. So hart 0 ran blocks
 * 0 to 69 of stream 1, then stream 2, then stream 1 from block 70 on.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "format/turn.h"
#include "trace/facts.h"
#include "trace/trace.h"

struct wm_schedule {
	const struct wm_trace *trace;
	size_t next; /* of the reader's sections */
	struct buf payload;
	struct span left; /* of the section at hand */
	uint64_t off, ns; /* its place, and the time of its last turn */
	uint64_t *blocks; /* [streams] of the last turns */
};

/* Checked without the bound on block ordinals, which needs the sections before. */
bool schedule_is_sound(const struct wm_trace *trace, struct span payload)
{
	struct wm_turn turn;
	uint64_t ns = 0;

	while (turn_get(&payload, &turn, &ns))
		if (turn.stream >= trace->stream_count)
			return false;
	return !payload.failed;
}

int wm_schedule_new(struct wm_schedule **out, const struct wm_trace *trace,
		    struct wm_error *err)
{
	struct wm_schedule *schedule = calloc(1, sizeof(*schedule));

	if (schedule)
		/* 1 more, because calloc() of nothing may return NULL. */
		schedule->blocks =
			calloc(trace->stream_count + 1ul, sizeof(*schedule->blocks));
	if (!schedule || !schedule->blocks) {
		free(schedule);
		return wm_fail_nomem(err, "a schedule");
	}
	schedule->trace = trace;
	*out = schedule;
	return 0;
}

void wm_schedule_free(struct wm_schedule *schedule)
{
	if (!schedule)
		return;
	buf_fini(&schedule->payload);
	free(schedule->blocks);
	free(schedule);
}

/*
 * Reads the next section of turns. What is after damage is not served. Each section
 * starts its times over, so that it can be read alone.
 */
static int next_section(struct wm_schedule *schedule, struct wm_error *err)
{
	const struct wm_trace *trace = schedule->trace;

	while (schedule->next < reader_sections(trace->reader)) {
		const struct section *section =
			reader_section(trace->reader, schedule->next++);
		int ret;

		if (section->type != SECTION_SCHD)
			continue;
		if (trace->damage.code && section->off >= trace->damage.offset)
			return WM_END;
		ret = reader_read(trace->reader, section, &schedule->payload, err);
		if (ret)
			return ret;
		schedule->left = span_of(schedule->payload.data, schedule->payload.len);
		schedule->off = section->off;
		schedule->ns = 0;
		return 0;
	}
	return WM_END;
}

int schedule_next(struct wm_schedule *schedule, struct wm_turn *turn,
		  struct wm_error *err)
{
	uint64_t *block;
	int ret = 0;

	while (!ret && !turn_get(&schedule->left, turn, &schedule->ns)) {
		if (schedule->left.failed)
			return wm_fail(err, WM_E_DAMAGED, schedule->off,
				       "a schedule is malformed");
		ret = next_section(schedule, err);
	}
	if (ret)
		return ret;
	/* Checked again: the file is read a second time after it was opened. */
	if (turn->stream >= schedule->trace->stream_count)
		return wm_fail(err, WM_E_DAMAGED, schedule->off,
			       "a schedule has a stream that the trace has not");
	block = &schedule->blocks[turn->stream];
	if (turn->block_ordinal < *block)
		return wm_fail(err, WM_E_DAMAGED, schedule->off,
			       "a schedule goes back from block %" PRIu64 " to %" PRIu64,
			       *block, turn->block_ordinal);
	/*
	 * Turns of one stream on several harts are in one order, so one number for each
	 * stream is enough.
	 */
	*block = turn->block_ordinal;
	return 0;
}
