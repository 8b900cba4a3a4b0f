// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * All ways are followed at once, bytecode by bytecode, as far as the gap's instructions
 * can have gone. Places that several ways reach after as many bytecodes are one spot, with
 * the number of the ways. Where the thread may have been in methods that are not
 * known here, as in what it called, there are several ways, if the gap is long enough.
 *
 * How many instructions what happens takes at least is known roughly, and taken to be less
 * than it is: so no way is left out that there may be. A gap whose length is not known has
 * room for anything.
 *
 * Example: a gap of 30 instructions after "iload_1" at 4 of f, and "istore_2" at 8 behind it.
 * f has "iload_0; iadd; i2b" from 5 on: these three were executed. With "invokestatic" at
 * 5, there are several ways.
 */
#include "managed/bridge.h"

#include <stdlib.h>

#include "base/append.h"
#include "isa/jvm.h"
#include "managed/flow.h"

enum {
	/* Of each bytecode: it is fetched, and a jump goes to what its number selects. */
	BYTECODE_INSNS = 3,
	/* To enter a method and leave it; for the runtime to call one, or to throw. */
	CALL_INSNS = 10,
	RUNTIME_INSNS = 100,
	SPOTS_MOST = 1 << 14, /* of all steps */
	LAYER_MOST = 64,      /* of one step */
	DEPTH_MOST = 64,      /* frames that are looked at, from the innermost on */
};

/* Some ways are here after as many bytecodes. */
struct spot {
	size_t frame; /* index in the frames */
	uint32_t offset;
	uint32_t ways;	/* 2: several */
	uint32_t from;	/* the spot before it, of one of the ways */
	uint64_t insns; /* that the ways took at least */
};

struct search {
	const struct frames *frames;
	struct frame after;
	uint64_t insns;	    /* of the gap */
	struct spot *spots; /* [n] */
	size_t n,
		layer; /* the spots from `layer` on are of the step that is being made */
	uint32_t ways; /* to what is behind the gap */
	uint32_t last; /* one of them has this spot last */
	size_t frame;  /* of what is behind the gap, by that way */
	bool is_new;   /* it is in a frame of its own */
	bool failed;
};

static const struct unit *unit_of(const struct search *search, const struct spot *spot)
{
	return search->frames->all[spot->frame].unit;
}

static uint32_t several(uint32_t ways)
{
	return ways < 2 ? ways : 2;
}

/* What is behind the gap was reached from that spot. */
static void arrive(struct search *search, uint32_t from, size_t frame, bool is_new)
{
	search->ways = several(search->ways + search->spots[from].ways);
	search->last = from;
	search->frame = frame;
	search->is_new = is_new;
}

/* A way leads from a spot to an offset of a frame. */
static void lead(struct search *search, uint32_t from, size_t frame, uint32_t offset,
		 uint64_t insns)
{
	const struct unit *unit = search->frames->all[frame].unit;
	struct spot spot = { frame, offset, search->spots[from].ways, from,
			     search->spots[from].insns + insns };

	if (spot.insns > search->insns || offset >= unit->bytes)
		return;
	if (unit == search->after.unit && offset == search->after.offset)
		arrive(search, from, frame, false);
	/* It may go on from there, and come again. */
	spot.insns += BYTECODE_INSNS;
	if (spot.insns > search->insns)
		return;
	for (size_t i = search->layer; i < search->n; i++) {
		struct spot *other = &search->spots[i];

		if (other->frame != frame || other->offset != offset)
			continue;
		other->ways = several(other->ways + spot.ways);
		if (spot.insns < other->insns)
			other->insns = spot.insns;
		return;
	}
	if (search->n - search->layer >= LAYER_MOST || search->n >= SPOTS_MOST)
		search->ways = 2;
	else if (!APPEND(search->spots, search->n, spot))
		search->failed = true;
}

/* From a spot the thread was elsewhere, for some bytecodes or for none, if it may be so. */
static void lose(struct search *search, uint32_t from, uint64_t insns, bool may_arrive)
{
	insns += search->spots[from].insns;
	if (insns > search->insns)
		return;
	if (may_arrive)
		arrive(search, from, search->frames->n - 1, true);
	if (insns + BYTECODE_INSNS <= search->insns)
		search->ways = 2;
}

/* ---- ways ---------------------------------------------------------------- */

