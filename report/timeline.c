// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * "timeline": which functions ran when. For each of the busiest threads, time is cut into
 * bins of equal length. For each bin the page gets how many instructions of each of the
 * busiest functions ran in it, and of all others together.
 *
 * Counts are exact, and bins are cut between instructions. The page adds up bins for a
 * wide view; nothing shorter than a bin can be seen.
 *
 * Before the walk each block becomes a list of pieces of one series each, mostly one
 * piece. Example: a block of 6 instructions, 4 in the busiest function and 2 in a rare
 * one, has the pieces {end 4, series 0} and {end 6, series SERIES}.
 *
 * Invariant: bins are indexed by ordinals of the thread, so states of any segments can be
 * added, and the result does not depend on the cutting.
 */
#include <stdlib.h>
#include <string.h>

#include "analysis/analysis.h"
#include "base/append.h"
#include "base/error.h"
#include "report/section.h"
#include "report/timeline.h"

/* ---- which functions and threads ----------------------------------------- */

/* Gives each of the busiest functions a series; all others share the last one. */
static bool choose_series(struct report_timeline *line)
{
	const struct report *report = line->report;

	line->functions = functions_count(report->ask->functions);
	line->series = calloc(line->functions + 1, sizeof(*line->series));
	if (!line->series)
		return false;
	for (uint32_t i = 0; i <= line->functions; i++)
		line->series[i] = SERIES;
	for (uint32_t i = 0; i < report->n_hottest && i < SERIES; i++) {
		line->series[report->hottest[i].function] = i;
		line->names[i] =
			report_function(line->report, report->hottest[i].function);
		line->n_series = i + 1;
		if (!line->names[i])
			return false;
	}
	return true;
}

/*
 * Chooses the busiest threads, at most THREADS_MAX; of equal ones the earlier. An
 * insertion sort: insns[] is in descending order, and what is moved beyond its end is
 * dropped.
 */
static void choose_lanes(struct report_timeline *line)
{
	const struct selection *selection = line->report->ask->selection;
	uint64_t insns[THREADS_MAX], from, to;
	unsigned streams[THREADS_MAX], n = 0, at;
	struct wm_stream stream;

	for (unsigned i = 0; i < selection->n; i++) {
		if (wm_trace_stream(line->report->ask->trace, selection->streams[i],
				    &stream))
			continue;
		report_range(line->report, &stream, &from, &to);
		/* Threads without instructions in the selected part are not counted. */
		line->threads += to > from;
		for (at = n; at && insns[at - 1] < to - from; at--)
			if (at < THREADS_MAX) {
				insns[at] = insns[at - 1];
				streams[at] = streams[at - 1];
			}
		if (to == from || at == THREADS_MAX)
			continue;
		insns[at] = to - from;
		streams[at] = selection->streams[i];
		n += n < THREADS_MAX;
	}
	line->n_lanes = n;
	for (unsigned i = 0; i < n; i++)
		line->lanes[i].stream = streams[i];
}

static int by_stream(const void *a, const void *b)
{
	const struct lane *x = a, *y = b;

	return x->stream < y->stream ? -1 : x->stream > y->stream;
}

/*
 * Computes the lengths of bins and allocates them. Example: 3 threads get 1,024 bins
 * each, the largest power of two of which three fit into BINS; for 10,000,000
 * instructions a bin is 9,766 instructions long, and 1,024 of them are used.
 */
static bool make_lanes(struct report_timeline *line)
{
	uint64_t most = BINS, to;
	struct wm_stream stream;

	choose_lanes(line);
	if (line->n_lanes)
		qsort(line->lanes, line->n_lanes, sizeof(*line->lanes), by_stream);
	/* Each thread has the same share of the bins. */
	while (most * line->n_lanes > BINS)
		most /= 2;
	for (unsigned i = 0; i < line->n_lanes; i++) {
		struct lane *lane = &line->lanes[i];

		if (wm_trace_stream(line->report->ask->trace, lane->stream, &stream))
			return false;
		report_range(line->report, &stream, &lane->from, &to);
		/*
		 * Rounded up, so `most` bins are enough; a thread shorter than that has
		 * one bin for each instruction.
		 */
		lane->width = (to - lane->from + most - 1) / most;
		lane->n_bins =
			(uint32_t)((to - lane->from + lane->width - 1) / lane->width);
		lane->bins = calloc(lane->n_bins, sizeof(*lane->bins));
		if (!lane->bins)
			return false;
	}
	return true;
}

