// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Counts what is not in a trace: gaps, which are ids that stand for code that was not
 * recorded.
 *
 * Most traces have no gaps, and then only the list of blocks is read. Otherwise the
 * histograms of all chunks are added up: of each stream, the counts of those blocks that
 * are gaps. No chunk is decoded.
 *
 * Example: blocks 5 and 9 have no instructions, so they are gaps. A chunk with the
 * histogram {3: 100, 5: 2, 9: 1} adds 3 to its stream.
 *
 * Invariant: a gap is a block without instructions. Ids of gaps mean the same in every
 * space, so the state of a stream goes across spaces.
 */
#include "analysis/gaps.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/analysis.h"
#include "base/error.h"

/* A gap has an id and a place among the blocks, but no instructions. */
static bool is_gap(const struct wm_trace *trace, uint32_t id)
{
	struct wm_block block;

	return wm_trace_block(trace, id, &block) == 0 && !block.insns;
}

/*
 * Whether the recorder counts what threads pass without recording. A trace without this
 * key comes from a recorder that does not.
 */
static bool is_counted(const struct wm_trace *trace)
{
	const char *passed = wm_trace_meta(trace, "passed");

	return passed && !strcmp(passed, "counted");
}

/* ---- the analysis -------------------------------------------------------- */

struct setup {
	const struct wm_trace *trace;
	struct gaps *gaps;
};

struct state {
	const struct wm_trace *trace;
	uint64_t count;
};

static int begin(void *cookie, void *setup_cookie, const struct segment *segment,
		 struct wm_error *err)
{
	const struct setup *setup = setup_cookie;
	struct state *state = cookie;

	/* A count needs no segment: chunks are added up wherever they are. */
	(void)segment;
	(void)err;
	state->trace = setup->trace;
	return 0;
}

/* A chunk whose histogram cannot be read counts as one without gaps. */
static int take_chunk(void *cookie, uint32_t chunk, struct wm_error *err)
{
	struct state *state = cookie;
	struct wm_count *counts;
	size_t n;
	int ret = wm_trace_histogram(state->trace, chunk, &counts, &n, err);

	/* Only missing memory ends the walk; verify reports a damaged histogram. */
	if (ret)
		return ret == WM_E_NOMEM ? ret : 0;
	for (size_t i = 0; i < n; i++)
		if (is_gap(state->trace, counts[i].id))
			state->count += counts[i].count;
	free(counts);
	return 0;
}

static int append(void *cookie, void *next, struct wm_error *err)
{
	struct state *state = cookie;

	(void)err;
	state->count += ((struct state *)next)->count;
	return 0;
}

static void put(void *cookie, struct buf *out)
{
	struct state *state = cookie;

	buf_put_varint(out, state->count);
}

static int get(void *cookie, struct span *in, struct wm_error *err)
{
	struct state *state = cookie;

	(void)err;
	state->count = span_varint(in);
	return 0;
}

static int take_stream(void *cookie, void *setup_cookie, unsigned stream,
		       struct wm_error *err)
{
	const struct state *state = cookie;
	struct setup *setup = setup_cookie;

	(void)err;
	setup->gaps->count[stream] += state->count;
	setup->gaps->all += state->count;
	return 0;
}

/* A state owns no memory. */
static void end(void *state)
{
	(void)state;
}

const struct analysis gaps_analysis = {
	.name = "gaps",
	.version = 1,
	.state_bytes = sizeof(struct state),
	.across = true,
	.begin = begin,
	.chunk = take_chunk,
	.append = append,
	.put = put,
	.get = get,
	.stream = take_stream,
	.end = end,
};

static int count(struct gaps *gaps, const struct wm_trace *trace, unsigned streams,
		 struct wm_error *err)
{
	/* Gaps are counted over the whole of each thread, whatever a command selects. */
	struct setup setup = { trace, gaps };
	struct selection selection = { .n = streams, .to = UINT64_MAX };
	unsigned *all = calloc((size_t)streams + 1, sizeof(*all));
	int ret;

	if (!all)
		return wm_fail_nomem(err, "what is not recorded");
	for (unsigned i = 0; i < streams; i++)
		all[i] = i;
	selection.streams = all;
	ret = analysis_run(&gaps_analysis, &setup, trace, &selection, err);
	free(all);
	return ret;
}

int gaps_count(struct gaps *gaps, const struct wm_trace *trace, struct wm_error *err)
{
	struct wm_summary summary;
	struct wm_stream stream;
	int ret;

	*gaps = (struct gaps){ .ids = 0 };
	wm_trace_summary(trace, &summary);
	/* What threads passed is counted by the recorder, so no chunk is read for it. */
	for (unsigned i = 0; !wm_trace_stream(trace, i, &stream); i++)
		gaps->passed += stream.passed;
	for (uint32_t id = 1; id <= summary.known_blocks; id++)
		gaps->ids += is_gap(trace, id);
	/* Without counting, only a trace in which nothing was passed has everything. */
	gaps->exact = summary.complete &&
		      (is_counted(trace) || (!gaps->passed && !gaps->ids));
	/* Most traces have no gaps and end here. */
	if (!gaps->ids)
		return 0;
	gaps->count = calloc((size_t)summary.streams + 1, sizeof(*gaps->count));
	ret = gaps->count ? count(gaps, trace, summary.streams, err) :
			    wm_fail_nomem(err, "what is not recorded");
	if (ret)
		gaps_fini(gaps);
	return ret;
}

void gaps_fini(struct gaps *gaps)
{
	free(gaps->count);
	*gaps = (struct gaps){ .ids = 0 };
}
