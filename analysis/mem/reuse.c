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
 * An access that lies in two lines touches both, the first one first, and counts once, with the
 * greater distance: a cache that lacks either of them misses it. Where a distance is not known
 * yet, what is known of the access is kept beside the line (struct state, `held`).
 *
 * Example: b b c | bc, where bc is an access to both. The second segment keeps b joined to c. At
 * the append b has distance 1 and c, touched behind b, has distance 1 too: bc has 1. In
 * b b a | bc c is new, so it keeps class 1, which bc has at least, for the next append.
 */
#include "analysis/mem/reuse.h"

#include <stdlib.h>

#include "analysis/mem/pages.h"
#include "analysis/mem/recency.h"
#include "analysis/statebytes.h"
#include "base/error.h"

/*
 * In `held`: the line behind this one was touched first by the same access, which is to be counted
 * when that line's distance is known. Classes are less.
 */
enum { HELD_JOINED = 64 };

/* The class of an access to a line whose distance is not known. */
enum { NEW = MEM_REUSE_CLASSES };

struct state {
	uint64_t accesses[MEM_REUSE_CLASSES];
	struct recency recency;
	/*
	 * [recency.n] of the access that touched the line first: the least class that it can
	 * have, which is that of its other line; or HELD_JOINED.
	 */
	uint8_t *held;
	uint32_t held_room;
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

static bool make_room(struct state *state)
{
	uint8_t *held;

	if (state->held_room >= state->recency.room)
		return true;
	held = realloc(state->held, state->recency.room);
	if (held) {
		state->held = held;
		state->held_room = state->recency.room;
	}
	return held;
}

/* Touches a line. *class: that of the distance; NEW: the line is, and has `held`. */
static bool touch(struct state *state, uint64_t line, uint8_t held, unsigned *class)
{
	uint64_t distance;

	if (!recency_touch(&state->recency, line, &distance) || !make_room(state))
		return false;
	if (distance == RECENCY_NEW)
		state->held[state->recency.n - 1] = held;
	*class = distance == RECENCY_NEW ? NEW : class_of(distance);
	return true;
}

/*
 * An access to a line, of at least class `least`. That to a new line is not counted before its
 * distance is known; stream() counts those that are left.
 */
static bool touch_one(struct state *state, uint64_t line, uint8_t least)
{
	unsigned class;

	if (!touch(state, line, least, &class))
		return false;
	if (class != NEW)
		state->accesses[class > least ? class : least]++;
	return true;
}

/* An access to two lines. */
static bool touch_two(struct state *state, uint64_t line, uint64_t next)
{
	unsigned class;
	uint32_t number;

	if (!touch(state, line, 0, &class))
		return false;
	if (class != NEW)
		return touch_one(state, next, (uint8_t) class);
	/* The first line is new: it has the last number. */
	number = state->recency.n - 1;
	if (!touch(state, next, 0, &class))
		return false;
	state->held[number] = class == NEW ? HELD_JOINED : (uint8_t) class;
	return true;
}

/* Touches the lines of the appended segment in the order of their first accesses. */
static bool take_first(struct state *state, const struct state *next)
{
	const uint64_t *lines = next->recency.lines;
	bool good = true;

	for (uint32_t i = 0; good && i < next->recency.n; i++)
		if (next->held[i] == HELD_JOINED) {
			good = touch_two(state, lines[i], lines[i + 1]);
			i++;
		} else {
			good = touch_one(state, lines[i], next->held[i]);
		}
	return good;
}

static int take(void *to, const struct stretch *part, const struct wm_access *accesses,
		size_t n, struct wm_error *err)
{
	struct state *state = to;

	(void)part;
	for (size_t i = 0; i < n; i++) {
		uint64_t line = accesses[i].address >> MEM_LINE_BITS;
		uint64_t last = mem_last_byte(&accesses[i]) >> MEM_LINE_BITS;

		if (accesses[i].kind > WM_ACCESS_STORE)
			continue;
		/*
		 * The same line as just now: the distance is 0 and the order stays. This
		 * saves the lookup for most accesses.
		 */
		if (state->any && line == state->last && last == line) {
			state->accesses[0]++;
			continue;
		}
		state->last = last;
		state->any = true;
		if (last == line ? !touch_one(state, line, 0) :
				   !touch_two(state, line, last))
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

	for (unsigned i = 0; i < MEM_REUSE_CLASSES; i++)
		state->accesses[i] += next->accesses[i];
	/* First accesses come first: distances need the order before the segment. */
	if (!take_first(state, next) || !take_order(state, &next->recency))
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
	 * The lines in the order of their first accesses, with what is held of these, then
	 * their numbers in the order of the last ones. Times are left out: they depend on the cutting.
	 */
	buf_put_varint(out, n);
	for (uint32_t i = 0; i < n; i++) {
		buf_put_varint(out, state->recency.lines[i]);
		buf_put_u8(out, state->held[i]);
	}
	for (uint32_t i = 0; i < n; i++)
		buf_put_varint(out, order[i]);
	free(order);
}

/* A line and what is held of its first access; `last`: no line is behind it. */
static bool get_line(struct state *state, bool last, struct span *in)
{
	uint64_t line = span_varint(in);
	uint8_t held = span_u8(in);
	unsigned class;

	if (held >= MEM_REUSE_CLASSES && (held != HELD_JOINED || last))
		in->failed = true;
	if (in->failed)
		return true;
	if (!touch(state, line, held, &class))
		return false;
	/* Twice the same line: hostile bytes, and one that is joined could be the last. */
	in->failed = class != NEW;
	return true;
}

static int get(void *to, struct span *in, struct wm_error *err)
{
	struct state *state = to;
	uint64_t n, distance;
	uint32_t number;
	bool good = true;

	for (unsigned i = 0; i < MEM_REUSE_CLASSES; i++)
		state->accesses[i] = span_varint(in);
	/* Touched in both orders one after the other, the lines get both again. */
	n = state_count(in);
	for (uint64_t i = 0; good && i < n && !in->failed; i++)
		good = get_line(state, i + 1 == n, in);
	for (uint64_t i = 0; good && i < n && !in->failed; i++) {
		number = (uint32_t)state_below(in, state->recency.n - 1);
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
	/* Of two lines that are joined there is one access. */
	for (uint32_t i = 0; i < state->recency.n; i++)
		reuse->first += state->held[i] != HELD_JOINED;
	return 0;
}

static void end(void *from)
{
	struct state *state = from;

	recency_fini(&state->recency);
	free(state->held);
}

const struct analysis mem_reuse_analysis = {
	.name = "mem reuse",
	.version = 2,
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
