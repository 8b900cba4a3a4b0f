// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A timeline with a bounded number of calls: the longest of all threads. Each thread keeps no
 * more than are wanted of all (callspans.h), and so do all together, whatever the length of
 * the trace and however many processes followed it.
 *
 * Invariant: threads[i] has the calls of thread i of the selection that are at least as long as
 * what all threads up to now allow, or as of the last time when there were many.
 */
#include "analysis/calls/timeline.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "analysis/calls/callshare.h"
#include "base/error.h"
#include "out/text.h"

enum { CALLS_MAX = 500000 };

/* ---- gathering ------------------------------------------------------------------------- */

static size_t count_kept(const struct timeline *timeline)
{
	size_t n = 0;

	for (unsigned i = 0; i < timeline->subject->selection->n; i++)
		n += timeline->threads[i].n;
	return n;
}

static void drop_short(struct timeline *timeline)
{
	for (unsigned i = 0; i < timeline->subject->selection->n; i++)
		callspans_drop(&timeline->threads[i], timeline->all.least);
}

/* Of a thread that moves between spaces this is one of several logs, in their order. */
static int take_log(void *cookie, struct calllog *log, unsigned stream,
		    struct wm_error *err)
{
	struct timeline *timeline = cookie;
	const struct selection *selection = timeline->subject->selection;
	unsigned i = 0;

	while (i < selection->n && selection->streams[i] != stream)
		i++;
	callstack_end(&log->stack, log->insn);
	callspans_settle(&log->spans);
	callspans_count(&timeline->all, &log->spans);
	for (size_t k = 0; i < selection->n && k < log->spans.n; k++)
		callspans_keep(&timeline->threads[i], &log->spans.all[k]);
	if (count_kept(timeline) > timeline->all.limit)
		drop_short(timeline);
	return calllog_check(log, err);
}

static int gather(struct timeline *timeline, uint64_t most, struct wm_error *err)
{
	const struct calls_subject *subject = timeline->subject;
	const struct calllog_wanted wanted = {
		.longest = most ? most : 1,
		.hidden = sites_hidden(timeline->sites),
	};
	const struct callshare share = {
		.name = wanted.hidden ? "timeline of methods" : "timeline",
		.sites = timeline->sites,
		.wanted = &wanted,
		.whole = take_log,
		.cookie = timeline,
	};
	unsigned n = subject->selection->n;
	int ret;

	callspans_init(&timeline->all, most);
	timeline->threads = calloc(n + 1ul, sizeof(*timeline->threads));
	if (timeline->all.failed || !timeline->threads)
		return wm_fail_nomem(err, "calls");
	for (unsigned i = 0; i < n; i++)
		callspans_init(&timeline->threads[i], most);
	ret = callshare_run(&share, subject->trace, subject->selection, err);
	/* Lengths that all calls together do not allow; without calls any length is short. */
	callspans_settle(&timeline->all);
	drop_short(timeline);
	timeline->least_insns = timeline->all.least;
	timeline->left_out = callspans_shorter(&timeline->all);
	for (unsigned i = 0; !ret && i < n; i++)
		if (timeline->threads[i].failed)
			ret = wm_fail_nomem(err, "calls");
	return ret;
}

/* ---- a timeline ------------------------------------------------------------------------ */

int timeline_init(struct timeline *timeline, const struct calls_subject *subject,
		  uint64_t most, struct wm_error *err)
{
	int ret;

	*timeline = (struct timeline){ .subject = subject };
	ret = subject_sites(subject, &timeline->sites, err);
	if (!ret)
		ret = entity_names_init(&timeline->names, timeline->sites, err);
	return ret ? ret : gather(timeline, most == UINT64_MAX ? CALLS_MAX : most, err);
}

void timeline_fini(struct timeline *timeline)
{
	for (unsigned i = 0; timeline->threads && i < timeline->subject->selection->n;
	     i++)
		callspans_fini(&timeline->threads[i]);
	free(timeline->threads);
	callspans_fini(&timeline->all);
	entity_names_fini(&timeline->names);
	sites_free(timeline->sites);
}

static int run_thread(const struct timeline *timeline, unsigned index,
		      const struct timeline_sink *sink, void *cookie,
		      struct wm_error *err)
{
	const struct selection *selection = timeline->subject->selection;
	const struct callspans_sink calls = { sink->begin, sink->end, sink->more };
	unsigned thread = selection->streams[index];
	struct wm_stream stream;
	int ret = wm_trace_stream(timeline->subject->trace, thread, &stream);

	if (ret)
		return wm_fail(err, ret, 0, "there is no thread %u", thread);
	sink->thread(cookie, thread, &stream);
	if (!callspans_each(&timeline->threads[index], &calls, cookie))
		return wm_fail_nomem(err, "calls");
	sink->done(cookie, stream.insns < selection->to ? stream.insns : selection->to);
	return 0;
}

int timeline_run(const struct timeline *timeline, const struct timeline_sink *sink,
		 void *cookie, struct wm_error *err)
{
	int ret = 0;

	for (unsigned i = 0;
	     i < timeline->subject->selection->n && !ret && sink->more(cookie); i++)
		ret = run_thread(timeline, i, sink, cookie, err);
	return ret;
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
