// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The bytecodes from a position on, by a walk that begins shortly before it. Where that does
 * not know enough, another one begins further back, which passes over what was handed out
 * already; at last one from the thread's begin. Of those that recover, where a gap is met, only that
 * one knows how it may be connected.
 *
 * Example: from 5,000,000 on. A walk from 3,951,424 hands out steps up to one at 5,200,000
 * that is unsure: what was caught there is in a frame that was entered before. The next
 * walk is of all, hands out nothing up to there, and then the rest.
 */
#include "managed/walk-data.h"
#include "trace/trace.h"

struct handing {
	uint64_t from, to;
	uint64_t done, seen; /* steps from `from` on: handed out; met by this walk */
	bool late, known;    /* it began late; it has met a step */
	bool recovers;
	bool unsure; /* it is over, and another one is needed */
	bool gap;    /* one from the begin, for a gap was met */
	bool whole;  /* which this is */
	walk_take *take;
	void *cookie;
};

static int hand(void *cookie, const struct walk_step *step, struct wm_error *err)
{
	struct handing *handing = cookie;

	handing->gap = handing->recovers && !handing->whole && !step->unit &&
		       !step->unsure;
	if (handing->gap)
		return WM_END;
	if (step->insn >= handing->from && (step->unsure || !handing->known)) {
		handing->unsure = handing->late;
		if (handing->unsure)
			return WM_END;
	}
	handing->known = true;
	if (step->unsure || step->insn < handing->from || handing->seen++ < handing->done)
		return 0;
	handing->done++;
	return handing->take(handing->cookie, step, err);
}

/* One walk, of a stream without gaps. WM_END: take() has ended it, or another is needed. */
static int walk_once(struct handing *handing, const struct units *units,
		     const struct wm_trace *trace, unsigned stream, uint64_t back,
		     struct wm_error *err)
{
	struct wm_cursor *cursor = NULL;
	const uint32_t *ids;
	struct wm_step step;
	struct walk *walk;
	size_t n;
	int ret = walk_new(&walk, units, trace, stream, hand, handing, err);

	handing->late = back < handing->from;
	handing->known = handing->unsure = false;
	handing->seen = 0;
	if (!ret)
		ret = wm_cursor_new(&cursor, trace, stream, err);
	if (!ret && handing->late)
		ret = walk_begin_late(walk, cursor, handing->from - back, err);
	while (!ret && walk_settled(walk) < handing->to &&
	       !(ret = wm_cursor_next_run(cursor, &ids, &n, &step, err)))
		ret = walk_pass(walk, cursor, ids, n, &step, err);
	wm_cursor_free(cursor);
	walk_free(walk);
	return ret;
}

int walk_between(const struct units *units, const struct wm_trace *trace, unsigned stream,
		 bool recovers, uint64_t from, uint64_t to, walk_take *take, void *cookie,
		 struct wm_error *err)
{
	struct handing handing = { .from = from,
				   .to = to,
				   .recovers = recovers,
				   .take = take,
				   .cookie = cookie };
	uint64_t back = WALK_BACK_INSNS;
	int ret = 0;

	/* Where any gap would be met, the last walk is the first. */
	handing.gap = recovers && !from && trace->table.gaps;
	while (!handing.gap) {
		ret = walk_once(&handing, units, trace, stream, back, err);
		back = walk_further_back(back, from);
		if ((ret && ret != WM_END) || !handing.unsure)
			break;
	}
	if (handing.gap) {
		handing.whole = true;
		handing.late = handing.gap = false;
		handing.seen = 0;
		ret = walk_stream_to(units, trace, stream, true, to, hand, &handing, err);
	}
	return ret == WM_END ? 0 : ret;
}
