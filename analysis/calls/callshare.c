// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The calls of threads whose parts are followed in several processes. A state is the log of a
 * part (calllog.h).
 *
 * Of a log of the longest calls, one state goes through all segments of a part, so that it need not
 * be put together from that of each segment. Single calls are streamed: each segment has a log.
 *
 * A segment that is all of a thread may have more calls than memory should hold. Nothing is appended
 * to its log, so the items are moved to pieces (pieces.h), which put() gives before the log:
 *
 *	a state		0  log
 *	of a piece	bytes  items...
 */
#include "analysis/calls/callshare.h"

#include "analysis/analysis.h"
#include "analysis/calls/callcauses.h"
#include "analysis/calls/calls.h"
#include "analysis/calls/interpreted.h"
#include "analysis/pieces.h"
#include "analysis/statebytes.h"
#include "analysis/wanted.h"
#include "base/error.h"
#include "kernel/kernel.h"

struct sharing {
	const struct callshare *share;
	const struct kernel *kernel;
	bool in_pieces;	      /* a segment is all of a thread, and has single calls */
	struct wanted wanted; /* calls that are certainly in the list */
};

struct state {
	struct calllog log;
	struct sharing *sharing; /* NULL: not begun */
	const struct site_table *table;
	unsigned stream;
	uint64_t key; /* of the segment: wanted_key() */
	uint32_t space;
	struct pieces pieces; /* of a whole thread: the log's items, but the last ones */
	bool has_put_all;
	bool has_changes; /* those of methods, from where the state begins */
	struct method_changes changes;
};

static int begin(void *cookie, void *setup, const struct segment *segment,
		 struct wm_error *err)
{
	struct state *state = cookie;
	struct sharing *sharing = setup;
	const struct sites *sites = sharing->share->sites;
	struct callbytes of = { .n_rows = sites_last(sites),
				.n_entities = sites_entities(sites),
				.strands = sites_strands(sites) };

	(void)err;
	if (state->sharing)
		return 0;
	state->sharing = sharing;
	state->stream = segment->stream;
	state->key = wanted_key(segment);
	state->space = segment->space;
	state->table = sites_table(sites, segment->space);
	of.rows = state->table->rows;
	calllog_init(&state->log, sharing->share->wanted, &of, segment->first);
	return 0;
}

/* ---- pieces of a whole thread ---------------------------------------------- */

static int flush(struct state *state, struct wm_error *err)
{
	struct buf *items = &state->log.items;
	int ret = pieces_put(&state->pieces, span_of(items->data, items->len),
			     span_of(NULL, 0), err);

	items->len = 0;
	return ret;
}

/* After each step of the log: moves its items when there are many. */
static int check(struct state *state, struct wm_error *err)
{
	int ret = calllog_check(&state->log, err);

	return ret || !state->sharing->in_pieces || state->log.items.len < PIECE_BYTES ?
		       ret :
		       flush(state, err);
}

static int over(void *cookie, struct wm_error *err)
{
	struct state *state = cookie;
	/* All are in pieces, or none. */
	int ret = state->pieces.spool && state->log.items.len ? flush(state, err) : 0;

	return ret ? ret : pieces_end(&state->pieces, err);
}

/* The items of the next piece are the log's. */
static bool take_piece(struct state *state)
{
	struct span piece;

	if (!pieces_next(&state->pieces, &piece))
		return false;
	buf_put(&state->log.items, piece.at, span_left(&piece));
	return true;
}

/* ---- following ----------------------------------------------------------- */

static void change(struct state *state)
{
	while (state->changes.insn < state->log.insn && !state->log.stack.error)
		method_changes_do(&state->changes, &state->log.stack);
}

/* How many of ids[n] begin up to the next change of a method. */
static size_t up_to_change(const struct state *state, const uint32_t *ids, size_t n)
{
	uint64_t insn = state->log.insn;
	size_t i = 0;

	if (state->changes.insn == UINT64_MAX)
		return n;
	while (i < n && (!i || insn <= state->changes.insn))
		insn += state->table->steps[ids[i++]].insns;
	return i;
}

static void follow(struct state *state, const uint32_t *ids, size_t n)
{
	struct calllog *log = &state->log;

	while (n && !log->stack.error) {
		size_t slice = up_to_change(state, ids, n);

		log->insn = callstack_blocks(&log->stack, state->table, ids, slice,
					     log->insn);
		change(state);
		ids += slice;
		n -= slice;
	}
}

static int blocks(void *cookie, const struct stretch *stretch, struct wm_error *err)
{
	struct state *state = cookie;
	struct calllog *log = &state->log;

	if (log->full)
		return 0;
	if (!state->has_changes)
		state->changes =
			method_changes_of(sites_interpreted(state->sharing->share->sites),
					  state->stream, stretch->insn);
	state->has_changes = true;
	calllog_begin(log, stretch->insn);
	if (stretch->n > 1 ||
	    (!stretch->skip &&
	     stretch->end == state->table->rows[stretch->ids[0]].insns)) {
		follow(state, stretch->ids, stretch->n);
	} else {
		callstack_part(&log->stack, state->table->rows, stretch->ids[0],
			       stretch->skip, stretch->end, stretch->insn);
		log->insn += stretch->end - stretch->skip;
		change(state);
	}
	return check(state, err);
}

