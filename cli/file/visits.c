// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Which spaces each thread was in. A thread may come back to a space any number of times, so
 * `last` has, for each space, the thread that was noted there last: each thread takes one
 * pass over its changes of space, whatever their number.
 *
 * Example: thread 0 runs in spaces 0, 1, 0 and thread 1 in 1. Then spaces[] is 0 1 1, and
 * ends[] is 2 3.
 */
#include "cli/file/visits.h"

#include <stdlib.h>

#include "base/error.h"

struct finding {
	const struct wm_trace *trace;
	uint32_t *spaces;
	size_t n, room;
	uint32_t *last; /* by space: thread + 1 */
};

/* finding->last[] holds thread + 1, so that zeros mean "no thread". */
static bool note(struct finding *finding, unsigned thread, uint32_t space)
{
	uint32_t *more;

	/* Noted already: threads come one after the other. */
	if (finding->last[space] == thread + 1)
		return true;
	finding->last[space] = thread + 1;
	if (finding->n == finding->room) {
		finding->room = 2 * finding->room + 16;
		more = reallocarray(finding->spaces, finding->room, sizeof(*more));
		/* The old list stays in `finding`, which frees it. */
		if (!more)
			return false;
		finding->spaces = more;
	}
	finding->spaces[finding->n++] = space;
	return true;
}

/* A thread without blocks was in the space where it began. */
static bool visit(struct finding *finding, unsigned thread,
		  const struct wm_stream *stream)
{
	uint64_t at = 0, until = 0;
	uint32_t space;

	do {
		if (wm_trace_space_at(finding->trace, thread, at, &space, &until))
			return true;
		if (!note(finding, thread, space))
			return false;
		/* `until` is the first block in another space. */
		at = until;
	} while (at < stream->blocks);
	return true;
}

/* A thread's list begins where that of the thread before ends. */
static bool visit_all(struct finding *finding, size_t *ends)
{
	struct wm_stream stream;

	for (unsigned i = 0; !wm_trace_stream(finding->trace, i, &stream); i++) {
		if (!visit(finding, i, &stream))
			return false;
		ends[i] = finding->n;
	}
	return true;
}

int visits_find(struct visits *visits, const struct wm_trace *trace, struct wm_error *err)
{
	struct finding finding = { .trace = trace };
	struct wm_summary summary;
	bool found;

	wm_trace_summary(trace, &summary);
	/* One more, because calloc(0) may return NULL. */
	visits->ends = calloc(summary.streams + 1ul, sizeof(*visits->ends));
	finding.last = calloc(summary.spaces + 1ul, sizeof(*finding.last));
	found = visits->ends && finding.last && visit_all(&finding, visits->ends);
	visits->spaces = finding.spaces;
	free(finding.last);
	if (found)
		return 0;
	/* The list belongs to *visits by now. */
	visits_fini(visits);
	return wm_fail_nomem(err, "the processes of threads");
}

void visits_fini(struct visits *visits)
{
	free(visits->spaces);
	free(visits->ends);
	*visits = (struct visits){ .spaces = NULL };
}

size_t visits_of(const struct visits *visits, unsigned thread, const uint32_t **spaces)
{
	size_t begin = thread ? visits->ends[thread - 1] : 0;

	*spaces = visits->spaces + begin;
	return visits->ends[thread] - begin;
}
