// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What comes before a gap is kept until the next bytecode is known: then they are connected,
 * or it is said why not (managed/bridge.h).
 */
#include <stdlib.h>

#include "base/append.h"
#include "base/error.h"
#include "managed/walk-data.h"

static int no_memory(struct wm_error *err)
{
	return wm_fail_nomem(err, "bytecodes");
}

int walk_keep(struct walk *walk, const struct wm_step *step, struct wm_error *err)
{
	struct frames none = walk->before;
	bool again = walk->behind.ways;

	/* Another program begins. */
	if (step->insns)
		walk->before.n = 0;
	if (!walk->recovers || step->insns)
		return 0;
	walk->behind = (struct walk_step){ .block = step->block_ordinal,
					   .insn = step->insn_ordinal,
					   .ways = BRIDGE_SEVERAL };
	/* Two gaps with no bytecode between them: nobody knows what else was there. */
	walk->behind_insns = again ? UINT64_MAX :
				     gaps_insns(&walk->gaps, step->block_ordinal);
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

/* What the only way through a gap has. */
static int take_way(struct walk *walk, const struct bridge *bridge, struct wm_error *err)
{
	struct walk_step step = walk->behind;
	int ret = 0;

	step.executed = step.recovered = true;
	for (size_t i = 0; !ret && i < bridge->n; i++) {
		step.unit = bridge->between[i].unit;
		step.offset = bridge->between[i].offset;
		ret = walk->take(walk->cookie, &step, err);
	}
	return ret;
}

int walk_join(struct walk *walk, const struct walk_step *first, struct wm_error *err)
{
	struct frame after = { first->unit, first->offset };
	struct walk_step gap = walk->behind;
	struct bridge bridge = { .ways = BRIDGE_SEVERAL };
	int ret;

	if (!gap.ways)
		return 0;
	walk->behind.ways = BRIDGE_UNASKED;
	/* Of compiled code the frames are not known. */
	if (first->tier)
		walk->before.n = 0;
	if (!bridge_find(&bridge, &walk->before, &after, walk->behind_insns))
		return no_memory(err);
	gap.ways = bridge.ways;
	if (bridge.ways != BRIDGE_ONE) {
		ret = walk->take(walk->cookie, &gap, err);
	} else {
		struct frames none = walk->frames;

		/* What was caught later may be in one of them. */
		walk->frames = walk->before;
		walk->before = none;
		ret = take_way(walk, &bridge, err);
	}
	walk->before.n = 0;
	free(bridge.between);
	return ret;
}

int walk_recover(struct walk *walk, unsigned stream, struct wm_error *err)
{
	walk->recovers = true;
	return gaps_read(&walk->gaps, walk->trace, stream, err);
}