static int gap(void *cookie, uint32_t id, uint64_t insn, struct wm_error *err)
{
	struct state *state = cookie;

	(void)id;
	(void)err;
	calllog_begin(&state->log, insn);
	callstack_gap(&state->log.stack);
	return 0;
}

/* In the order of calls.c: a return comes before a signal at the same place. */
static int event(void *cookie, const struct wm_event *event, struct wm_error *err)
{
	struct state *state = cookie;
	struct calllog *log = &state->log;
	uint64_t pc, number;

	if (callcauses_wants(event, &number))
		calllog_cause(log, event->kind, number, event->text, event->text_bytes);
	if (calls_is_return(state->sharing->kernel, event)) {
		calllog_begin(log, event->insn_ordinal);
		callstack_return_from_signal(&log->stack);
	}
	if (!calls_is_signal(event, &pc))
		return 0;
	calllog_begin(log, event->insn_ordinal);
	callstack_signal(&log->stack,
			 sites_at(state->sharing->share->sites, state->space, pc),
			 event->insn_ordinal);
	return check(state, err);
}

/* What comes behind a piece of a thread, all before which was handed out. */
static void go_on(struct calllog *log, struct calllog *next)
{
	struct buf items = log->items;

	log->items = next->items;
	next->items = items;
	log->insn = next->insn;
}

static int append(void *cookie, void *next_cookie, struct wm_error *err)
{
	struct state *state = cookie, *next = next_cookie;

	if (!state->sharing->in_pieces)
		return calllog_append(&state->log, &next->log, err);
	go_on(&state->log, &next->log);
	return 0;
}

static void put(void *cookie, struct buf *out)
{
	struct state *state = cookie;
	struct span piece = span_of(NULL, 0);

	state->has_put_all = !pieces_next(&state->pieces, &piece);
	buf_put_varint(out, span_left(&piece));
	buf_put(out, piece.at, span_left(&piece));
	if (!state->has_put_all)
		return;
	wanted_add(&state->sharing->wanted, state->key, state->log.sure);
	calllog_put(&state->log, out);
}

static bool more(void *cookie)
{
	return !((struct state *)cookie)->has_put_all;
}

static int get(void *cookie, struct span *in, struct wm_error *err)
{
	struct state *state = cookie;
	uint64_t bytes = state_count(in);

	if (!bytes)
		return in->failed ? 0 : calllog_get(&state->log, in, err);
	in->failed |= !state->sharing->in_pieces;
	if (!in->failed)
		buf_put(&state->log.items, span_bytes(in, bytes), bytes);
	return state->log.items.failed ? wm_fail_nomem(err, "calls") : 0;
}

static void end(void *cookie)
{
	struct state *state = cookie;

	calllog_fini(&state->log);
	pieces_fini(&state->pieces);
}

static bool skips(void *setup, const struct segment *segment)
{
	return wanted_is_behind(&((struct sharing *)setup)->wanted, segment);
}

static int begins_late(struct wm_error *err)
{
	return wm_fail(err, WM_E_FORMAT, 0, "the begin of a thread is missing");
}

static int drain(void *cookie, struct wm_error *err)
{
	struct state *state = cookie;
	const struct callshare *share = state->sharing->share;
	int ret = state->log.stack.open ? begins_late(err) : 0;

	while (!ret && take_piece(state))
		ret = state->log.items.failed ?
			      wm_fail_nomem(err, "calls") :
			      share->some(share->cookie, &state->log, state->stream, err);
	return ret ? ret : share->some(share->cookie, &state->log, state->stream, err);
}

static int stream(void *cookie, void *setup, unsigned index, struct wm_error *err)
{
	struct state *state = cookie;
	const struct callshare *share = ((struct sharing *)setup)->share;

	if (state->log.stack.open)
		return begins_late(err);
	return share->whole(share->cookie, &state->log, index, err);
}

int callshare_run(const struct callshare *share, const struct wm_trace *trace,
		  const struct selection *selection, struct wm_error *err)
{
	struct sharing sharing = {
		.share = share,
		.kernel = kernel_find(wm_trace_meta(trace, "guest-isa")),
		.in_pieces = !share->wanted->longest && sites_interpreted(share->sites),
	};
	const bool longest = share->wanted->longest;
	const struct analysis analysis = {
		.name = share->name,
		.version = 4,
		.state_bytes = sizeof(struct state),
		/* Methods' frames depend on those of native code from the thread's begin on. */
		.whole = sites_interpreted(share->sites),
		.in_order = longest,
		.streamed = !longest,
		.skips = longest ? NULL : skips,
		.over = longest ? NULL : over,
		.more = longest ? NULL : more,
		.drain = longest ? NULL : drain,
		.begin = begin,
		.blocks = blocks,
		.gap = gap,
		.event = event,
		.append = append,
		.put = put,
		.get = get,
		.stream = stream,
		.end = end,
	};

	/* The call behind the last one says where the list ends. */
	wanted_init(&sharing.wanted, share->wanted->calls < UINT64_MAX ?
					     share->wanted->calls + 1 :
					     UINT64_MAX);
	return analysis_run(&analysis, &sharing, trace, selection, err);
}
