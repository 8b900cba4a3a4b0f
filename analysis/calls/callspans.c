// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Calls are counted by their length, and the counts say which length is too short: with 10
 * wanted, and 8 calls of 100 instructions and 5 of 50, only those of 100 are kept. The counts of a
 * part are never above those of the whole, so what is too short in a part is in the whole,
 * too; and what is long enough in the whole is in some part. So parts can forget, and the
 * answer does not depend on how a run was cut.
 *
 * Lengths are counted exactly up to 32 instructions; above, each power of two is divided into
 * 16 parts.
 *
 * Calls nest, and are in the order of their ends. Sorted by their begins, the longest of equal
 * ones first, they are in the order in which they were made:
 *
 *	f 10 to 15, g 20 to 40, main 0 to 100		main 0, f 10, g 20
 *
 * Invariant: all[] has every call of at least `least` instructions, and those that are dubious.
 */
#include "analysis/calls/callspans.h"

#include <stdlib.h>

#include "analysis/statebytes.h"
#include "base/append.h"

enum { PARTS_BITS = 4, PARTS = 1 << PARTS_BITS, BUCKETS = (64 - PARTS_BITS + 1) * PARTS };
/* Spans that are always kept, so that few are not sorted out again and again. */
enum { FEW = 1024 };
#define MOST_MAX (SIZE_MAX / 4 / sizeof(struct callspan))

/* ---- lengths ------------------------------------------------------------- */

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

static uint64_t least_of(const struct callspans *spans)
{
	unsigned bucket = BUCKETS;
	uint64_t shown = 0;

	while (bucket > 1 && shown + spans->counts[bucket - 1] <= spans->most)
		shown += spans->counts[--bucket];
	return bucket < BUCKETS ? length_of(bucket) : UINT64_MAX;
}

uint64_t callspans_shorter(const struct callspans *spans)
{
	uint64_t n = 0;

	for (unsigned i = 1; i < BUCKETS && length_of(i) < spans->least; i++)
		n += spans->counts[i];
	return n;
}

/* ---- spans --------------------------------------------------------------- */

/* How many more there may be before the next look at what is too short. */
static size_t limit_of(const struct callspans *spans)
{
	return spans->n + FEW + (spans->most < MOST_MAX ? spans->most : MOST_MAX);
}

void callspans_init(struct callspans *spans, uint64_t most)
{
	*spans = (struct callspans){ .most = most,
				     .counts = calloc(BUCKETS, sizeof(uint64_t)) };
	spans->limit = limit_of(spans);
	spans->failed = !spans->counts;
}

void callspans_fini(struct callspans *spans)
{
	free(spans->all);
	free(spans->counts);
	*spans = (struct callspans){ .n = 0 };
}

void callspans_drop(struct callspans *spans, uint64_t least)
{
	size_t n = 0;

	for (size_t i = 0; i < spans->n; i++) {
		const struct callspan *span = &spans->all[i];

		if (span->dubious || span->end - span->begin >= least)
			spans->all[n++] = *span;
	}
	spans->n = n;
	spans->least = least;
}

void callspans_settle(struct callspans *spans)
{
	if (spans->failed)
		return;
	callspans_drop(spans, least_of(spans));
	spans->limit = limit_of(spans);
}

void callspans_keep(struct callspans *spans, const struct callspan *span)
{
	if (spans->failed || (!span->dubious && span->end - span->begin < spans->least))
		return;
	spans->failed = !APPEND(spans->all, spans->n, *span);
	if (spans->n > spans->limit)
		callspans_settle(spans);
}

void callspans_add(struct callspans *spans, const struct callspan *span)
{
	if (spans->failed || (!span->dubious && span->end <= span->begin))
		return;
	if (!span->dubious)
		spans->counts[bucket_of(span->end - span->begin)]++;
	callspans_keep(spans, span);
}

void callspans_count(struct callspans *spans, const struct callspans *other)
{
	spans->failed |= other->failed;
	for (unsigned i = 0; i < BUCKETS && !spans->failed; i++)
		spans->counts[i] += other->counts[i];
	if (!spans->failed)
		spans->least = least_of(spans);
}

/* ---- in their order ------------------------------------------------------ */

/*
 * What begins first; of those that begin together the one that ends last, and when they end
 * together, too, the one that was left last. Its index is in `stay`, which no other use has
 * any more.
 */
