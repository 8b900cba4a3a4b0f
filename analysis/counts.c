// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Adds up the histograms of chunks. Only a chunk that --from or --to cuts is retraced.
 *
 * Most states stand for one chunk, so a state keeps that chunk's histogram as it is. When
 * something is appended it becomes a *sum*: an array by id and a bitmap of the ids in it. The
 * streams of a space come one after the other, so one sum serves a space, however many
 * spaces there are.
 *
 * A histogram also counts executions that were left early. They are listed as partial ones
 * and taken off the sum. Example: block 7 with 4 instructions ran 10 times, of which one left
 * it after 3. The histogram has {7: 10}; the rows have 9 whole executions, and one of
 * instructions 0..2.
 *
 * Invariant: sum - (what was taken off) is never lowered below what whole executions need in
 * a sound file. In a damaged file the difference may wrap below 0; it then counts as 0.
 */
#include "analysis/counts.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/analysis.h"
#include "analysis/statebytes.h"
#include "base/append.h"
#include "base/error.h"
#include "base/sum_up.h"
#include "trace/trace.h"

/* Executions by id, modulo 2^64: subtracting is adding the complement. */
struct sum {
	uint64_t *counts; /* [known + 1] */
	uint64_t *bits;	  /* ids that were added, even if the count is 0 */
};

struct setup {
	const struct wm_trace *trace;
	struct counts *counts;
	struct sum sum; /* of space `space` */
	uint32_t space;
	size_t settle_at; /* partial executions at which they are sorted and summed up */
};

struct state {
	const struct setup *setup;
	uint32_t space;
	struct wm_count *counts; /* [n] of the first chunk, while there is no sum */
	size_t n;
	uint32_t *early; /* [n_early] blocks to take off once each: they were left
			  * early */
	size_t n_early;
	struct sum sum; /* once `sum.counts` is there: counts of earlier chunks */
	struct counts_part *parts; /* [n_parts] */
	size_t n_parts;
};

/*
 * Partial executions are summed up when their number has doubled since the last time, so
 * the cost of sorting stays proportional to their number times its logarithm.
 */
enum { SETTLE_MIN = 1 << 12 };

static int no_memory(struct wm_error *err)
{
	return wm_fail_nomem(err, "counts");
}

/* Straight from the table, because this runs for every row. */
static uint32_t insns_of(const struct setup *setup, uint32_t id)
{
	return setup->trace->table.blocks[id].insns;
}

/* ---- sums ---------------------------------------------------------------- */

static bool sum_init(struct sum *sum, uint32_t known)
{
	sum->counts = calloc((size_t)known + 1, sizeof(*sum->counts));
	sum->bits = calloc((size_t)known / 64 + 1, sizeof(*sum->bits));
	return sum->counts && sum->bits;
}

static void sum_fini(struct sum *sum)
{
	free(sum->counts);
	free(sum->bits);
}

/* `count` may be a complement: adding 2^64 - 1 takes one execution off. */
static void sum_add(struct sum *sum, uint32_t id, uint64_t count)
{
	sum->counts[id] += count;
	sum->bits[id / 64] |= (uint64_t)1 << id % 64;
}

/* The next id in the sum after `id`; 0 at the end. */
static uint32_t sum_next(const struct sum *sum, uint32_t id, uint32_t known)
{
	uint64_t word;

	if (++id > known)
		return 0;
	/* Ids up to the previous one are cleared from the first word. */
	word = sum->bits[id / 64] & ~(uint64_t)0 << id % 64;
	for (uint32_t i = id / 64;;) {
		if (word)
			return 64 * i + (uint32_t)__builtin_ctzll(word);
		if (++i > known / 64)
			return 0;
		word = sum->bits[i];
	}
}

/* Whole executions; 0 for a gap, and for a count that is negative in a damaged file. */
static uint64_t whole_ones(const struct setup *setup, const struct sum *sum, uint32_t id)
{
	uint64_t count = sum->counts[id];

	return (int64_t)count < 0 || !insns_of(setup, id) ? 0 : count;
}

/* Adds everything that a state holds, in whichever form it holds it. */
static void add_counts(struct sum *sum, const struct state *next)
{
	const struct sum *theirs = &next->sum;
	uint32_t known = next->setup->trace->known;

	for (size_t i = 0; i < next->n; i++)
		sum_add(sum, next->counts[i].id, next->counts[i].count);
	for (size_t i = 0; i < next->n_early; i++)
		sum_add(sum, next->early[i], (uint64_t)-1);
	for (uint32_t id = 0; theirs->counts && (id = sum_next(theirs, id, known));)
		sum_add(sum, id, theirs->counts[id]);
}

