// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What comes before a gap is kept until the next bytecode is known: then they are connected,
 * or it is said why not (managed/bridge.h).
 */
#include <stdlib.h>
#include <string.h>

#include "base/append.h"
#include "base/error.h"
#include "managed/walk-data.h"

static int no_memory(struct wm_error *err)
{
	return wm_fail_nomem(err, "bytecodes");
}

/* Nothing is known of a gap that no bytecode came behind. */
int walk_end(struct walk *walk, struct wm_error *err)
{
	const struct walk_step gap = walk->behind;

	walk->behind.ways = BRIDGE_UNASKED;
	return gap.ways ? walk->take(walk->cookie, &gap, err) : 0;
}

int walk_keep(struct walk *walk, const struct wm_step *step, struct wm_error *err)
{
	struct frames none = walk->before;
	bool again = walk->behind.ways;
	int ret = again ? walk_end(walk, err) : 0;

	if (ret)
		return ret;

	/* Another program begins. */
	if (step->insns)
		walk->before.n = 0;
	if (!walk->recovers || step->insns)
		return 0;
	walk->behind = (struct walk_step){ .block = step->block_ordinal,
					   .insn = step->insn_ordinal,
					   .ways = BRIDGE_SEVERAL };
	/*
	 * Two gaps with no bytecode between them: nobody knows what else was there. Nor what is
	 * in blocks that are left out because nobody asked for them.
	 */
	walk->behind_insns = again || !step->id ?
				     UINT64_MAX :
				     gaps_insns(&walk->gaps, step->block_ordinal);
	if (walk->behind_insns != UINT64_MAX)
		walk->behind_insns += step->insn_ordinal - walk->stepped;
	if (again)
		return 0;
	none.n = 0;
	if (walk->is_plain && walk->plain.unit) {
		struct frame frame = { walk->plain.unit, walk->plain.offset };

		if (!APPEND(none.all, none.n, frame))
			return no_memory(err);
		walk->before = none;
	} else if (!walk->row && !walk->catcher) {
		walk->before = walk->frames;
		walk->frames = none;
	}
	return 0;
}

/* What the only way through a gap has, behind the gap itself. */
static int take_way(struct walk *walk, const struct bridge *bridge, struct wm_error *err)
{
	struct walk_step step = walk->behind;
	const struct walk_step nothing = { .block = step.block, .insn = step.insn };
	int ret = 0;

	step.ways = BRIDGE_UNASKED;
	step.executed = step.recovered = true;
	for (size_t i = 0; !ret && i < bridge->n; i++) {
		step.unit = bridge->between[i].at.unit;
		step.offset = bridge->between[i].at.offset;
		step.way = bridge->between[i].way;
		step.entered = step.way == FRAMES_CALL;
		ret = walk->take(walk->cookie, &step, err);
	}
	return ret || !bridge->strayed ? ret : walk->take(walk->cookie, &nothing, err);
}

/* The frames behind a gap of one way: they have the one that was called or gone back to. */
static void connect(struct walk *walk, const struct bridge *bridge)
{
	struct frames none = walk->frames;

	/* What was caught later may be in one of them. */
	walk->frames = walk->before;
	walk->before = none;
	/*
	 * A call in the gap has no piece that tells of it; and a piece behind it may tell of one
	 * whose first bytecode is in the way already, because the gap had its fetch.
	 */
	if (!bridge->strayed)
		walk->way = bridge->way == FRAMES_CALL ? FRAMES_CALL : FRAMES_ON;
	if (walk->way == FRAMES_CALL && walk->frames.n)
		walk->frames.n--;
	else if (walk->way == FRAMES_RETURN)
		walk->way = FRAMES_ON;
}

/* A string that is `text` or begins with it. */
static bool string_begins(struct span *span, const char *text)
{
	size_t bytes;
	const uint8_t *at = note_string(span, &bytes);

	return bytes >= strlen(text) && !memcmp(at, text, strlen(text));
}

/* Whether the runtime of the walk's space said that it compiles nothing. */
static bool interprets(const struct walk *walk)
{
	for (size_t i = 0; i < walk->units->notes.n; i++) {
		const struct trace_note *note = &walk->units->notes.notes[i];
		struct span span = span_of(note->data, note->bytes);

		/* Its name, its version, its mode. */
		if (note->kind == NOTE_RUNTIME && note->space == walk->space)
			return string_begins(&span, "hotspot") &
			       string_begins(&span, "") &
			       string_begins(&span, "interpreted mode");
	}
	return false;
}

int walk_join_gap(struct walk *walk, const struct walk_step *first, struct wm_error *err)
{
	struct frame after = { first->unit, first->offset };
	struct walk_step gap;
	struct bridge bridge = { .ways = BRIDGE_SEVERAL };
	uint64_t insns = walk->behind_insns;
	int ret;

	gap = walk->behind;
	walk->behind.ways = BRIDGE_UNASKED;
	/* Where the gap began the one before was not done, and that behind it not begun. */
	if (insns != UINT64_MAX)
		insns += first->insn - gap.insn;
	/* Of compiled code the frames are not known. */
	if (first->tier)
		walk->before.n = 0;
	if (!bridge_find(&bridge, &walk->before, &after, insns,
			 interprets(walk) ? walk->callees : NULL))
		return no_memory(err);
	gap.ways = bridge.ways;
	gap.between = bridge.n;
	ret = walk->take(walk->cookie, &gap, err);
	if (!ret && bridge.ways == BRIDGE_ONE) {
		connect(walk, &bridge);
		ret = take_way(walk, &bridge, err);
	}
	walk->before.n = 0;
	free(bridge.between);
	return ret;
}

int walk_recover(struct walk *walk, unsigned stream, struct wm_error *err)
{
	int ret = 0;

	walk->recovers = true;
	walk->callees = calloc(1, sizeof(*walk->callees));
	if (!walk->callees)
		return no_memory(err);
	ret = callees_read(walk->callees, walk->units, err);
	return ret ? ret : gaps_read(&walk->gaps, walk->trace, stream, err);
}
