// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Bytecodes that nobody fetched: the second of a pair, and the first of a handler that caught
 * something (managed/frames.h), which is known when what comes next is.
 *
 * Example: "astore_2" was entered from a piece that is no bytecode's, and then 21 of a method was
 * fetched that has a handler at 20, an astore_2: 20 was executed before. If instead a handler's
 * piece is entered again, the first bytecode of the first handler has thrown.
 */
#include "base/error.h"
#include "isa/jvm.h"
#include "managed/walk-data.h"

int walk_take_second(struct walk *walk, const struct walk_step *first,
		     struct wm_error *err)
{
	struct walk_step step = *first;

	step.entered = false;
	step.way = FRAMES_ON;
	step.offset +=
		(uint32_t)jvm_length(step.unit->code, step.unit->bytes, step.offset);
	step.inferred = true;
	if (step.offset >= step.unit->bytes)
		return 0;
	if (!frames_at(&walk->frames, step.unit, step.offset, FRAMES_ON))
		return wm_fail_nomem(err, "bytecodes");
	walk_is_at(walk, &step);
	return walk->take(walk->cookie, &step, err);
}

/*
 * Two handlers fit, or none does: which bytecodes ran is not known, as in a gap with several ways. In
 * the middle of a stream the frames before are not known: whoever knows them asks again.
 */
static int take_unknown(struct walk *walk, bool unsure, struct wm_error *err)
{
	struct walk_step step = walk->caught;

	step.unsure = unsure;
	step.ways = unsure ? BRIDGE_UNASKED : BRIDGE_SEVERAL;
	if (unsure)
		walk->frames.n = 0;
	return walk->take(walk->cookie, &step, err);
}

static int take_handler(struct walk *walk, const struct piece *piece,
			const struct frame *at, struct wm_error *err)
{
	struct walk_step step = walk->caught;
	int ret;

	walk->stepped = step.insn;
	step.executed = true;
	step.unit = at->unit;
	step.offset = at->offset;
	step.inferred = true;
	walk_is_at(walk, &step);
	ret = walk_join(walk, &step, err);
	if (!ret)
		ret = walk->take(walk->cookie, &step, err);
	if (!ret && piece->role == PIECE_PAIR)
		ret = walk_take_second(walk, &step, err);
	return ret ? ret : walk_take_passed(walk, err);
}

int walk_take_caught(struct walk *walk, const struct frames_next *later,
		     struct wm_error *err)
{
	const struct piece *piece = walk->catcher;
	bool pair = piece->role == PIECE_PAIR;
	struct frames_next all = *later, *next = &all;
	struct frame frame = { next->unit, 0 };
	enum frames_caught found;

	next->passed = walk->passed;
	next->n_passed = walk->n_passed;
	found = frames_catch(&walk->frames, piece->opcode, pair, next, &frame);

	walk->catcher = NULL;
	if (found == FRAMES_SEVERAL)
		return take_unknown(walk, false, err);
	if (!found && (walk->late || !next->unit || pair ||
		       !frames_handler(piece->opcode, next, &frame.offset)))
		return take_unknown(walk, walk->late, err);
	return take_handler(walk, piece, &frame, err);
}