/* A state of several chunks needs a sum. */
static int make_sum(struct state *state, struct wm_error *err)
{
	struct sum sum;

	if (state->sum.counts)
		return 0;
	if (!sum_init(&sum, state->setup->trace->known)) {
		sum_fini(&sum);
		return no_memory(err);
	}
	add_counts(&sum, state);
	free(state->counts);
	free(state->early);
	state->counts = NULL;
	state->early = NULL;
	state->n = state->n_early = 0;
	state->sum = sum;
	return 0;
}

/* ---- a chunk ------------------------------------------------------------- */

static int begin(void *cookie, void *setup, const struct segment *segment,
		 struct wm_error *err)
{
	struct state *state = cookie;

	(void)err;
	state->setup = setup;
	state->space = segment->space;
	return 0;
}

/* Executions that were left early: the histogram has them as whole ones. */
static int take_partials(struct state *state, uint32_t chunk, struct wm_error *err)
{
	struct wm_partial *partials;
	size_t n;
	int ret = wm_trace_partials(state->setup->trace, chunk, &partials, &n, err);

	if (ret)
		return ret;
	for (size_t i = 0; !ret && i < n; i++) {
		const struct wm_partial *partial = &partials[i];
		uint32_t insns = insns_of(state->setup, partial->id);
		struct counts_part part = {
			.space = state->space,
			.id = partial->id,
			/*
			 * A damaged chunk may list more instructions than the block has.
			 */
			.end = partial->insns < insns ? partial->insns : insns,
			.uncertain = partial->uncertain,
			.count = 1,
		};

		/*
		 * The histogram counts it as whole, so it is taken off once and listed as
		 * a part. A sum has taken up `early` already: it is taken off there.
		 */
		if (state->sum.counts)
			sum_add(&state->sum, partial->id, (uint64_t)-1);
		else if (!APPEND(state->early, state->n_early, partial->id))
			ret = no_memory(err);
		if (!ret && !APPEND(state->parts, state->n_parts, part))
			ret = no_memory(err);
	}
	free(partials);
	return ret;
}

static int take_chunk(void *cookie, uint32_t chunk, struct wm_error *err)
{
	struct state *state = cookie;
	/* A state of its own, so that add_counts() reads its histogram like any other. */
	struct state one = { .setup = state->setup };
	int ret =
		wm_trace_histogram(state->setup->trace, chunk, &one.counts, &one.n, err);

	if (ret)
		return ret;
	/* The first chunk's histogram is kept as it is: most states have just one. */
	if (!state->counts && !state->sum.counts) {
		state->counts = one.counts;
		state->n = one.n;
		return take_partials(state, chunk, err);
	}
	ret = make_sum(state, err);
	if (!ret)
		add_counts(&state->sum, &one);
	free(one.counts);
	return ret ? ret : take_partials(state, chunk, err);
}

/* Blocks of a chunk that --from or --to cuts: they are counted one by one. */
static int take_blocks(void *cookie, const struct stretch *stretch, struct wm_error *err)
{
	struct state *state = cookie;
	uint32_t id = stretch->ids[0];
	struct counts_part part = { state->space,	id, stretch->skip, stretch->end,
				    stretch->uncertain, 1 };
	int ret = make_sum(state, err);

	if (ret)
		return ret;
	/*
	 * A whole execution that comes alone is counted like those in longer stretches.
	 */
	if (stretch->n == 1 &&
	    (part.begin || part.uncertain || part.end != insns_of(state->setup, id)))
		return APPEND(state->parts, state->n_parts, part) ? 0 : no_memory(err);
	for (size_t i = 0; i < stretch->n; i++)
		sum_add(&state->sum, stretch->ids[i], 1);
	return 0;
}

static int append_parts(struct counts_part **parts, size_t *n, const struct state *next,
			struct wm_error *err)
{
	for (size_t i = 0; i < next->n_parts; i++)
		if (!APPEND(*parts, *n, next->parts[i]))
			return no_memory(err);
	return 0;
}

static int append(void *cookie, void *next, struct wm_error *err)
{
	struct state *state = cookie;
	int ret = make_sum(state, err);

	if (ret)
		return ret;
	/* Both may still be in the form of a first chunk; the sum of both is a sum. */
	add_counts(&state->sum, next);
	return append_parts(&state->parts, &state->n_parts, next, err);
}

