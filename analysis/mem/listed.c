// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A segment's accesses are found with a cursor of its own (mem_walk()) and kept as bytes, which
 * are read when all segments before it were: what depends on the order of the run, such as the
 * state of the heap, is the caller's.
 *
 *	insn  space  id  index  address  size  kind  place  has_data  data...
 *
 * The list is as long as the run, so it is streamed: what a state has is handed out as soon as all
 * before it was.
 *
 * Invariant: a state has no more than the first `most` accesses of its segment.
 */
#include "analysis/mem/listed.h"

#include <stdlib.h>

#include "analysis/analysis.h"
#include "analysis/statebytes.h"
#include "analysis/wanted.h"
#include "base/error.h"
#include "trace/trace.h"

enum { BYTES_MAX = 16 }; /* of an access */

struct setup {
	const struct mem_listed_ask *ask;
	int (*take)(void *cookie, const struct mem_access *access, struct wm_error *err);
	void *cookie;
	struct wanted wanted;
};

struct state {
	struct setup *setup;
	unsigned stream;
	uint64_t key; /* of its segment: wanted_key() */
	struct buf items;
	uint64_t n;
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

	if (!is_of_wanted_code(ask->sites, access))
		return 0;
	put_access(&state->items, access);
	if (state->items.failed)
		return wm_fail_nomem(err, "accesses");
	return ++state->n < ask->most ? 0 : WM_END;
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
	return ret < 0 ? ret : 0;
}

/* ---- putting states together --------------------------------------------- */

static int append(void *to, void *from, struct wm_error *err)
{
	struct state *state = to, *next = from;

	buf_put(&state->items, next->items.data, next->items.len);
	state->n += next->n;
	return state->items.failed ? wm_fail_nomem(err, "accesses") : 0;
}

static void put(void *of, struct buf *out)
{
	struct state *state = of;

	wanted_add(&state->setup->wanted, state->key, state->n);
	buf_put_varint(out, state->n);
	buf_put(out, state->items.data, state->items.len);
}

/* Every access is read once, so that stream() needs not doubt it. */
static int get(void *to, struct span *in, struct wm_error *err)
{
	struct state *state = to;
	const uint8_t *items;
	struct wm_access access;
	struct mem_access at;

	state->n = state_count(in);
	items = in->at;
	for (uint64_t i = 0; i < state->n && !in->failed; i++)
		get_access(state->setup->ask->trace, in, &at, &access);
	if (!in->failed)
		buf_put(&state->items, items, (size_t)(in->at - items));
	return state->items.failed ? wm_fail_nomem(err, "accesses") : 0;
}

static int drain(void *of, struct wm_error *err)
{
	struct state *state = of;
	const struct setup *setup = state->setup;
	struct span in = span_of(state->items.data, state->items.len);
	struct mem_access at = { .stream = state->stream };
	struct wm_access access;
	int ret = 0;

	for (uint64_t i = 0; !ret && i < state->n; i++) {
		get_access(setup->ask->trace, &in, &at, &access);
		ret = setup->take(setup->cookie, &at, err);
	}
	state->items.len = 0;
	state->n = 0;
	return ret;
}

static int stream(void *of, void *cookie, unsigned stream, struct wm_error *err)
{
	(void)cookie, (void)stream;
	return drain(of, err);
}

static void end(void *of)
{
	buf_fini(&((struct state *)of)->items);
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
