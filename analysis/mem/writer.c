// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The last store to an address before a moment of one thread, by any thread of the
 * process.
 *
 * In each thread, the last wanted store before the moment is found by itself. The newest
 * of these is the answer. Positions in other threads come from the merge of threads that
 * listings use (trace/merge.h), so the answer is the last such store of a listing up to
 * the moment. Stores of two threads are compared by where one thread is when the other
 * one stores: only positions are compared, never times, because several instructions
 * share one time.
 *
 * Example: thread 0 is at 5000; thread 1 is then at 700, thread 2 has ended at 90. The
 * last stores are 0's at 100, 1's at 650, 2's at 80. When 0 did its store, 1 was at 30:
 * 650 is newer. When 1 did that, 2 was at 90: its 80 is older. The answer is 1's.
 */
#include "analysis/mem/writer.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/error.h"
#include "trace/merge.h"
#include "trace/trace.h"

struct search {
	const struct wm_trace *trace;
	unsigned *streams; /* [n] the thread of the moment is streams[0] */
	uint64_t *places;  /* [n] the next instruction of each at the moment */
	unsigned n;
};

/* The next instruction of each thread when streams[0] is about to do `insn`. */
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

/*
 * The space of a stream at an instruction. A stream changes its space between chunks
 * only.
 */
static uint32_t space_at(const struct wm_trace *trace, unsigned stream, uint64_t insn)
{
	const struct trace_stream *of = &trace->streams[stream];
	uint32_t i = of->chunk_count;

	while (i > 1 && trace->chunks[of->chunks[i - 1]].head.first_insn > insn)
		i--;
	return i ? trace_chunk_space(trace, &trace->chunks[of->chunks[i - 1]]) :
		   of->record.space;
}

/*
 * A thread that never was in the space cannot have stored to it: it need not be merged.
 */
static bool was_in(const struct wm_trace *trace, unsigned stream, uint32_t space)
{
	const struct trace_stream *of = &trace->streams[stream];

	for (uint32_t i = 0; i < of->chunk_count; i++)
		if (trace_chunk_space(trace, &trace->chunks[of->chunks[i]]) == space)
			return true;
	return false;
}

/*
 * Whether `other` comes after `best`, the newest store so far: the other thread had not
 * yet reached it when the best one was done.
 */
static int compare(const struct search *search, const struct mem_access *best,
		   const struct mem_access *other, bool *newer, struct wm_error *err)
{
	const unsigned streams[2] = { best->stream, other->stream };
	uint64_t places[2];
	int ret = find_places(search->trace, streams, 2, best->insn, places, err);

	*newer = !ret && other->insn >= places[1];
	return ret;
}

/*
 * Finds the last store of thread `i` before the moment, and keeps it if it is the newest.
 */
static int take(const struct search *search, unsigned i, const struct mem_wanted *wanted,
		uint32_t space, struct mem_access *access, struct wm_access *values,
		bool *found, unsigned *others, struct wm_error *err)
{
	struct mem_wanted here = *wanted;
	struct mem_access last;
	struct wm_access last_values;
	bool newer = true;
	int ret;

	/* A store at or after the thread's own position comes after the moment. */
	if (here.to > search->places[i])
		here.to = search->places[i];
	/* The same address in another space is other memory. */
	for (;; here.to = last.insn) {
		ret = mem_last(search->trace, search->streams[i], &here, &last,
			       &last_values, err);
		/* WM_END is no error: the thread has no such store. */
		if (ret)
			return ret < 0 ? ret : 0;
		if (last.space == space)
			break;
	}
	/* Thread 0 is the thread of the moment itself. */
	*others += i != 0;
	if (*found)
		ret = compare(search, access, &last, &newer, err);
	if (ret || !newer)
		return ret;
	*found = true;
	*values = last_values;
	*access = last;
	/* `last` points to its own copy of the values, which ends with this function. */
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
	/*
	 * The merge finds moments up to the last instruction. The end of a thread counts
	 * as the moment of its last one.
	 */
	ret = find_places(search->trace, search->streams, search->n,
			  moment->insn < insns ? moment->insn : insns - 1, search->places,
			  err);
	/* The thread's own position is exact, also at its end. */
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
		/*
		 * The space of the moment bounds the search: only threads that share it
		 * can be the writer.
		 */
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
