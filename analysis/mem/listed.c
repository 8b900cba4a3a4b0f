// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A segment's accesses are found with a cursor of its own (mem_walk()) and kept as bytes, which
 * are read when all segments before it were: what depends on the order of the run, such as the
 * state of the heap, is the caller's.
 *
 *	insn  space  id  index  address  size  kind  place  has_data  data...
 *
 * The list is as long as the run, so it is streamed: what a state has is handed out as soon as all
 * before it was. A chunk may have more than memory should hold, so a state keeps pieces (pieces.h):
 *
 *	accesses	piece 0 | piece 1 | piece 2 | . . .
 *			in the spool		      `items`
 *	a piece		number  items...
 *
 * Invariant: a state has no more than the first `most` accesses of its segment.
 */
#include "analysis/mem/listed.h"

#include <stdlib.h>

#include "analysis/analysis.h"
#include "analysis/pieces.h"
#include "analysis/statebytes.h"
#include "analysis/wanted.h"
#include "base/error.h"
#include "trace/trace.h"

/* Bytes of an access; of a varint. */
enum { BYTES_MAX = 16, VARINT_BYTES = 10 };

struct setup {
	const struct mem_listed_ask *ask;
	int (*take)(void *cookie, const struct mem_access *access, struct wm_error *err);
	void *cookie;
	struct wanted wanted;
};

struct state {
	struct setup *setup;
	unsigned stream;
	uint64_t key;	  /* of its segment: wanted_key() */
	struct buf items; /* [n] that are in no piece yet */
	uint64_t n, found;
	struct pieces pieces;
};

static int begin(void *to, void *setup, const struct segment *segment,
		 struct wm_error *err)
{
	struct state *state = to;

	(void)err;
	state->setup = setup;
	state->stream = segment->stream;
	state->key = wanted_key(segment);
	return 0;
}

/* ---- pieces -------------------------------------------------------------- */

static int put_piece(struct state *state, uint64_t n, const uint8_t *items, size_t bytes,
		     struct wm_error *err)
{
	uint8_t head[VARINT_BYTES];
	const uint8_t *end = put_varint(head, n);

	return pieces_put(&state->pieces, span_of(head, (size_t)(end - head)),
			  span_of(items, bytes), err);
}

static int flush(struct state *state, struct wm_error *err)
{
	int ret = state->n ? put_piece(state, state->n, state->items.data,
				       state->items.len, err) :
			     0;

	state->items.len = 0;
	state->n = 0;
	return ret;
}

static bool next_piece(struct state *state, uint64_t *n, struct span *items)
{
	if (!pieces_next(&state->pieces, items))
		return false;
	*n = span_varint(items);
	return true;
}

/* ---- bytes of an access -------------------------------------------------- */

static void put_access(struct buf *out, const struct mem_access *at)
{
	const struct wm_access *access = at->access;

	buf_put_varint(out, at->insn);
	buf_put_varint(out, at->space);
	buf_put_varint(out, at->id);
	buf_put_varint(out, access->insn);
	buf_put_varint(out, access->address);
	buf_put_varint(out, access->size);
	buf_put_varint(out, access->kind);
	buf_put_varint(out, access->place);
	buf_put_varint(out, access->has_data);
	if (access->has_data) {
		buf_put_varint(out, access->data[0]);
		buf_put_varint(out, access->data[1]);
	}
}

/* *at but its stream, which refers to *access. `in` fails when they cannot be an access. */
static void get_access(const struct wm_trace *trace, struct span *in,
		       struct mem_access *at, struct wm_access *access)
{
	uint32_t spaces = trace->space_count;

	*access = (struct wm_access){ .size = 0 };
	at->insn = span_varint(in);
	at->space = (uint32_t)state_below(in, spaces ? spaces - 1 : 0);
	at->id = (uint32_t)state_below(in, trace->known);
	access->insn = (uint32_t)state_below(in, UINT32_MAX);
	access->address = span_varint(in);
	access->size = (uint8_t)state_below(in, BYTES_MAX);
	access->kind = (uint8_t)state_below(in, WM_ACCESS_RETURNED);
	access->place = (uint16_t)state_below(in, UINT16_MAX);
	access->has_data = state_bool(in);
	if (access->has_data) {
		access->data[0] = span_varint(in);
		access->data[1] = span_varint(in);
	}
	in->failed |= !at->id || access->insn >= trace->table.blocks[at->id].insns;
	at->access = access;
	at->pc = in->failed ? 0 : mem_pc(&trace->table.blocks[at->id], access->insn);
}

/* ---- finding them -------------------------------------------------------- */