/* ---- what blocks consist of ---------------------------------------------- */

/* The callback of report_each_function(): one call for each piece of a block. */
static bool add_piece(void *cookie, uint32_t function, uint32_t from, uint32_t to)
{
	struct report_timeline *line = cookie;
	struct piece *grown;

	(void)from;
	if (line->n_pieces == line->room) {
		line->room = line->room * 2 + 4096;
		grown = reallocarray(line->pieces, line->room, sizeof(*grown));
		if (!grown)
			return false;
		line->pieces = grown;
	}
	/* Functions that were met after the series were chosen are rare ones. */
	line->pieces[line->n_pieces++] =
		(struct piece){ to, function <= line->functions ? line->series[function] :
								  SERIES };
	return true;
}

/*
 * The index of a space in spaces[], or n_spaces. Threads seldom have more than two
 * spaces.
 */
static uint32_t space_slot(const struct report_timeline *line, uint32_t space)
{
	uint32_t slot = 0;

	while (slot < line->n_spaces && line->spaces[slot] != space)
		slot++;
	return slot;
}

/* The spaces of all chunks of a thread that is shown. */
static bool list_spaces(struct report_timeline *line)
{
	const struct wm_trace *trace = line->report->ask->trace;
	struct wm_chunk chunk;

	for (uint64_t i = 0; !wm_trace_chunk(trace, i, &chunk); i++) {
		bool shown = false;

		/* At most THREADS_MAX lanes, so a linear search is cheap. */
		for (unsigned lane = 0; lane < line->n_lanes; lane++)
			shown |= line->lanes[lane].stream == chunk.stream;
		if (shown && space_slot(line, chunk.space) == line->n_spaces &&
		    !APPEND(line->spaces, line->n_spaces, chunk.space))
			return false;
	}
	return true;
}

static bool add_block(struct report_timeline *line, uint32_t space, uint32_t id)
{
	uint32_t slot = space_slot(line, space);
	size_t at = (size_t)slot * (line->known + 1) + id;
	uint32_t *first;
	struct wm_block block;

	/* Blocks of threads that are not shown need no pieces. */
	if (slot == line->n_spaces ||
	    wm_trace_block(line->report->ask->trace, id, &block))
		return true;
	first = &line->first[at];
	/* A part of a block whose row came already. */
	if (*first)
		return true;
	*first = (uint32_t)line->n_pieces;
	if (!report_each_function(line->report, space, id, 0, block.insns, add_piece,
				  line))
		return false;
	line->wholes[at] = (struct whole){
		.insns = block.insns,
		.series = line->n_pieces == *first + 1ul ? line->pieces[*first].series :
							   NO_SERIES,
	};
	return true;
}

static bool make_pieces(struct report_timeline *line)
{
	const struct counts *counts = line->report->counts;
	struct wm_summary summary;
	bool ok;

	wm_trace_summary(line->report->ask->trace, &summary);
	line->known = summary.known_blocks;
	if (!list_spaces(line))
		return false;
	line->first = calloc((size_t)line->n_spaces * (line->known + 1) + 1,
			     sizeof(*line->first));
	line->wholes = calloc((size_t)line->n_spaces * (line->known + 1) + 1,
			      sizeof(*line->wholes));
	/*
	 * Piece 0 is for blocks that are not known. Its end is above every index, so
	 * put_block() ends.
	 */
	ok = line->first && line->wholes &&
	     add_piece(line, line->functions + 1, 0, UINT32_MAX);
	for (size_t i = 0; ok && i < counts->n_rows; i++)
		ok = add_block(line, counts->rows[i].space, counts->rows[i].id);
	for (size_t i = 0; ok && i < counts->n_parts; i++)
		ok = add_block(line, counts->parts[i].space, counts->parts[i].id);
	return ok;
}

