// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Of a whole run, bytecodes are not fetched that can only be the one behind the last
 * (guides/hotspot/steps.h). Both are compared with the interpreter's pieces that ran, so that none is
 * taken that did not; where they differ, nothing is known until the next fetch.
 *
 * Behind a handler's first bytecode, which is not known yet, they are kept until it is.
 *
 * Example: 4 of a method, an iload_1, was fetched, and its piece entered. Then that of iadd is, without
 * a fetch: if the method has an iadd at 5, that is what runs.
 */
#include "base/append.h"
#include "base/error.h"
#include "isa/jvm.h"
#include "managed/walk-data.h"

/* A method has no more bytes. */
#define PASSED_MAX 65536u

/* From here on nothing is known. */
static int lose(struct walk *walk, const struct walk_step *here, struct wm_error *err)
{
	struct walk_step at = *here;

	walk->catcher = NULL;
	walk->at.unit = NULL;
	at.ways = BRIDGE_SEVERAL;
	return walk->take(walk->cookie, &at, err);
}

/* The bytecode behind the one that it is at, by that piece. */
static int take_behind(struct walk *walk, const struct piece *piece,
		       const struct walk_step *here, struct wm_error *err)
{
	const struct unit *unit = walk->at.unit;
	uint64_t offset =
		walk->at.offset + jvm_length(unit->code, unit->bytes, walk->at.offset);
	struct walk_step *step = &walk->fetched;
	int ret;

	if (!frames_executes(unit, offset, piece->opcode))
		return lose(walk, here, err);
	*step = *here;
	step->unit = unit;
	step->offset = (uint32_t)offset;
	ret = walk_take_fetched(walk, piece, err);
	step->unit = NULL;
	return ret;
}

static int pass(struct walk *walk, const struct piece *piece,
		const struct walk_step *here, struct wm_error *err)
{
	struct frames_passed passed = { piece, here->block, here->insn };

	if (walk->n_passed == PASSED_MAX)
		return lose(walk, &walk->caught, err);
	return APPEND(walk->passed, walk->n_passed, passed) ?
		       0 :
		       wm_fail_nomem(err, "bytecodes");
}

int walk_take_next(struct walk *walk, const struct piece *piece,
		   const struct walk_step *here, struct wm_error *err)
{
	const struct frame *at = &walk->at;
	bool is_wide;

	/* Of a wide instruction the second byte's piece is entered. */
	if (walk->piece->opcode == JVM_WIDE)
		return 0;
	if (walk->catcher)
		return pass(walk, piece, here, err);
	if (!at->unit)
		return 0;
	is_wide = at->unit->code[at->offset] == JVM_WIDE;
	if (!is_wide && !frames_executes(at->unit, at->offset, walk->piece->opcode))
		return lose(walk, here, err);
	return take_behind(walk, piece, here, err);
}

int walk_take_passed(struct walk *walk, struct wm_error *err)
{
	/* What came next may have been fetched already. */
	struct walk_step fetched = walk->fetched;
	enum frames_way way = walk->way;
	int ret = 0;

	walk->way = FRAMES_ON;
	for (size_t i = 0; !ret && walk->at.unit && i < walk->n_passed; i++) {
		struct walk_step here = { .block = walk->passed[i].block,
					  .insn = walk->passed[i].insn };

		ret = take_behind(walk, walk->passed[i].piece, &here, err);
	}
	walk->n_passed = 0;
	walk->fetched = fetched;
	walk->way = way;
	return ret;
}
