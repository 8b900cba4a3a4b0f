// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A timeline with a bounded number of calls, from two walks over the threads. The first
 * counts calls by their length; that gives the least length of which there are few enough.
 * The second hands out those.
 *
 * How long a call takes is known at its end only, so its begin is held back until then, or
 * until something inside it is handed out. A caller takes at least as long as what it
 * called: when a call is handed out, so are all calls around it. Nothing is kept but the
 * stack, whatever the length of the trace.
 *
 * Example, with a least length of 10: main (0 to 100) calls f (10 to 15) and g (20 to 40).
 *
 *	at 15	f ends after 5 instructions: it is dropped; main is still held back
 *	at 40	g ends after 20: begin main at 0, begin g at 20, end g at 40
 *	at 100	main was begun: end main at 100
 *
 * Invariant: of the open calls, the outermost `shown` were handed out.
 */
#include "analysis/calls/timeline.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "analysis/calls/calltrace.h"
#include "base/append.h"
#include "base/error.h"
#include "out/text.h"

enum { CALLS_MAX = 500000 };
/*
 * Lengths are counted exactly up to 32 instructions; above, each power of two is divided
 * into 16 parts.
 */
enum { PARTS_BITS = 4, PARTS = 1 << PARTS_BITS, BUCKETS = (64 - PARTS_BITS + 1) * PARTS };

struct open_call {
	uint32_t entity;
	uint64_t insn;
};

struct walk {
	const struct timeline *timeline;
	const struct timeline_sink *sink; /* NULL: lengths are counted */
	void *cookie;
	uint64_t *counts;	/* [BUCKETS] */
	struct open_call *open; /* [depth] */
	size_t depth, shown;
	bool failed; /* no memory */
};

/* ---- lengths ------------------------------------------------------------------------- */

static unsigned bucket_of(uint64_t insns)
{
	unsigned power;

	if (insns < PARTS)
		return (unsigned)insns;
	power = 63 - (unsigned)__builtin_clzll(insns);
	return (power - PARTS_BITS + 1) * PARTS +
	       (unsigned)(insns >> (power - PARTS_BITS) & (PARTS - 1));
}

/* The least length in a bucket. */
static uint64_t length_of(unsigned bucket)
{
	unsigned power = bucket / PARTS;

	if (!power)
		return bucket;
	return (uint64_t)(PARTS + bucket % PARTS) << (power - 1);
}

/* Calls without an instruction are not to be seen, and not missed. */
static void settle(struct timeline *timeline, const uint64_t *counts, uint64_t most)
{
	unsigned bucket = BUCKETS;
	uint64_t shown = 0, all = 0;

	while (bucket > 1 && shown + counts[bucket - 1] <= most)
		shown += counts[--bucket];
	for (unsigned i = 1; i < BUCKETS; i++)
		all += counts[i];
	timeline->least_insns = bucket < BUCKETS ? length_of(bucket) : UINT64_MAX;
	timeline->left_out = all - shown;
}

/* ---- walking --------------------------------------------------------------------------- */

static void enter(void *cookie, const struct calltrace_call *call)
{
	struct walk *walk = cookie;
	struct open_call open = { call->frame->entity, call->frame->insn };

	walk->failed |= !APPEND(walk->open, walk->depth, open);
}

/*
 * The call on top is handed out, and so are those around it; but none without a function,
 * which a damaged trace may have.
 */
static void show(struct walk *walk, uint64_t insn)
{
	uint32_t entity = walk->open[walk->depth - 1].entity;

	for (; walk->shown < walk->depth; walk->shown++) {
		const struct open_call *open = &walk->open[walk->shown];

		if (open->entity)
			walk->sink->begin(walk->cookie, open->entity, open->insn);
	}
	if (entity)
		walk->sink->end(walk->cookie, entity, insn);
	walk->shown--;
}