/* ---- the walk ------------------------------------------------------------ */

struct state {
	const struct report_timeline *line;
	const struct lane *lane;
	const uint32_t *first; /* [known + 1] */
	const struct whole *wholes;
	struct bin *bins; /* [lane->n_bins] */
	struct bin *bin;  /* the current bin */
	uint64_t left;	  /* instructions until its end */
};

static int begin(void *state, void *setup, const struct segment *segment,
		 struct wm_error *err)
{
	const struct report_timeline *line = setup;
	struct state *at = state;

	at->line = line;
	/* The walk gives it the streams that have a lane, and no other. */
	for (unsigned i = 0; i < line->n_lanes; i++)
		if (line->lanes[i].stream == segment->stream)
			at->lane = &line->lanes[i];
	at->first = line->first +
		    (size_t)space_slot(line, segment->space) * (line->known + 1);
	at->wholes = line->wholes + (at->first - line->first);
	/*
	 * A bin for the whole thread in each state: bins of segments are only added up.
	 */
	at->bins = calloc(at->lane->n_bins, sizeof(*at->bins));
	return at->bins ? 0 : wm_fail_nomem(err, "a timeline");
}

/*
 * Adds instructions of a series, in as many bins as they reach into. Invariant: at->left
 * > 0, so a bin that is exactly full is left at once. Most blocks are far shorter than a
 * bin.
 */
static inline void put(struct state *at, uint32_t series, uint64_t insns)
{
	while (__builtin_expect(insns >= at->left, 0)) {
		at->bin->series[series] += at->left;
		insns -= at->left;
		at->left = at->lane->width;
		/* The last bin ends with the selection: nothing comes after it. */
		if (at->bin == at->bins + at->lane->n_bins - 1)
			return;
		at->bin++;
	}
	at->bin->series[series] += insns;
	at->left -= insns;
}

/*
 * Adds instructions skip <= index < end of a block. Terminates because the last piece of
 * a block ends at its last instruction, and piece 0 above every index.
 */
static inline void put_block(struct state *at, uint32_t id, uint32_t skip, uint32_t end)
{
	const struct piece *piece = &at->line->pieces[at->first[id]];

	for (; skip < end; piece++) {
		uint32_t to = piece->end < end ? piece->end : end;

		/* Pieces that end before `skip` have no part in it. */
		if (to > skip) {
			put(at, piece->series, to - skip);
			skip = to;
		}
	}
}

static __attribute__((noinline)) void put_whole(struct state *at, uint32_t id)
{
	struct whole whole = at->wholes[id];

	if (whole.series < NO_SERIES)
		put(at, whole.series, whole.insns);
	else
		put_block(at, id, 0, whole.insns);
}

#define MANY 128u /* blocks */

/* Adds what is apart from a bin to it. */
static void fold(struct bin *bin, struct bin *apart)
{
	for (unsigned i = 0; i <= SERIES; i++)
		bin->series[i] += apart->series[i];
	*apart = (struct bin){ { 0 } };
}

/*
 * Whole blocks. Nearly all are of the series of the block before, whose sum has just been stored: so
 * every other one has sums apart, and what is left of the bin stays in a register. Of few blocks that
 * is not worth it.
 */
static void put_wholes(struct state *at, const uint32_t *ids, size_t n)
{
	const struct whole *wholes = at->wholes;
	struct bin apart = { { 0 } }, *bin = at->bin;
	uint64_t left = at->left;
	size_t i = 0;

	for (; i + 1 < n && n >= MANY; i += 2) {
		struct whole one = wholes[ids[i]], other = wholes[ids[i + 1]];
		uint64_t insns = (uint64_t)one.insns + other.insns;

		if (__builtin_expect(one.series < NO_SERIES && other.series < NO_SERIES &&
					     insns < left,
				     1)) {
			bin->series[one.series] += one.insns;
			apart.series[other.series] += other.insns;
			left -= insns;
			continue;
		}
		at->left = left;
		put_whole(at, ids[i]);
		put_whole(at, ids[i + 1]);
		left = at->left;
		if (at->bin != bin)
			fold(bin, &apart);
		bin = at->bin;
	}
	if (i)
		fold(bin, &apart);
	at->left = left;
	for (; i < n; i++)
		put_whole(at, ids[i]);
}