static void end(void *cookie)
{
	struct state *state = cookie;

	free(state->counts);
	free(state->early);
	sum_fini(&state->sum);
	free(state->parts);
}

/* ---- its bytes ----------------------------------------------------------- */

static int by_part(const void *a, const void *b)
{
	const struct counts_part *x = a, *y = b;

	if (x->space != y->space)
		return x->space < y->space ? -1 : 1;
	if (x->id != y->id)
		return x->id < y->id ? -1 : 1;
	if (x->begin != y->begin)
		return x->begin < y->begin ? -1 : 1;
	if (x->end != y->end)
		return x->end < y->end ? -1 : 1;
	return x->uncertain < y->uncertain ? -1 : x->uncertain > y->uncertain;
}

static void put_sum(const struct state *state, struct buf *out)
{
	uint32_t known = state->setup->trace->known, before = 0;
	uint64_t n = 0;

	/*
	 * Counted first, because the number stands before the list. A count of 0 remains
	 * where something was taken off.
	 */
	for (uint32_t id = 0; (id = sum_next(&state->sum, id, known));)
		n += state->sum.counts[id] != 0;
	buf_put_varint(out, n);
	for (uint32_t id = 0; (id = sum_next(&state->sum, id, known));) {
		if (!state->sum.counts[id])
			continue;
		buf_put_varint(out, id - before);
		/* In a damaged file a count may be negative. */
		buf_put_varint(out, zigzag((int64_t)state->sum.counts[id]));
		before = id;
	}
}

static void put(void *cookie, struct buf *out)
{
	struct state *state = cookie;

	/* The caller reports out->failed as missing memory. */
	if (make_sum(state, NULL)) {
		out->failed = true;
		return;
	}
	/* Sorted and summed, so that equal states have equal bytes. */
	SUM_UP(state->parts, state->n_parts, by_part, count);
	put_sum(state, out);
	buf_put_varint(out, state->n_parts);
	for (size_t i = 0; i < state->n_parts; i++) {
		const struct counts_part *part = &state->parts[i];

		buf_put_varint(out, part->id);
		buf_put_varint(out, part->begin);
		buf_put_varint(out, part->end - part->begin);
		buf_put_varint(out, part->uncertain);
		buf_put_varint(out, part->count);
	}
}

static struct counts_part get_part(const struct state *state, struct span *in)
{
	struct counts_part part = { .space = state->space };
	uint32_t insns;

	part.id = (uint32_t)state_below(in, state->setup->trace->known);
	/* Bounds of the bytes: the range lies inside the block. */
	insns = insns_of(state->setup, part.id);
	part.begin = (uint32_t)state_below(in, insns);
	part.end = part.begin + (uint32_t)state_below(in, insns - part.begin);
	part.uncertain = (uint32_t)state_below(in, UINT32_MAX);
	part.count = span_varint(in);
	return part;
}

static int get(void *cookie, struct span *in, struct wm_error *err)
{
	struct state *state = cookie;
	uint32_t id = 0, known = state->setup->trace->known;
	/* The bytes are a sum, so the state is one from the start. */
	int ret = make_sum(state, err);

	for (uint64_t n = ret ? 0 : state_count(in); n && !in->failed; n--)
		if (state_next(in, &id, known))
			sum_add(&state->sum, id, (uint64_t)unzigzag(span_varint(in)));
	for (uint64_t n = ret ? 0 : state_count(in); !ret && n && !in->failed; n--)
		if (!APPEND(state->parts, state->n_parts, get_part(state, in)))
			ret = no_memory(err);
	return ret;
}

/* ---- the result ---------------------------------------------------------- */

/* Turns the sum of a space into rows and empties it. */
static bool flush(struct setup *setup)
{
	struct counts *counts = setup->counts;
	uint32_t known = setup->trace->known;

	for (uint32_t id = 0; (id = sum_next(&setup->sum, id, known));) {
		uint64_t count = whole_ones(setup, &setup->sum, id);
		struct counts_row row = { setup->space, id, count };

		setup->sum.counts[id] = 0;
		if (count && !APPEND(counts->rows, counts->n_rows, row))
			return false;
		counts->blocks += count;
		counts->insns += count * insns_of(setup, id);
	}
	memset(setup->sum.bits, 0, ((size_t)known / 64 + 1) * sizeof(*setup->sum.bits));
	return true;
}

