// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * gap_trace FILE THREAD: takes pieces out of what a thread of a recorded Java program
 * executed, as gaps would, and has them found again. Each that is found must be what was
 * taken out. Prints how many there were of each kind.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/append.h"
#include "managed/bridge.h"
#include "managed/walk.h"

enum { LONGEST = 24, EVERY = 7 };

static struct walk_step *steps; /* [n_steps] */
static size_t n_steps;
static uint64_t counts[BRIDGE_SEVERAL + 1], recovered, calls, wrong;

static int take(void *cookie, const struct walk_step *step, struct wm_error *err)
{
	(void)cookie, (void)err;
	if (!APPEND(steps, n_steps, *step))
		abort();
	return 0;
}

static bool is_same(const struct bridge *bridge, size_t from, size_t to)
{
	if (bridge->n != to - from - 1)
		return false;
	for (size_t i = 0; i < bridge->n; i++)
		if (bridge->between[i].at.unit != steps[from + 1 + i].unit ||
		    bridge->between[i].at.offset != steps[from + 1 + i].offset)
			return false;
	return true;
}

static void tell_wrong(const struct bridge *bridge, size_t from, size_t to)
{
	printf("wrong: after %s at %u, %zu taken, up to %s at %u\n",
	       steps[from].unit->name, steps[from].offset, to - from - 1,
	       steps[to].unit->name, steps[to].offset);
	for (size_t i = from + 1; i < to; i++)
		printf("  was %s at %u\n", steps[i].unit->name, steps[i].offset);
	for (size_t i = 0; i < bridge->n; i++)
		printf("  not %s at %u\n", bridge->between[i].at.unit->name,
		       bridge->between[i].at.offset);
}

/* Frames of their own, for they are changed. */
static struct frames copy_of(const struct frames *frames)
{
	struct frames copy = { .n = 0 };

	for (size_t i = 0; i < frames->n; i++)
		if (!APPEND(copy.all, copy.n, frames->all[i]))
			abort();
	return copy;
}

/* The steps between two are taken out. */
static void try_gap(const struct frames *frames, size_t from, size_t to, uint64_t insns,
		    struct callees *callees)
{
	struct frames copy = copy_of(frames);
	struct frame after = { steps[to].unit, steps[to].offset };
	struct bridge bridge;

	if (!bridge_find(&bridge, &copy, &after, insns, callees))
		abort();
	counts[bridge.ways]++;
	if (bridge.ways == BRIDGE_ONE) {
		recovered += bridge.n;
		for (size_t i = from + 1; i < to; i++)
			calls += steps[i].way == FRAMES_CALL;
		if (!is_same(&bridge, from, to)) {
			wrong++;
			tell_wrong(&bridge, from, to);
		}
	}
	free(bridge.between);
	free(copy.all);
}

static bool is_whole(size_t from, size_t to)
{
	for (size_t i = from; i <= to; i++)
		if (!steps[i].unit || steps[i].tier)
			return false;
	return true;
}

static void try_gaps(const struct frames *frames, size_t from, struct callees *callees)
{
	size_t to = from + 1 + (from / EVERY) % LONGEST;

	if (from % EVERY || to >= n_steps || !is_whole(from, to))
		return;
	try_gap(frames, from, to, steps[to].insn - steps[from].insn, callees);
}

static void try_all(struct callees *callees)
{
	struct frames frames = { .n = 0 };

	for (size_t i = 0; i < n_steps; i++) {
		if (!steps[i].unit || steps[i].tier) {
			frames.n = 0;
			continue;
		}
		if (!frames_at(&frames, steps[i].unit, steps[i].offset, steps[i].way))
			abort();
		try_gaps(&frames, i, callees);
	}
	free(frames.all);
}

int main(int argc, char **argv)
{
	struct units units = { .n = 0 };
	struct callees callees = { .n_known = 0 };
	struct wm_trace *trace = NULL;
	struct wm_error err;
	unsigned thread = argc == 3 ? (unsigned)strtoul(argv[2], NULL, 10) : 0;

	if (argc != 3 || wm_trace_open(&trace, argv[1], &err) ||
	    units_read(&units, trace, &err) || callees_read(&callees, &units, &err) ||
	    walk_stream(&units, trace, thread, false, take, NULL, &err)) {
		fprintf(stderr, "usage: gap_trace FILE THREAD, of Java's interpreter\n");
		return 2;
	}
	try_all(&callees);
	printf("one %" PRIu64 ", none %" PRIu64 ", several %" PRIu64
	       "; of one way: bytecodes %" PRIu64 ", calls %" PRIu64 "; wrong %" PRIu64
	       "\n",
	       counts[BRIDGE_ONE], counts[BRIDGE_NONE], counts[BRIDGE_SEVERAL], recovered,
	       calls, wrong);
	callees_fini(&callees);
	units_fini(&units);
	wm_trace_close(trace);
	free(steps);
	return wrong ? 1 : 0;
}
