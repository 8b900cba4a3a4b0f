/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The interpreted frames of a thread, as far as the walk has seen them, and what catches. */
#ifndef MANAGED_FRAMES_H
#define MANAGED_FRAMES_H

#include <stdbool.h>

#include "managed/units.h"

/* A method, and the offset of what it executes. */
struct frame {
	const struct unit *unit;
	uint32_t offset;
};

struct frames {
	struct frame *all; /* [n] the outermost first; free() it */
	size_t n;
};

enum frames_way {
	FRAMES_ON,     /* in the same method */
	FRAMES_CALL,   /* a method was entered */
	FRAMES_RETURN, /* one was left */
};

/* The thread executes that now, and came there that way. False: no memory. */
bool frames_at(struct frames *frames, const struct unit *unit, uint32_t offset,
	       enum frames_way way);
/*
 * The same of frames that are the innermost ones of others, which are not known: what may be in
 * one of those is then the only frame. So the frames stay the innermost ones.
 */
bool frames_at_late(struct frames *frames, const struct unit *unit, uint32_t offset,
		    enum frames_way way);

/* A piece of a bytecode that was entered without a fetch, and where in the stream. */
struct frames_passed {
	const struct piece *piece;
	uint64_t block, insn;
};

/*
 * What came next: a bytecode, and by which way; no unit: something was thrown again. Before that,
 * bytecodes that each follow the one before.
 */
struct frames_next {
	const struct unit *unit;
	uint32_t offset;
	enum frames_way way;
	const struct frames_passed *passed; /* [n_passed] */
	size_t n_passed;
};

/* Whether a piece for that opcode, a number of the runtime's, may execute what is at an offset. */
bool frames_executes(const struct unit *unit, uint64_t offset, int32_t opcode);

/* Where something was caught: not known; at one place; at one of several. */
enum frames_caught { FRAMES_NOWHERE, FRAMES_CAUGHT, FRAMES_SEVERAL };

/*
 * Something was thrown in the innermost frame, and `opcode`, a number of the runtime's, executed
 * where it was caught, with `pair` the bytecode behind it as well; then came `next`. Finds where
 * that was, takes away the frames that were left and puts that into *caught.
 */
enum frames_caught frames_catch(struct frames *frames, int32_t opcode, bool pair,
				const struct frames_next *next, struct frame *caught);

/*
 * Where something was caught that then led to `next`, of the same unit, if no frame is known that
 * catches it, as behind a gap. False: several handlers lead there, or none does.
 */
bool frames_handler(int32_t opcode, const struct frames_next *next, uint32_t *handler);

#endif