static void leave(void *cookie, const struct callstack_frame *frame, uint64_t insn,
		  bool over)
{
	struct walk *walk = cookie;
	uint64_t insns = insn - frame->insn;

	(void)over;
	if (walk->failed)
		return;
	if (!walk->sink)
		walk->counts[bucket_of(insns)]++;
	else if (insns >= walk->timeline->least_insns)
		show(walk, insn);
	walk->depth--;
}

static bool more(void *cookie)
{
	const struct walk *walk = cookie;

	return !walk->failed && (!walk->sink || walk->sink->more(walk->cookie));
}

static int take_thread(struct walk *walk, unsigned thread, struct wm_error *err)
{
	const struct timeline *timeline = walk->timeline;
	const struct selection *selection = timeline->subject->selection;
	struct calltrace calltrace = {
		.trace = timeline->subject->trace,
		.sites = timeline->sites,
		.from = selection->from,
		.to = selection->to,
		.enter = enter,
		.leave = leave,
		.more = more,
		.cookie = walk,
	};
	struct wm_stream stream;
	int ret = wm_trace_stream(calltrace.trace, thread, &stream);

	if (ret)
		return wm_fail(err, ret, 0, "there is no thread %u", thread);
	if (walk->sink)
		walk->sink->thread(walk->cookie, thread, &stream);
	ret = calltrace_run(&calltrace, thread, err);
	if (!ret && walk->sink)
		walk->sink->done(walk->cookie, stream.insns < selection->to ?
						       stream.insns :
						       selection->to);
	return !ret && walk->failed ? wm_fail_nomem(err, "calls") : ret;
}

static int take_threads(struct walk *walk, struct wm_error *err)
{
	const struct selection *selection = walk->timeline->subject->selection;
	int ret = 0;

	for (unsigned i = 0; i < selection->n && !ret && more(walk); i++)
		ret = take_thread(walk, selection->streams[i], err);
	free(walk->open);
	return ret;
}

/* ---- a timeline ------------------------------------------------------------------------ */

int timeline_init(struct timeline *timeline, const struct calls_subject *subject,
		  uint64_t most, struct wm_error *err)
{
	uint64_t counts[BUCKETS] = { 0 };
	struct walk walk = { .timeline = timeline, .counts = counts };
	int ret;

	*timeline = (struct timeline){ .subject = subject };
	ret = sites_new(&timeline->sites, subject->trace, subject->functions,
			subject->selection, err);
	if (!ret)
		ret = entity_names_init(&timeline->names, timeline->sites, err);
	if (!ret)
		ret = take_threads(&walk, err);
	if (!ret)
		settle(timeline, counts, most == UINT64_MAX ? CALLS_MAX : most);
	return ret;
}

void timeline_fini(struct timeline *timeline)
{
	entity_names_fini(&timeline->names);
	sites_free(timeline->sites);
}

int timeline_run(const struct timeline *timeline, const struct timeline_sink *sink,
		 void *cookie, struct wm_error *err)
{
	struct walk walk = { .timeline = timeline, .sink = sink, .cookie = cookie };

	return take_threads(&walk, err);
}

/* ---- names ----------------------------------------------------------------------------- */

void timeline_thread_name(const struct timeline *timeline, unsigned thread, char *text,
			  size_t size)
{
	struct wm_stream stream = { .name = "" };

	wm_trace_stream(timeline->subject->trace, thread, &stream);
	snprintf(text, size, "thread %u%s%s", thread, *stream.name ? ", " : "",
		 stream.name);
	text_make_line(text);
}

void timeline_process_name(const struct timeline *timeline, uint32_t space, char *text,
			   size_t size)
{
	struct wm_space found = { .name = "" };
	struct wm_process process;

	wm_trace_space(timeline->subject->trace, space, &found);
	if (wm_trace_process(timeline->subject->trace, space, &process))
		snprintf(text, size, "%s", found.name);
	else
		snprintf(text, size, "%s (pid %" PRIu32 ")", found.name, process.pid);
	text_make_line(text);
}