static bool is_of_wanted_code(const struct mem_sites *sites, const struct mem_access *at)
{
	const uint32_t *numbers = sites ? sites->numbers[at->space] : NULL;

	return !sites || (numbers && numbers[sites->begins[at->id] + at->access->insn]);
}

static int keep(void *cookie, const struct mem_access *access, struct wm_error *err)
{
	struct state *state = cookie;
	const struct mem_listed_ask *ask = state->setup->ask;
	int ret = 0;

	if (!is_of_wanted_code(ask->sites, access))
		return 0;
	put_access(&state->items, access);
	if (state->items.failed)
		return wm_fail_nomem(err, "accesses");
	state->n++;
	if (state->items.len >= PIECE_BYTES)
		ret = flush(state, err);
	return ret ? ret : ++state->found < ask->most ? 0 : WM_END;
}

static bool skips(void *cookie, const struct segment *segment)
{
	return wanted_is_behind(&((struct setup *)cookie)->wanted, segment);
}

static int walk(void *to, const struct segment *segment, uint64_t from, uint64_t end,
		struct wm_error *err)
{
	struct state *state = to;
	const struct mem_listed_ask *ask = state->setup->ask;
	struct mem_wanted wanted = *ask->wanted;
	int ret;

	wanted.from = from;
	wanted.to = end;
	ret = mem_walk(ask->trace, segment->stream, &wanted, keep, state, err);
	/* WM_END: it has as many as are wanted. */
	if (ret >= 0)
		ret = flush(state, err);
	return ret ? ret : pieces_end(&state->pieces, err);
}

/* ---- putting states together --------------------------------------------- */

/* The state was drained, so the next one's pieces are all there is. */
static int append(void *to, void *from, struct wm_error *err)
{
	struct state *state = to, *next = from;

	(void)err;
	pieces_swap(&state->pieces, &next->pieces);
	return 0;
}

static void put(void *of, struct buf *out)
{
	struct state *state = of;
	struct span items = span_of(NULL, 0);
	uint64_t n = 0;

	next_piece(state, &n, &items);
	wanted_add(&state->setup->wanted, state->key, n);
	buf_put_varint(out, n);
	buf_put(out, items.at, span_left(&items));
}

static bool more(void *of)
{
	return pieces_left(&((struct state *)of)->pieces);
}

/* Every access is read once, so that drain() needs not doubt it. */
static int get(void *to, struct span *in, struct wm_error *err)
{
	struct state *state = to;
	uint64_t n = state_count(in);
	struct wm_access access;
	struct mem_access at;
	int ret = 0;

	while (!ret && n && !in->failed) {
		const uint8_t *items = in->at;
		uint64_t some = 0;

		for (; n && !in->failed && in->at - items < PIECE_BYTES; n--, some++)
			get_access(state->setup->ask->trace, in, &at, &access);
		if (!in->failed)
			ret = put_piece(state, some, items, (size_t)(in->at - items),
					err);
	}
	return ret ? ret : pieces_end(&state->pieces, err);
}

static int drain(void *of, struct wm_error *err)
{
	struct state *state = of;
	const struct setup *setup = state->setup;
	struct mem_access at = { .stream = state->stream };
	struct wm_access access;
	struct span items;
	uint64_t n;
	int ret = 0;

	while (!ret && next_piece(state, &n, &items))
		while (!ret && n--) {
			get_access(setup->ask->trace, &items, &at, &access);
			ret = setup->take(setup->cookie, &at, err);
		}
	return ret;
}

static int stream(void *of, void *cookie, unsigned stream, struct wm_error *err)
{
	(void)cookie, (void)stream;
	return drain(of, err);
}

static void end(void *of)
{
	struct state *state = of;

	buf_fini(&state->items);
	pieces_fini(&state->pieces);
}

static const struct analysis listed = {
	.name = "accesses",
	.version = 1,
	.state_bytes = sizeof(struct state),
	.across = true,
	.streamed = true,
	.begin = begin,
	.skips = skips,
	.walk = walk,
	.append = append,
	.drain = drain,
	.put = put,
	.more = more,
	.get = get,
	.stream = stream,
	.end = end,
};

int mem_listed(const struct mem_listed_ask *ask,
	       int (*take)(void *cookie, const struct mem_access *access,
			   struct wm_error *err),
	       void *cookie, struct wm_error *err)
{
	struct setup setup = { .ask = ask, .take = take, .cookie = cookie };

	wanted_init(&setup.wanted, ask->most);
	return analysis_run(&listed, &setup, ask->trace, ask->selection, err);
}
