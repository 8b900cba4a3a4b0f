// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * All ways are followed at once, bytecode by bytecode, as far as the instructions since the
 * last bytecode before the gap can have gone. Places that several ways reach after as many
 * bytecodes are one spot, with the number of the ways. Calls lead to all that the class
 * hierarchy has for them, and back. Where the thread may have been in methods that are not
 * known here there are several ways, if the gap is long enough.
 *
 * How many instructions what happens takes at least is known roughly, and taken to be less
 * than it is: so no way is left out that there may be. What happens may have begun before the
 * gap, and end behind it; so the instructions there count, too.
 *
 * Example: a gap of 30 instructions after "iload_1" at 4 of f, and "istore_2" at 8 behind it.
 * f has "iload_0; iadd; i2b" from 5 on: these three were executed. With "invokestatic g" at
 * 5, g's bytecodes were executed, too, unless g branches or is not known.
 */
#include "managed/bridge.h"

#include <stdlib.h>
#include <string.h>

#include "base/append.h"
#include "isa/jvm.h"
#include "managed/flow.h"

enum {
	/* Of each bytecode: it is fetched, and a jump goes to what its number selects. */
	BYTECODE_INSNS = 3,
	/* To enter a method; for the runtime to call one, or to throw: 1,100 and more. */
	CALL_INSNS = 10,
	RUNTIME_INSNS = 500,
	SPOTS_MOST = 1 << 14, /* of all steps */
	LAYER_MOST = 64,      /* of one step */
	DEPTH_MOST = 64,      /* frames that are looked at, from the innermost on */
	ENTERED_MOST = 1 << 10,
	CODE_MOST = 1 << 24, /* bytes of code that are looked at */
};

/* A frame of a way. */
struct place {
	const struct unit *unit;
	size_t caller; /* index of the frame that it goes back to; that of none: NO_PLACE */
	uint32_t call; /* offset there */
};
#define NO_PLACE SIZE_MAX

/* Some ways are here after as many bytecodes. */
struct spot {
	size_t frame; /* index in the places */
	uint32_t offset;
	uint32_t ways;	/* 2: several */
	uint32_t from;	/* the spot before it, of one of the ways */
	uint64_t insns; /* that the ways took at least */
};

struct search {
	struct place *places; /* [n_places] the known frames, then those entered */
	size_t n_places, n_known;
	size_t skipped; /* frames further out that are not looked at */
	struct callees *callees;
	struct frame after;
	uint64_t insns;	    /* of the gap */
	struct spot *spots; /* [n] */
	size_t n,
		layer; /* the spots from `layer` on are of the step that is being made */
	uint32_t ways; /* to what is behind the gap */
	uint32_t last; /* one of them has this spot last */
	size_t frame;  /* of what is behind the gap, by that way */
	bool is_new;   /* it is in a frame of its own */
	uint64_t code; /* bytes that were looked at */
	bool failed;
};

static const struct unit *unit_of(const struct search *search, const struct spot *spot)
{
	return search->places[spot->frame].unit;
}

static uint32_t several(uint32_t ways)
{
	return ways < 2 ? ways : 2;
}

/* What is behind the gap was reached from that spot. */
static void arrive(struct search *search, uint32_t from, uint32_t ways, size_t frame,
		   bool is_new)
{
	search->ways = several(search->ways + ways);
	search->last = from;
	search->frame = frame;
	search->is_new = is_new;
}