/* Something is thrown: to handlers of this frame and of those that called it. */
static void throw(struct search * search, uint32_t from)
{
	const struct spot spot = search->spots[from];
	const struct frame *frames = search->frames->all;
	uint32_t offset = spot.offset;

	for (size_t frame = spot.frame + 1; frame--;
	     offset = frames[frame - !!frame].offset) {
		const struct unit *unit = frames[frame].unit;

		for (uint32_t i = 0; i < unit->n_handlers; i++)
			if (offset >= unit->handlers[i].from &&
			    offset < unit->handlers[i].to)
				lead(search, from, frame, unit->handlers[i].target,
				     RUNTIME_INSNS);
	}
	lose(search, from, RUNTIME_INSNS,
	     unit_is_catcher(search->after.unit, search->after.offset));
}

/* The method returns: to the frame that called it, which goes on behind its call. */
static void leave(struct search *search, uint32_t from)
{
	const struct spot *spot = &search->spots[from];
	const struct frame *caller;

	if (!spot->frame || search->frames->n - spot->frame >= DEPTH_MOST) {
		lose(search, from, 0,
		     unit_is_resumed(search->after.unit, search->after.offset));
		return;
	}
	caller = &search->frames->all[spot->frame - 1];
	lead(search, from, spot->frame - 1,
	     caller->offset + (uint32_t)unit_length(caller->unit, caller->offset), 0);
}

static void follow(struct search *search, uint32_t from)
{
	const struct spot spot = search->spots[from];
	const struct unit *unit = unit_of(search, &spot);
	struct unit_flow flow;

	if (!unit_flow(unit, spot.offset, &flow)) {
		search->ways = 2;
		return;
	}
	for (uint32_t i = 0; i < flow.to.n; i++)
		lead(search, from, spot.frame, flow.to.to[i], 0);
	if (flow.runs)
		lose(search, from,
		     unit_calls(unit, spot.offset) ? CALL_INSNS : RUNTIME_INSNS,
		     !search->after.offset);
	if (flow.throws)
		throw(search, from);
	if (flow.returns)
		leave(search, from);
}

static void go_all_ways(struct search *search)
{
	size_t begin = 0, end = search->n;

	while (begin < end && search->ways < 2 && !search->failed) {
		search->layer = end;
		for (size_t i = begin; i < end && search->ways < 2 && !search->failed;
		     i++)
			follow(search, (uint32_t)i);
		begin = end;
		end = search->n;
	}
}

/* ---- the answer ---------------------------------------------------------- */

/* The spots from the first, which ran before the gap, to the last one, without the first. */
static bool take_way(const struct search *search, struct bridge *bridge)
{
	size_t n = 0;

	for (uint32_t i = search->last; i; i = search->spots[i].from)
		n++;
	bridge->between = n ? calloc(n, sizeof(*bridge->between)) : NULL;
	if (n && !bridge->between)
		return false;
	bridge->n = n;
	for (uint32_t i = search->last; i; i = search->spots[i].from)
		bridge->between[--n] = (struct frame){ unit_of(search, &search->spots[i]),
						       search->spots[i].offset };
	return true;
}

/* Each frame that is left is where its caller was when it called. */
static void settle(const struct search *search, struct frames *frames)
{
	const struct spot *last = &search->spots[search->last];

	frames->all[last->frame].offset = last->offset;
	frames->n = search->is_new ? 0 : search->frame + 1;
}

bool bridge_find(struct bridge *bridge, struct frames *frames, const struct frame *after,
		 uint64_t insns)
{
	struct search search = { .frames = frames, .after = *after, .insns = insns };
	struct spot first = { .ways = 1 };

	*bridge = (struct bridge){ .ways = BRIDGE_NONE };
	if (!frames->n)
		return true;
	first.frame = frames->n - 1;
	first.offset = frames->all[first.frame].offset;
	if (insns == UINT64_MAX)
		bridge->ways = BRIDGE_SEVERAL;
	else if (!APPEND(search.spots, search.n, first))
		return false;
	else
		go_all_ways(&search);
	if (search.ways)
		bridge->ways = search.ways > 1 ? BRIDGE_SEVERAL : BRIDGE_ONE;
	if (bridge->ways == BRIDGE_ONE && !search.failed) {
		search.failed = !take_way(&search, bridge);
		settle(&search, frames);
	}
	free(search.spots);
	return !search.failed;
}
