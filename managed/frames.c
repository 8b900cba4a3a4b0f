// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The runtime itself looks for a handler and jumps to its first bytecode, which is not
 * fetched. Which bytecode it is shows in the path, and the tables of the methods say where
 * handlers begin: the frames are searched as the runtime does it, from the innermost on,
 * but by what ran instead of by the exception's class. A handler fits when it covers what
 * its frame executes, begins with the opcode that ran, and leads to what came next.
 *
 * Frames may lack some, of compiled code for one. So a frame is looked for by its unit, and
 * what is not found begins anew.
 *
 * Example: in f at 12 a call throws; f has [10, 15) -> 40 and "astore_1" at 40. The path has
 * astore_1 and then a fetch of f at 41: caught at 40.
 */
#include "managed/frames.h"

#include "base/append.h"
#include "isa/jvm.h"

static bool follows(const struct unit *unit, uint32_t from, uint32_t to)
{
	return from + jvm_length(unit->code, unit->bytes, from) == to;
}

/* The frame that goes on there; frames->n: none. */
static size_t find(const struct frames *frames, const struct unit *unit, uint32_t offset,
		   enum frames_way way)
{
	size_t same = frames->n;

	for (size_t i = frames->n; i--;) {
		const struct frame *frame = &frames->all[i];

		if (frame->unit != unit)
			continue;
		if (way != FRAMES_RETURN)
			return i;
		if (i + 1 < frames->n && follows(unit, frame->offset, offset))
			return i;
		if (same == frames->n)
			same = i;
	}
	return same;
}

bool frames_at(struct frames *frames, const struct unit *unit, uint32_t offset,
	       enum frames_way way)
{
	size_t at = way == FRAMES_CALL ? frames->n : find(frames, unit, offset, way);

	if (at < frames->n) {
		frames->n = at + 1;
		frames->all[at].offset = offset;
		return true;
	}
	return APPEND(frames->all, frames->n, ((struct frame){ unit, offset }));
}

bool frames_at_late(struct frames *frames, const struct unit *unit, uint32_t offset,
		    enum frames_way way)
{
	size_t at = way == FRAMES_CALL ? 0 : find(frames, unit, offset, way);

	/* A frame further out may be the one that called, and is not there. */
	if (at == frames->n ||
	    (way == FRAMES_RETURN &&
	     (at + 1 == frames->n || !follows(unit, frames->all[at].offset, offset))))
		frames->n = 0;
	return frames_at(frames, unit, offset, way);
}

/* ---- handlers ------------------------------------------------------------ */

/* Whether the instruction at `from` may lead to `to` of the same method. */
static bool leads(const struct unit *unit, uint32_t from, uint32_t to)
{
	int64_t target;

	if (follows(unit, from, to))
		return true;
	for (size_t i = 0; jvm_target(unit->code, unit->bytes, from, i, &target); i++)
		if (target == to)
			return true;
	return false;
}

/* Whether what comes after it may be anywhere. */
static bool leaves(uint8_t opcode)
{
	enum jvm_kind kind = jvm_kind(opcode);

	return kind == JVM_CALL || kind == JVM_RETURN || kind == JVM_THROW;
}

/* A number beyond Java's is a runtime's own name for one of them. */
static bool begins_with(const struct unit *unit, uint32_t target, int32_t opcode)
{
	return target < unit->bytes &&
	       (opcode >= JVM_OPCODES || unit->code[target] == opcode);
}

static bool fits(const struct frame *frame, const struct unit_handler *handler,
		 int32_t opcode, const struct frame *next)
{
	const struct unit *unit = frame->unit;

	if (frame->offset < handler->from || frame->offset >= handler->to ||
	    !begins_with(unit, handler->target, opcode))
		return false;
	return leaves(unit->code[handler->target]) ||
	       (next->unit == unit && leads(unit, handler->target, next->offset));
}

static const struct unit_handler *find_handler(const struct frame *frame, int32_t opcode,
					       const struct frame *next)
{
	const struct unit *unit = frame->unit;

	for (uint32_t i = 0; i < unit->n_handlers; i++)
		if (fits(frame, &unit->handlers[i], opcode, next))
			return &unit->handlers[i];
	return NULL;
}

bool frames_handler(int32_t opcode, const struct unit *unit, uint32_t next,
		    uint32_t *handler)
{
	bool found = false;

	for (uint32_t i = 0; i < unit->n_handlers; i++) {
		uint32_t target = unit->handlers[i].target;

		if (!begins_with(unit, target, opcode) || leaves(unit->code[target]) ||
		    !leads(unit, target, next))
			continue;
		if (found && *handler != target)
			return false;
		found = true;
		*handler = target;
	}
	return found;
}

bool frames_catch(struct frames *frames, int32_t opcode, const struct unit *next,
		  uint32_t offset, struct frame *caught)
{
	struct frame after = { next, offset };

	for (size_t i = frames->n; i--;) {
		const struct unit_handler *handler =
			find_handler(&frames->all[i], opcode, &after);

		if (!handler)
			continue;
		frames->n = i + 1;
		frames->all[i].offset = handler->target;
		*caught = frames->all[i];
		return true;
	}
	return false;
}
