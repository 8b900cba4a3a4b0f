// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The runtime itself looks for a handler and jumps to its first bytecode, which is not
 * fetched. Which bytecode it is shows in the path, and the tables of the methods say where
 * handlers begin: the frames are searched as the runtime does it, from the innermost on,
 * but by what ran instead of by the exception's class. A handler fits when it covers what
 * its frame executes, begins with the opcode that ran, and leads to what came next.
 *
 * The first bytecode of a handler may throw itself, or call: then the next one is elsewhere.
 * Where two handlers of a frame fit, either may have run, and neither is taken.
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

static uint32_t behind(const struct unit *unit, uint32_t offset)
{
	return offset + (uint32_t)jvm_length(unit->code, unit->bytes, offset);
}

static bool follows(const struct unit *unit, uint32_t from, uint32_t to)
{
	return behind(unit, from) == to;
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

/*
 * A number beyond Java's is a runtime's own name for a bytecode of which it makes a faster one: a
 * load, an access to a field, a call, a switch or a return.
 */
bool frames_executes(const struct unit *unit, uint64_t offset, int32_t opcode)
{
	uint8_t code = offset < unit->bytes ? unit->code[offset] : 0;

	if (offset >= unit->bytes)
		return false;
	return opcode < JVM_OPCODES ? code == opcode : jvm_is_rewritten(code);
}

/* Goes on from *last through the bytecodes that were passed; false: these are others. */
static bool passes(const struct unit *unit, const struct frames_next *next,
		   uint32_t *last)
{
	for (size_t i = 0; i < next->n_passed; i++) {
		const struct piece *piece = next->passed[i].piece;

		if (leaves(unit->code[*last]))
			return false;
		*last = behind(unit, *last);
		if (!frames_executes(unit, *last, piece->opcode))
			return false;
		if (piece->role == PIECE_PAIR)
			*last = behind(unit, *last);
		if (*last >= unit->bytes)
			return false;
	}
	return true;
}

/* A handler whose first bytecode, or pair of these, has been executed. */
struct entered {
	const struct frame *frame;
	const struct unit *caller; /* of the frame; NULL: not known */
	uint32_t last;		   /* offset of the pair's second, or else of the first */
};

/* Whether exactly that comes next after it. */
static bool leads_exactly(const struct entered *at, const struct frames_next *next)
{
	const struct unit *unit = at->frame->unit;
	uint8_t opcode = unit->code[at->last];
	enum jvm_kind kind = jvm_kind(opcode);

	if (!next->unit)
		return jvm_throws(opcode);
	if (next->way == FRAMES_CALL)
		return jvm_runs(opcode) || jvm_throws(opcode);
	if (next->way == FRAMES_RETURN && kind == JVM_RETURN)
		return !at->caller || at->caller == next->unit;
	return next->unit == unit &&
	       (jvm_is_subroutine(opcode) || !leaves(opcode) || kind == JVM_CALL) &&
	       leads(unit, at->last, next->offset);
}

/* The same if frames may be missing, or code that is compiled. */
static bool may_lead(const struct entered *at, const struct frames_next *next)
{
	const struct unit *unit = at->frame->unit;

	return leaves(unit->code[at->last]) ||
	       (next->unit == unit && leads(unit, at->last, next->offset));
}

/* What comes next, as a question to one handler after the other. */
struct search {
	int32_t opcode;
	bool pair;
	const struct frames_next *next;
	bool (*leads)(const struct entered *at, const struct frames_next *next);
};

static bool fits(const struct search *search, struct entered at,
		 const struct unit_handler *handler)
{
	const struct unit *unit = at.frame->unit;

	if (at.frame->offset < handler->from || at.frame->offset >= handler->to ||
	    !frames_executes(unit, handler->target, search->opcode))
		return false;
	at.last = handler->target;
	if (search->pair)
		at.last = behind(unit, at.last);
	return at.last < unit->bytes && passes(unit, search->next, &at.last) &&
	       search->leads(&at, search->next);
}

static enum frames_caught find_handler(const struct search *search,
				       const struct entered *at, uint32_t *target)
{
	const struct unit *unit = at->frame->unit;
	enum frames_caught found = FRAMES_NOWHERE;

	for (uint32_t i = 0; i < unit->n_handlers; i++) {
		if (!fits(search, *at, &unit->handlers[i]) ||
		    (found && *target == unit->handlers[i].target))
			continue;
		if (found)
			return FRAMES_SEVERAL;
		*target = unit->handlers[i].target;
		found = FRAMES_CAUGHT;
	}
	return found;
}

static enum frames_caught find_frame(struct frames *frames, const struct search *search,
				     struct frame *caught)
{
	for (size_t i = frames->n; i--;) {
		struct entered at = { &frames->all[i], i ? frames->all[i - 1].unit : NULL,
				      0 };
		uint32_t target = at.frame->offset;
		enum frames_caught found = find_handler(search, &at, &target);

		if (!found)
			continue;
		frames->n = i + 1;
		frames->all[i].offset = target;
		*caught = frames->all[i];
		return found;
	}
	return FRAMES_NOWHERE;
}

enum frames_caught frames_catch(struct frames *frames, int32_t opcode, bool pair,
				const struct frames_next *next, struct frame *caught)
{
	struct search search = { opcode, pair, next, leads_exactly };
	enum frames_caught found = find_frame(frames, &search, caught);

	if (found || !next->unit)
		return found;
	search.leads = may_lead;
	return find_frame(frames, &search, caught);
}

bool frames_handler(int32_t opcode, const struct frames_next *next, uint32_t *handler)
{
	const struct unit *unit = next->unit;
	bool found = false;

	for (uint32_t i = 0; i < unit->n_handlers; i++) {
		uint32_t target = unit->handlers[i].target, last = target;

		if (!frames_executes(unit, target, opcode) ||
		    !passes(unit, next, &last) || leaves(unit->code[last]) ||
		    !leads(unit, last, next->offset))
			continue;
		if (found && *handler != target)
			return false;
		found = true;
		*handler = target;
	}
	return found;
}