/*
 * Only a stretch of a single block can be cut (skip, end); in longer ones all blocks are
 * whole.
 */
static int add_blocks(void *state, const struct stretch *stretch, struct wm_error *err)
{
	struct state *at = state;
	/*
	 * A stretch says where it begins: no state is carried over from the one before.
	 */
	uint64_t index = (stretch->insn - at->lane->from) / at->lane->width;

	(void)err;
	at->bin = at->bins + index;
	at->left = at->lane->width - (stretch->insn - at->lane->from) % at->lane->width;
	if (stretch->n == 1)
		put_block(at, stretch->ids[0], stretch->skip, stretch->end);
	else
		put_wholes(at, stretch->ids, stretch->n);
	return 0;
}

static void add_bins(const struct lane *lane, struct bin *to, const struct bin *bins)
{
	for (uint32_t i = 0; i < lane->n_bins; i++)
		for (unsigned j = 0; j <= SERIES; j++)
			to[i].series[j] += bins[i].series[j];
}

/* Bins are indexed by ordinals of the thread, so appending is adding. */
static int append(void *state, void *next, struct wm_error *err)
{
	struct state *at = state, *behind = next;

	(void)err;
	add_bins(at->lane, at->bins, behind->bins);
	return 0;
}

/* Called once for each stream, with the state of all of its segments. */
static int stream(void *state, void *setup, unsigned number, struct wm_error *err)
{
	struct state *at = state;

	(void)setup;
	(void)number;
	(void)err;
	add_bins(at->lane, at->lane->bins, at->bins);
	return 0;
}

static void put_state(void *cookie, struct buf *out)
{
	const struct state *state = cookie;

	/* The number of bins follows from the question, so it is not written. */
	for (uint32_t i = 0; i < state->lane->n_bins; i++)
		for (unsigned j = 0; j <= SERIES; j++)
			buf_put_varint(out, state->bins[i].series[j]);
}

/* The other side of put_state(): begin() has made the bins, as many as were written. */
static int get_state(void *cookie, struct span *in, struct wm_error *err)
{
	struct state *state = cookie;

	(void)err;
	for (uint32_t i = 0; i < state->lane->n_bins; i++)
		for (unsigned j = 0; j <= SERIES; j++)
			state->bins[i].series[j] = span_varint(in);
	return 0;
}

static void end(void *state)
{
	struct state *at = state;

	free(at->bins);
}

static const struct analysis timeline_analysis = {
	.name = "timeline",
	.version = 1,
	.state_bytes = sizeof(struct state),
	.across = true,
	.begin = begin,
	.blocks = add_blocks,
	.append = append,
	.put = put_state,
	.get = get_state,
	.stream = stream,
	.end = end,
};

void report_timeline_end(struct report *report)
{
	struct report_timeline *line = report->timeline;

	if (!line)
		return;
	for (unsigned i = 0; i < line->n_lanes; i++)
		free(line->lanes[i].bins);
	free(line->series);
	free(line->pieces);
	free(line->spaces);
	free(line->first);
	free(line->wholes);
	free(line);
	report->timeline = NULL;
}

int report_timeline_begin(struct report *report, struct wm_error *err)
{
	struct report_timeline *line = calloc(1, sizeof(*line));

	report->timeline = line;
	if (!line)
		return wm_fail_nomem(err, "a timeline");
	line->report = report;
	if (!choose_series(line) || !make_lanes(line) || !make_pieces(line))
		return wm_fail_nomem(err, "a timeline");
	for (unsigned i = 0; i < line->n_lanes; i++)
		line->streams[i] = line->lanes[i].stream;
	joint_add(&report->walk, &timeline_analysis, line, line->streams, line->n_lanes);
	return 0;
}

int report_timeline(struct report *report, struct wm_error *err)
{
	(void)err;
	timeline_put(report->timeline);
	timeline_put_strips(report->timeline);
	return 0;
}
