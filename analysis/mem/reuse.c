// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Reuse distances of a thread, in segments and exact: Q. Niu, J. Dinan, Q. Lu and P.
 * Sadayappan, "PARDA: A Fast Parallel Reuse Distance Analysis Algorithm", IPDPS 2012.
 *
 * A segment does not know how far back the lines it touches first were touched before. It
 * keeps these lines in the order of their first accesses. At the append they are touched
 * in that order in the state of the segments before it, which gives their distances: the
 * lines that the segment touched before one of them are the ones before it in that list.
 * Then all its lines are touched once more, uncounted, in the order of their last
 * accesses. This leaves the state as if it had seen every access of the segment.
 *
 * Example: a b c | b d a. The second segment keeps b, d, a. At the append b has distance
 * 1 (c), d is new, and a has distance 3 (c, b, d).
 *
 * An access that lies in two lines counts for the first one.
 */
#include "analysis/mem/reuse.h"

#include <stdlib.h>

#include "analysis/mem/pages.h"
#include "analysis/mem/recency.h"
#include "analysis/statebytes.h"
#include "base/error.h"

struct state {
	uint64_t accesses[MEM_REUSE_CLASSES];
	struct recency recency;
	uint64_t last; /* the line of the last access, */
	bool any;      /* if there was one */
};

static int no_memory(struct wm_error *err)
{
	return wm_fail_nomem(err, "reuse distances");
}

static int begin(void *to, void *cookie, const struct segment *segment,
		 struct wm_error *err)
{
	struct state *state = to;

	(void)cookie;
	(void)segment;
	return recency_init(&state->recency) ? no_memory(err) : 0;
}

/* Distances are below 2^32, the limit of recency.h, so classes end at 32. */
static unsigned class_of(uint64_t distance)
{
	return distance ? 64 - (unsigned)__builtin_clzll(distance) : 0;
}

static bool touch(struct state *state, uint64_t line)
{
	uint64_t distance;

	if (!recency_touch(&state->recency, line, &distance))
		return false;
	/* A new line stays in recency.lines; stream() counts those that are left. */
	if (distance != RECENCY_NEW)
		state->accesses[class_of(distance)]++;
	return true;
}

static int take(void *to, const struct stretch *part, const struct wm_access *accesses,
		size_t n, struct wm_error *err)
{
	struct state *state = to;

	(void)part;
	for (size_t i = 0; i < n; i++) {
		uint64_t line = accesses[i].address >> MEM_LINE_BITS;

		if (accesses[i].kind > WM_ACCESS_STORE)
			continue;
		/*
		 * The same line as just now: the distance is 0 and the order stays. This
		 * saves the lookup for most accesses.
		 */
		if (state->any && line == state->last) {
			state->accesses[0]++;
			continue;
		}
		state->last = line;
		state->any = true;
		if (!touch(state, line))
			return no_memory(err);
	}
	return 0;
}

/* Touches the lines of the appended segment in the order of their last accesses. */
static bool take_order(struct state *state, const struct recency *next)
{
	uint32_t *order = recency_order(next);
	uint64_t distance;
	bool good = order;

	for (uint32_t i = 0; good && i < next->n; i++)
		good = recency_touch(&state->recency, next->lines[order[i]], &distance);
	free(order);
	return good;
}

static int append(void *to, void *from, struct wm_error *err)
{
	struct state *state = to;
	const struct state *next = from;
	bool good = true;

	for (unsigned i = 0; i < MEM_REUSE_CLASSES; i++)
		state->accesses[i] += next->accesses[i];
	/* First accesses come first: distances need the order before the segment. */
	for (uint32_t i = 0; good && i < next->recency.n; i++)
		good = touch(state, next->recency.lines[i]);
	if (!good || !take_order(state, &next->recency))
		return no_memory(err);
	if (next->any) {
		state->last = next->last;
		state->any = true;
	}
	return 0;
}

/* ---- its bytes ------------------------------------------------------------------------------ */

static void put(void *from, struct buf *out)
{
	const struct state *state = from;
	uint32_t *order = recency_order(&state->recency), n = state->recency.n;

	if (!order) {
		out->failed = true;
		return;
	}
	for (unsigned i = 0; i < MEM_REUSE_CLASSES; i++)
		buf_put_varint(out, state->accesses[i]);
	/*
	 * The lines in the order of their first accesses, then their numbers in the order
	 * of the last ones. Times are left out: they depend on the cutting.
	 */
	buf_put_varint(out, n);
	for (uint32_t i = 0; i < n; i++)
		buf_put_varint(out, state->recency.lines[i]);
	for (uint32_t i = 0; i < n; i++)
		buf_put_varint(out, order[i]);
	free(order);
}

static int get(void *to, struct span *in, struct wm_error *err)
{
	struct state *state = to;
	uint64_t n, distance;
	uint32_t known, number;
	bool good = true;

	for (unsigned i = 0; i < MEM_REUSE_CLASSES; i++)
		state->accesses[i] = span_varint(in);
	/* Touched in both orders one after the other, the lines get both again. */
	n = state_count(in);
	for (uint64_t i = 0; good && i < n && !in->failed; i++)
		good = recency_touch(&state->recency, span_varint(in), &distance);
	known = state->recency.n; /* less than n when the bytes are hostile */
	for (uint64_t i = 0; good && i < n && !in->failed; i++) {
		number = (uint32_t)state_below(in, known - 1);
		state->last = state->recency.lines[number];
		state->any = true;
		good = recency_touch(&state->recency, state->last, &distance);
	}
	return good ? 0 : no_memory(err);
}

static int stream(void *from, void *cookie, unsigned index, struct wm_error *err)
{
	const struct state *state = from;
	struct mem_reuse *reuse = cookie;

	(void)index;
	(void)err;
	for (unsigned i = 0; i < MEM_REUSE_CLASSES; i++)
		reuse->accesses[i] += state->accesses[i];
	reuse->first += state->recency.n;
	return 0;
}

static void end(void *from)
{
	struct state *state = from;

	recency_fini(&state->recency);
}

const struct analysis mem_reuse_analysis = {
	.name = "mem reuse",
	.version = 1,
	.state_bytes = sizeof(struct state),
	.begin = begin,
	.accesses = take,
	.append = append,
	.put = put,
	.get = get,
	.stream = stream,
	.end = end,
};

int mem_reuse(struct mem_reuse *reuse, const struct wm_trace *trace,
	      const struct selection *selection, struct wm_error *err)
{
	*reuse = (struct mem_reuse){ .first = 0 };
	return analysis_run(&mem_reuse_analysis, reuse, trace, selection, err);
}