/* `ways` ways lead from a spot to an offset of a frame. */
static void lead_ways(struct search *search, uint32_t from, uint32_t ways, size_t frame,
		      uint32_t offset, uint64_t insns)
{
	const struct unit *unit = search->places[frame].unit;
	struct spot spot = { frame, offset, ways, from,
			     search->spots[from].insns + insns };

	if (spot.insns > search->insns || offset >= unit->bytes)
		return;
	if (unit == search->after.unit && offset == search->after.offset)
		arrive(search, from, ways, frame, false);
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

/* A way, or as many as lead to the spot. */
static void lead(struct search *search, uint32_t from, size_t frame, uint32_t offset,
		 uint64_t insns)
{
	lead_ways(search, from, search->spots[from].ways, frame, offset, insns);
}

/* From a spot the thread was elsewhere, for some bytecodes or for none, if it may be so. */
static void lose(struct search *search, uint32_t from, uint64_t insns, bool may_arrive)
{
	insns += search->spots[from].insns;
	if (insns > search->insns)
		return;
	if (may_arrive)
		arrive(search, from, search->spots[from].ways, NO_PLACE, true);
	if (insns + BYTECODE_INSNS <= search->insns)
		search->ways = 2;
}

/* ---- ways ---------------------------------------------------------------- */

/*
 * Something is thrown: to handlers of this frame and of those that called it. What the
 * runtime does for that may be methods, too, so such a way is never the only one.
 */
static void throw_from(struct search *search, uint32_t from)
{
	const struct spot spot = search->spots[from];
	uint32_t offset = spot.offset;

	/* So nothing comes of it, and nobody compares the handlers. */
	if (spot.insns + RUNTIME_INSNS > search->insns)
		return;
	for (size_t frame = spot.frame; frame != NO_PLACE;) {
		const struct place place = search->places[frame];
		const struct unit *unit = place.unit;

		for (uint32_t i = 0; i < unit->n_handlers; i++)
			if (offset >= unit->handlers[i].from &&
			    offset < unit->handlers[i].to)
				lead_ways(search, from, 2, frame,
					  unit->handlers[i].target, RUNTIME_INSNS);
		offset = place.call;
		frame = place.caller;
	}
	lose(search, from, RUNTIME_INSNS,
	     unit_is_catcher(search->after.unit, search->after.offset));
}

/* Whether the frame was entered by what its caller executes, and not by the runtime. */
static bool was_called(struct search *search, const struct place *place)
{
	const struct unit *caller = search->places[place->caller].unit;
	const char *name = place->unit->name;
	struct callee_set set;

	if (!unit_calls(caller, place->call))
		return caller->language != UNIT_JAVA;
	if (!search->callees || !callees_know(search->callees, caller))
		return !name || !strstr(name, ".<clinit>");
	search->failed |= !callees_find(search->callees, caller, place->call, &set);
	for (size_t i = 0; !search->failed && i < set.n; i++)
		if (set.units[i]->start == place->unit->start)
			return true;
	return false;
}

/* Whether the end of a constructor may have the runtime keep the object in mind. */
static bool may_register(const struct search *search, const struct unit *unit)
{
	return search->callees && search->callees->finalize && unit->name &&
	       !strcmp(unit->name, "java.lang.Object.<init>");
}

/* The method returns: to the frame that called it, which goes on behind its call. */
static void leave(struct search *search, uint32_t from)
{
	const struct spot *spot = &search->spots[from];
	const struct place place = search->places[spot->frame];
	const struct unit *caller;

	if (place.caller == NO_PLACE ||
	    (spot->frame < search->n_known && !was_called(search, &place))) {
		lose(search, from, 0,
		     unit_is_resumed(search->after.unit, search->after.offset));
		return;
	}
	if (may_register(search, place.unit))
		lose(search, from, RUNTIME_INSNS, true);
	caller = search->places[place.caller].unit;
	lead(search, from, place.caller,
	     place.call + (uint32_t)unit_length(caller, place.call), 0);
}

/* A way enters a method from a spot. */
static void enter(struct search *search, uint32_t from, const struct unit *unit)
{
	const struct spot spot = search->spots[from];
	const struct place place = { unit, spot.frame, spot.offset };
	size_t i = search->n_known;

	while (i < search->n_places && (search->places[i].unit != unit ||
					search->places[i].caller != place.caller ||
					search->places[i].call != place.call))
		i++;
	if (i == search->n_known + ENTERED_MOST)
		search->ways = 2;
	else if (i == search->n_places &&
		 !APPEND(search->places, search->n_places, place))
		search->failed = true;
	else
		lead(search, from, i, 0, CALL_INSNS);
}

/*
 * A call: to what the class hierarchy has for it. A class may be loaded first, which the
 * runtime does. What is not known may be done with no bytecode, too. False: it is not known.
 */
static bool call(struct search *search, uint32_t from)
{
	const struct spot spot = search->spots[from];
	const struct unit *unit = unit_of(search, &spot);
	struct callee_set set;

	if (!search->callees || !unit_calls(unit, spot.offset))
		return false;
	if (!callees_find(search->callees, unit, spot.offset, &set)) {
		search->failed = true;
		return true;
	}
	for (size_t i = 0; i < set.n && search->ways < 2; i++)
		enter(search, from, set.units[i]);
	if (!set.others)
		lose(search, from, RUNTIME_INSNS, true);
	return !set.others;
}

/* Code of a loop may have been compiled meanwhile, and then takes less. */
static bool may_be_compiled(const struct search *search, const struct spot *spot,
			    const struct unit_flow *flow)
{
	bool back = false;

	for (uint32_t i = 0; i < flow->to.n; i++)
		back |= flow->to.to[i] <= spot->offset;
	return back && !search->callees;
}

static void follow(struct search *search, uint32_t from)
{
	const struct spot spot = search->spots[from];
	const struct unit *unit = unit_of(search, &spot);
	struct unit_flow flow;

	/* A switch may be as long as its method, and come again and again. */
	search->code += unit_length(unit, spot.offset);
	if (search->code > CODE_MOST || !unit_flow(unit, spot.offset, &flow)) {
		search->ways = 2;
		return;
	}
	if (flow.throws)
		throw_from(search, from);
	if (call(search, from))
		return;
	for (uint32_t i = 0; i < flow.to.n; i++)
		lead(search, from, spot.frame, flow.to.to[i], 0);
	if (flow.runs)
		lose(search, from,
		     unit_calls(unit, spot.offset) ? CALL_INSNS : RUNTIME_INSNS,
		     !search->after.offset);
	if (may_be_compiled(search, &spot, &flow))
		lose(search, from, RUNTIME_INSNS, true);
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

/* How a way came from a spot to a frame. */
static enum frames_way way_to(const struct search *search, uint32_t from, size_t frame)
{
	size_t before = search->spots[from].frame;

	if (frame == before)
		return FRAMES_ON;
	return frame != NO_PLACE && search->places[frame].caller == before ?
		       FRAMES_CALL :
		       FRAMES_RETURN;
}

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
	for (uint32_t i = search->last; i; i = search->spots[i].from) {
		const struct spot *spot = &search->spots[i];

		bridge->between[--n] =
			(struct bridge_step){ { unit_of(search, spot), spot->offset },
					      way_to(search, spot->from, spot->frame) };
	}
	bridge->strayed = search->is_new;
	bridge->way = search->is_new ? FRAMES_ON :
				       way_to(search, search->last, search->frame);
	return true;
}

/* The frames of a place, with where each is, instead of those that were known. */
static bool settle(const struct search *search, struct frames *frames)
{
	const struct spot *last = &search->spots[search->last];
	size_t frame = search->is_new ? NO_PLACE : search->frame, depth = 0;
	uint32_t offset = last->frame == frame ? last->offset : 0;

	for (size_t i = frame; i != NO_PLACE; i = search->places[i].caller)
		depth++;
	frames->n = depth ? search->skipped : 0;
	for (size_t i = 0; i < depth; i++)
		if (!APPEND(frames->all, frames->n, ((struct frame){ NULL, 0 })))
			return false;
	depth = frames->n;
	for (; frame != NO_PLACE; frame = search->places[frame].caller) {
		const struct place *place = &search->places[frame];

		frames->all[--depth] = (struct frame){ place->unit, offset };
		offset = place->call;
	}
	return true;
}

/* What the thread was in, and where it was there. */
static bool begin(struct search *search, const struct frames *frames)
{
	const struct frame *all;
	size_t n;

	search->skipped = frames->n > DEPTH_MOST ? frames->n - DEPTH_MOST : 0;
	all = frames->all + search->skipped;
	n = frames->n - search->skipped;
	for (size_t i = 0; i < n; i++) {
		struct place place = { all[i].unit, i ? i - 1 : NO_PLACE,
				       i ? all[i - 1].offset : 0 };

		if (!APPEND(search->places, search->n_places, place))
			return false;
	}
	search->n_known = n;
	return APPEND(search->spots, search->n,
		      ((struct spot){
			      .frame = n - 1, .offset = all[n - 1].offset, .ways = 1 }));
}

bool bridge_find(struct bridge *bridge, struct frames *frames, const struct frame *after,
		 uint64_t insns, struct callees *callees)
{
	struct search search = { .after = *after, .insns = insns, .callees = callees };

	*bridge = (struct bridge){ .ways = BRIDGE_NONE };
	if (!frames->n)
		return true;
	if (insns == UINT64_MAX)
		search.ways = 2;
	else if (begin(&search, frames))
		go_all_ways(&search);
	else
		search.failed = true;
	if (search.ways)
		bridge->ways = search.ways > 1 ? BRIDGE_SEVERAL : BRIDGE_ONE;
	if (bridge->ways == BRIDGE_ONE && !search.failed)
		search.failed = !take_way(&search, bridge) || !settle(&search, frames);
	free(search.spots);
	free(search.places);
	return !search.failed;
}
