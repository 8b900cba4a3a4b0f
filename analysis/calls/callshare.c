// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The calls of threads whose parts are followed in several processes. A state is the log of a
 * part (calllog.h).
 *
 * Of a log of the longest calls, one state goes through all segments of a part, so that it need not
 * be put together from that of each segment. Single calls are streamed: each segment has a log.
 */
#include "analysis/calls/callshare.h"

#include "analysis/analysis.h"
#include "analysis/calls/callcauses.h"
#include "analysis/calls/calls.h"
#include "analysis/calls/interpreted.h"
#include "analysis/wanted.h"
#include "base/error.h"
#include "kernel/kernel.h"

struct sharing {
	const struct callshare *share;
	const struct kernel *kernel;
	struct wanted wanted; /* calls that are certainly in the list */
};

struct state {
	struct calllog log;
	struct sharing *sharing; /* NULL: not begun */
	const struct site_table *table;
	unsigned stream;
	uint64_t key; /* of the segment: wanted_key() */
	uint32_t space;
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
	return calllog_check(log, err);
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
	return calllog_check(log, err);
}

static int append(void *cookie, void *next, struct wm_error *err)
{
	struct state *state = cookie;

	return calllog_append(&state->log, &((struct state *)next)->log, err);
}

static void put(void *cookie, struct buf *out)
{
	struct state *state = cookie;

	wanted_add(&state->sharing->wanted, state->key, state->log.sure);
	calllog_put(&state->log, out);
}

static int get(void *cookie, struct span *in, struct wm_error *err)
{
	return calllog_get(&((struct state *)cookie)->log, in, err);
}

static void end(void *cookie)
{
	calllog_fini(&((struct state *)cookie)->log);
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

	return state->log.stack.open ?
		       begins_late(err) :
		       share->some(share->cookie, &state->log, state->stream, err);
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
	};
	const bool longest = share->wanted->longest;
	const struct analysis analysis = {
		.name = share->name,
		.version = 1,
		.state_bytes = sizeof(struct state),
		/* Methods' frames depend on those of native code from the thread's begin on. */
		.whole = sites_interpreted(share->sites),
		.in_order = longest,
		.streamed = !longest,
		.skips = longest ? NULL : skips,
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
