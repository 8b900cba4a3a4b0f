// SPDX-License-Identifier: GPL-2.0-or-later
/* Most traces have no gaps: then nothing is read but the blocks. */
#include "analysis/gaps.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"

static bool is_gap(const struct wm_trace *trace, uint32_t id)
{
	struct wm_block block;

	return wm_trace_block(trace, id, &block) == 0 && !block.insns;
}

/* Whether the recorder says that it has counted all that the threads passed. */
static bool is_counted(const struct wm_trace *trace)
{
	const char *passed = wm_trace_meta(trace, "passed");

	return passed && !strcmp(passed, "counted");
}

static int add_chunk(struct gaps *gaps, const struct wm_trace *trace, uint64_t index,
		     struct wm_error *err)
{
	struct wm_count *counts;
	struct wm_chunk chunk;
	size_t n;
	int ret = wm_trace_histogram(trace, index, &counts, &n, err);

	if (ret)
		return ret == WM_E_NOMEM ? ret : 0;
	wm_trace_chunk(trace, index, &chunk);
	for (size_t i = 0; i < n; i++)
		if (is_gap(trace, counts[i].id))
			gaps->count[chunk.stream] += counts[i].count;
	free(counts);
	return 0;
}

int gaps_count(struct gaps *gaps, const struct wm_trace *trace, struct wm_error *err)
{
	struct wm_summary summary;
	struct wm_stream stream;
	int ret = 0;

	*gaps = (struct gaps){ .ids = 0 };
	wm_trace_summary(trace, &summary);
	for (unsigned i = 0; !wm_trace_stream(trace, i, &stream); i++)
		gaps->passed += stream.passed;
	for (uint32_t id = 1; id <= summary.known_blocks; id++)
		gaps->ids += is_gap(trace, id);
	gaps->exact = summary.complete &&
		      (is_counted(trace) || (!gaps->passed && !gaps->ids));
	if (!gaps->ids)
		return 0;
	gaps->count = calloc((size_t)summary.streams + 1, sizeof(*gaps->count));
	if (!gaps->count)
		ret = wm_fail_nomem(err, "what is not recorded");
	for (uint64_t i = 0; !ret && i < summary.chunks; i++)
		ret = add_chunk(gaps, trace, i, err);
	for (uint32_t i = 0; !ret && i < summary.streams; i++)
		gaps->all += gaps->count[i];
	if (ret)
		gaps_fini(gaps);
	return ret;
}

void gaps_fini(struct gaps *gaps)
{
	free(gaps->count);
	*gaps = (struct gaps){ .ids = 0 };
}