static void count_parts(struct counts *counts, const struct state *state)
{
	for (size_t i = 0; i < state->n_parts; i++) {
		const struct counts_part *part = &state->parts[i];

		/*
		 * A part with a later beginning is the rest of a block that was entered
		 * before --from.
		 */
		counts->blocks += part->begin == 0 ? part->count : 0;
		counts->insns += (part->end - part->begin) * part->count;
		counts->uncertain += part->uncertain * part->count;
	}
}

/* Sums up equal partial executions and sorts them. */
static void settle_parts(struct setup *setup)
{
	struct counts *counts = setup->counts;

	SUM_UP(counts->parts, counts->n_parts, by_part, count);
	setup->settle_at = 2 * counts->n_parts + SETTLE_MIN;
}

static int by_row(const void *a, const void *b)
{
	const struct counts_row *x = a, *y = b;

	if (x->space != y->space)
		return x->space < y->space ? -1 : 1;
	return x->id < y->id ? -1 : x->id > y->id;
}

/*
 * A stream that changes its space may return to one whose rows are complete. Then rows of
 * that space exist twice and are summed up.
 */
static void settle(struct setup *setup)
{
	struct counts *counts = setup->counts;
	bool ordered = true;

	settle_parts(setup);
	/* Rows are in order unless a space came back. */
	for (size_t i = 1; ordered && i < counts->n_rows; i++)
		ordered = by_row(&counts->rows[i - 1], &counts->rows[i]) < 0;
	if (!ordered)
		SUM_UP(counts->rows, counts->n_rows, by_row, count);
}

static int take_stream(void *cookie, void *setup_cookie, unsigned stream,
		       struct wm_error *err)
{
	struct state *state = cookie;
	struct setup *setup = setup_cookie;
	struct counts *counts = setup->counts;
	int ret = 0;

	(void)stream;
	/* Streams come ordered by space, so one sum is enough. */
	if (state->space != setup->space && !flush(setup))
		return no_memory(err);
	setup->space = state->space;
	add_counts(&setup->sum, state);
	count_parts(counts, state);
	ret = append_parts(&counts->parts, &counts->n_parts, state, err);
	if (!ret && counts->n_parts >= setup->settle_at)
		settle_parts(setup);
	return ret;
}

const struct analysis counts_analysis = {
	.name = "counts",
	.version = 1,
	.state_bytes = sizeof(struct state),
	.begin = begin,
	.chunk = take_chunk,
	.blocks = take_blocks,
	.append = append,
	.put = put,
	.get = get,
	.stream = take_stream,
	.end = end,
};

/* ---- all of it ----------------------------------------------------------- */

static int by_space(const void *a, const void *b, void *cookie)
{
	const struct wm_trace *trace = cookie;
	unsigned x = *(const unsigned *)a, y = *(const unsigned *)b;
	uint32_t p = trace->streams[x].record.space;
	uint32_t q = trace->streams[y].record.space;

	if (p != q)
		return p < q ? -1 : 1;
	return x < y ? -1 : x > y;
}

/*
 * Reorders the selection by space, so that the sum of a space is complete before the next
 * begins.
 */
static unsigned *order_streams(struct selection *selection, const struct wm_trace *trace)
{
	unsigned *streams = calloc((size_t)selection->n + 1, sizeof(*streams));

	if (!streams)
		return NULL;
	for (unsigned i = 0; i < selection->n; i++)
		streams[i] = selection->streams[i];
	qsort_r(streams, selection->n, sizeof(*streams), by_space, (void *)trace);
	selection->streams = streams;
	return streams;
}

static int gather(struct setup *setup, const struct selection *all, struct wm_error *err)
{
	struct selection selection = *all;
	unsigned *streams = order_streams(&selection, setup->trace);
	int ret;

	if (!streams || !sum_init(&setup->sum, setup->trace->known))
		ret = no_memory(err);
	else
		ret = analysis_run(&counts_analysis, setup, setup->trace, &selection,
				   err);
	/* The last space's sum is not yet among the rows. */
	if (!ret && !flush(setup))
		ret = no_memory(err);
	if (!ret)
		settle(setup);
	sum_fini(&setup->sum);
	free(streams);
	return ret;
}

int counts_gather(struct counts *counts, const struct wm_trace *trace,
		  const struct selection *selection, struct wm_error *err)
{
	struct setup setup = { trace, counts, .settle_at = SETTLE_MIN };
	int ret = trace_load(trace, err);

	*counts = COUNTS_INIT;
	if (!ret)
		ret = gather(&setup, selection, err);
	if (ret)
		counts_fini(counts);
	return ret;
}

void counts_fini(struct counts *counts)
{
	free(counts->rows);
	free(counts->parts);
	*counts = COUNTS_INIT;
}
