// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Chunks decode alone, so they are the smallest pieces of work. A segment has several of them
 * when they are short: starting an analysis costs memory and time for each segment.
 *
 * Invariant: the segments of a stream are neighbours in the list; each begins with the chunk
 * after the last one of the segment before. Chunks of 3, 3, 3 and 9 million blocks with a
 * target of 6 million make the segments {0, 1}, {2}, {3}. A segment lies in one space.
 */
#include "analysis/segments.h"

#include <stdlib.h>

#include "base/error.h"
#include "trace/trace.h"

static const struct chunk_head *head_of(const struct wm_trace *trace,
					const struct trace_stream *stream, uint32_t chunk)
{
	return &trace->chunks[stream->chunks[chunk]].head;
}

/* The chunks with anything that is selected: [*first, *end). */
static void range_of(const struct wm_trace *trace, const struct trace_stream *stream,
		     const struct selection *selection, uint32_t *first, uint32_t *end)
{
	/* Chunks of a stream are in the order of their instructions. */
	uint32_t n = stream->chunk_count;

	for (*first = 0; *first < n; ++*first) {
		const struct chunk_head *head = head_of(trace, stream, *first);

		if (head->first_insn + head->insns > selection->from)
			break;
	}
	*end = *first;
	while (*end < n && head_of(trace, stream, *end)->first_insn < selection->to)
		++*end;
}

static void cut_stream(struct segments *segments, const struct wm_trace *trace,
		       const struct selection *selection, unsigned index, uint64_t most,
		       bool across)
{
	const struct trace_stream *stream = &trace->streams[index];
	struct segment *segment = NULL;
	uint64_t blocks = 0;
	uint32_t first, end, space;

	range_of(trace, stream, selection, &first, &end);
	for (uint32_t i = first; i < end; i++) {
		const struct chunk_head *head = head_of(trace, stream, i);
		bool moved, other;

		space = trace_chunk_space(trace, &trace->chunks[stream->chunks[i]]);
		/*
		 * A state holds ids and addresses of one space, so another space needs
		 * another segment.
		 */
		other = segment && segment->space != space;
		moved = !segment || other;
		if (moved && segment)
			/*
			 * The stream's state ends here and another one begins, as of
			 * another stream.
			 */
			segment->last |= !across;
		if (moved || blocks + head->blocks > most) {
			segment = &segments->all[segments->n++];
			*segment = (struct segment){
				.stream = index,
				.space = space,
				.first_block = head->first_block,
				.moved = other,
				.first = i == first || (moved && !across),
				.chunk = i,
			};
			blocks = 0;
		}
		segment->chunks++;
		segment->last = i + 1 == end;
		segment->insns += head->insns;
		segments->insns += head->insns;
		blocks += head->blocks;
	}
}

int segments_cut(struct segments *segments, const struct wm_trace *trace,
		 const struct selection *selection, uint64_t blocks, bool across,
		 struct wm_error *err)
{
	/*
	 * A chunk belongs to one stream and to one segment: there are no more segments
	 * than chunks.
	 */
	*segments = (struct segments){
		.all = calloc((size_t)trace->chunk_count + 1, sizeof(*segments->all)),
	};
	if (!segments->all)
		return wm_fail_nomem(err, "an analysis");
	for (unsigned i = 0; i < selection->n; i++)
		cut_stream(segments, trace, selection, selection->streams[i], blocks,
			   across);
	return 0;
}

void segments_fini(struct segments *segments)
{
	free(segments->all);
	*segments = (struct segments){ .n = 0 };
}

/*
 * The first segment behind `weight`. A segment weighs its instructions and one more, so that
 * segments of a damaged file, which may have none, are shared out, too.
 */
static size_t segment_behind(const struct segments *segments, uint64_t weight)
{
	uint64_t before = 0;
	size_t i = 0;

	while (i < segments->n && before < weight)
		before += segments->all[i++].insns + 1;
	return i;
}

void segments_part(const struct segments *segments, uint32_t number, uint32_t parts,
		   size_t *first, size_t *end)
{
	uint64_t weight = segments->insns + segments->n;
	/* A product of 64 bits would overflow at 2^16 parts of 2^48 instructions. */
	__extension__ typedef unsigned __int128 wide;

	*first =
		segment_behind(segments, (uint64_t)((wide)weight * (number - 1) / parts));
	*end = number == parts ?
		       segments->n :
		       segment_behind(segments,
				      (uint64_t)((wide)weight * number / parts));
}
