// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Where other threads are at the moment is asked of the merge of threads that listings use
 * (trace/merge.h), so the answer is the store that such a listing has last. In each thread
 * the last store before that place is found, and of these the newest: two are compared by
 * where one thread is at the moment of the other's store.
 *
 * Example: thread 0 is at 5000; thread 1 is then at 700, thread 2 has ended at 90. The last
 * stores are 0's at 100, 1's at 650, 2's at 80. When 0 did its store, 1 was at 30: 650 is
 * newer. When 1 did that, 2 was at 90: its 80 is older. The answer is 1's.
 */
#include "analysis/mem/writer.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/error.h"
#include "trace/merge.h"
#include "trace/trace.h"

struct search {
	const struct wm_trace *trace;
	unsigned *streams; /* [n] that of the moment is first */
	uint64_t *places;  /* [n] at the moment */
	unsigned n;
};

/* Where others are when streams[0] is about to do instruction `insn`. */
static int find_places(const struct wm_trace *trace, const unsigned *streams, unsigned n,
		       uint64_t insn, uint64_t *places, struct wm_error *err)
{
	const struct slice slice = { .by_insn = true, .from = insn, .from_first = true };
	struct merge *merge;
	int ret = merge_new(&merge, trace, streams, n, &slice, err);

	if (ret)
		return ret;
	ret = merge_places(merge, places, err);
	merge_free(merge);
	return ret;
}

/* The space of a stream where it does an instruction. */
static uint32_t space_at(const struct wm_trace *trace, unsigned stream, uint64_t insn)
{
	const struct trace_stream *of = &trace->streams[stream];
	uint32_t i = of->chunk_count;

	while (i > 1 && trace->chunks[of->chunks[i - 1]].head.first_insn > insn)
		i--;
	return i ? trace_chunk_space(trace, &trace->chunks[of->chunks[i - 1]]) :
		   of->record.space;
}

static bool was_in(const struct wm_trace *trace, unsigned stream, uint32_t space)
{
	const struct trace_stream *of = &trace->streams[stream];

	for (uint32_t i = 0; i < of->chunk_count; i++)
		if (trace_chunk_space(trace, &trace->chunks[of->chunks[i]]) == space)
			return true;
	return false;
}

/* Whether a store of another thread is newer than the best so far, which is of streams[0]. */
static int compare(const struct search *search, const struct mem_access *best,
		   const struct mem_access *other, bool *newer, struct wm_error *err)
{
	const unsigned streams[2] = { best->stream, other->stream };
	uint64_t places[2];
	int ret = find_places(search->trace, streams, 2, best->insn, places, err);

	*newer = !ret && other->insn >= places[1];
	return ret;
}

static int take(const struct search *search, unsigned i, const struct mem_wanted *wanted,
		uint32_t space, struct mem_access *access, struct wm_access *values,
		bool *found, unsigned *others, struct wm_error *err)
{
	struct mem_wanted here = *wanted;
	struct mem_access last;
	struct wm_access last_values;
	bool newer = true;
	int ret;

	if (here.to > search->places[i])
		here.to = search->places[i];
	ret = mem_last(search->trace, search->streams[i], &here, &last, &last_values,
		       err);
	if (ret || last.space != space)
		return ret < 0 ? ret : 0;
	*others += i != 0;
	if (*found)
		ret = compare(search, access, &last, &newer, err);
	if (ret || !newer)
		return ret;
	*found = true;
	*values = last_values;
	*access = last;
	access->access = values;
	return 0;
}

static int go(struct search *search, const struct mem_moment *moment,
	      const struct mem_wanted *wanted, uint32_t space, struct mem_access *access,
	      struct wm_access *values, unsigned *others, struct wm_error *err)
{
	uint64_t insns = search->trace->streams[moment->stream].insns;
	bool found = false;
	int ret;

	if (!insns || moment->insn > insns)
		return wm_fail(err, WM_E_RANGE, 0,
			       "thread %u has %" PRIu64
			       " instructions, so none number %" PRIu64,
			       moment->stream, insns, moment->insn);
	/* Behind its last one nothing is known of a thread. */
	ret = find_places(search->trace, search->streams, search->n,
			  moment->insn < insns ? moment->insn : insns - 1, search->places,
			  err);
	search->places[0] = moment->insn;
	*others = 0;
	for (unsigned i = 0; !ret && i < search->n; i++)
		ret = take(search, i, wanted, space, access, values, &found, others, err);
	return ret ? ret : found ? 0 : WM_END;
}

int mem_last_writer(const struct wm_trace *trace, const struct selection *selection,
		    const struct mem_moment *moment, const struct mem_wanted *wanted,
		    struct mem_access *access, struct wm_access *values, unsigned *others,
		    struct wm_error *err)
{
	uint32_t space = space_at(trace, moment->stream, moment->insn);
	struct search search = { .trace = trace, .n = 1 };
	int ret;

	search.streams = calloc(selection->n + 1ul, sizeof(*search.streams));
	search.places = calloc(selection->n + 1ul, sizeof(*search.places));
	if (search.streams && search.places) {
		search.streams[0] = moment->stream;
		for (unsigned i = 0; i < selection->n; i++)
			if (selection->streams[i] != moment->stream &&
			    was_in(trace, selection->streams[i], space))
				search.streams[search.n++] = selection->streams[i];
		ret = go(&search, moment, wanted, space, access, values, others, err);
	} else {
		ret = wm_fail_nomem(err, "the last writer");
	}
	free(search.streams);
	free(search.places);
	return ret;
}