static int by_begin(const void *a, const void *b)
{
	const struct callspan *x = a, *y = b;

	if (x->begin != y->begin)
		return x->begin < y->begin ? -1 : 1;
	if (x->end != y->end)
		return x->end > y->end ? -1 : 1;
	return x->stay > y->stay ? -1 : 1;
}

/* Ends what has ended before `insn`. open[depth] are indexes, the innermost last. */
static size_t end_before(const struct callspans *spans, const size_t *open, size_t depth,
			 uint64_t insn, const struct callspans_sink *sink, void *cookie)
{
	for (; depth && spans->all[open[depth - 1]].end <= insn; depth--) {
		const struct callspan *span = &spans->all[open[depth - 1]];

		sink->end(cookie, span->entity, span->end);
	}
	return depth;
}

bool callspans_each(struct callspans *spans, const struct callspans_sink *sink,
		    void *cookie)
{
	size_t *open = NULL, depth = 0, allocated = 0;
	bool good = true;

	for (size_t i = 0; i < spans->n; i++)
		spans->all[i].stay = (uint32_t)i & INT32_MAX;
	if (spans->n)
		qsort(spans->all, spans->n, sizeof(*spans->all), by_begin);
	for (size_t i = 0; i < spans->n && good && sink->more(cookie); i++) {
		const struct callspan *span = &spans->all[i];

		depth = end_before(spans, open, depth, span->begin, sink, cookie);
		/* A damaged trace may have calls of no function. */
		if (!span->entity)
			continue;
		if (depth == allocated) {
			good = APPEND(open, allocated, i);
			depth += good;
		} else {
			open[depth++] = i;
		}
		if (good)
			sink->begin(cookie, span->entity, span->begin);
	}
	end_before(spans, open, depth, UINT64_MAX, sink, cookie);
	free(open);
	return good;
}

/* ---- bytes --------------------------------------------------------------- */

static void put_counts(const uint64_t *counts, struct buf *out)
{
	unsigned n = 0, last = 0;

	for (unsigned i = 1; i < BUCKETS; i++)
		n += counts[i] != 0;
	buf_put_varint(out, n);
	for (unsigned i = 1; i < BUCKETS; i++) {
		if (!counts[i])
			continue;
		buf_put_varint(out, i - last);
		buf_put_varint(out, counts[i]);
		last = i;
	}
}

/* Ends ascend, and so do stays; differences of hostile bytes wrap. */
void callspans_put(const struct callspans *spans, struct buf *out)
{
	struct callspan last = { .end = 0 };

	out->failed |= spans->failed;
	if (out->failed)
		return;
	put_counts(spans->counts, out);
	buf_put_varint(out, spans->n);
	for (size_t i = 0; i < spans->n; i++) {
		const struct callspan *span = &spans->all[i];

		buf_put_varint(out, span->end - last.end);
		buf_put_varint(out, span->end - span->begin);
		buf_put_varint(out, span->entity);
		buf_put_varint(out,
			       (uint64_t)(span->stay - last.stay) << 1 | span->dubious);
		last = *span;
	}
}

static void get_counts(struct callspans *spans, struct span *in)
{
	uint32_t bucket = 0;

	for (uint64_t n = state_count(in); n && !in->failed; n--) {
		state_next(in, &bucket, BUCKETS - 1);
		spans->counts[bucket] = span_varint(in);
	}
}

static struct callspan get_span(struct span *in, const struct callspan *last,
				uint32_t n_entities, uint32_t n_stays)
{
	struct callspan span = { .end = last->end + span_varint(in) };
	uint64_t stay;

	span.begin = span.end - span_varint(in);
	span.entity = (uint32_t)state_below(in, n_entities);
	stay = state_below(in, UINT32_MAX);
	in->failed |= last->stay + (stay >> 1) > n_stays;
	span.stay = (last->stay + (uint32_t)(stay >> 1)) & INT32_MAX;
	span.dubious = stay & 1;
	return span;
}

void callspans_get(struct callspans *spans, struct span *in, uint32_t n_entities,
		   uint32_t n_stays)
{
	struct callspan last = { .end = 0 };

	if (spans->failed)
		return;
	get_counts(spans, in);
	for (uint64_t n = state_count(in); n && !in->failed && !spans->failed; n--) {
		last = get_span(in, &last, n_entities, n_stays);
		spans->failed = !APPEND(spans->all, spans->n, last);
	}
	callspans_settle(spans);
}
