// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The steps of a stack that only code of a JVM takes, which does not keep to calls and returns:
 * it gives compiled code up, throws through it, and moves frames of virtual threads from one
 * stack to another. sites_jvm.c says how each is known.
 *
 * Example: main calls f, which C2 compiled, and f calls g. What g throws is not caught there:
 *
 *	g		main, f, g
 *	_rethrow_Java	main, f, g, _rethrow_Java	a tail call
 *	f's handler	main, f				g and the blob have gone
 *
 * Invariant: frames of a virtual thread are above the frame that it is mounted on, and the call
 * that this made has the address to which the lowest of them returns.
 */
#include "analysis/calls/callstack-data.h"

/* How deep the stack is below the JVM's own frames on top, of the chain that begins at `base`. */
static uint32_t below_blobs(const struct callstack *stack, uint32_t base)
{
	uint32_t depth = stack->depth;

	while (depth > base && site_is_blob(stack->frames[depth - 1].role))
		depth--;
	return depth;
}

/*
 * A return into an interpreter that no frame expects: compiled code was given up, and the
 * interpreter goes on in its place. That code is in the topmost chain, below the runtime's; or the
 * whole chain is what it called to be given up, and it is in the one below. There the interpreter
 * may be that had called it.
 */
void callstack_fall_back(struct callstack *stack, const struct callstack_exit *from,
			 const struct site *to, uint64_t insn, uint32_t base)
{
	uint32_t depth = below_blobs(stack, base);

	if (depth == base && stack->open &&
	    (!base || callstack_base_of(stack, base - 1) < 0)) {
		callstack_report_arrival(stack, from, to, insn);
	} else if (!depth) {
		callstack_begin_anew(stack, to, insn);
	} else {
		callstack_unwind(stack, depth, insn);
		callstack_land(stack, from, to, insn);
	}
}

/* ---- virtual threads ----------------------------------------------------- */

/*
 * A return into a frame that was put on the stack in the place of others, by the call that
 * frames[base] is of: nobody has seen it being called.
 */
void callstack_return_thawed(struct callstack *stack, const struct callstack_exit *from,
			     const struct site *to, uint64_t insn, uint32_t base)
{
	callstack_unwind(stack, base + 1, insn);
	callstack_land(stack, from, to, insn);
}

/*
 * A virtual thread's frames have been copied away, or the lowest that was on the stack has
 * returned, and the next one comes. Then the call that it returns to stays.
 */
void callstack_unmount(struct callstack *stack, const struct callstack_exit *from,
		       const struct site *to, uint64_t insn)
{
	uint32_t depth = stack->depth;

	while (depth && stack->frames[depth - 1].role != SITE_MOUNTS)
		depth--;
	if (!depth && stack->open) {
		callstack_report_arrival(stack, from, to, insn);
		return;
	}
	if (depth && depth < stack->depth && to->role == SITE_THAWS)
		depth++;
	callstack_unwind(stack, depth ? depth : stack->depth, insn);
}

/* ---- exceptions ---------------------------------------------------------- */

/*
 * How deep the stack is when the topmost method of the chain that begins at `base` was left, and
 * control is at `to`, in what called it: right below the chain, or an interpreter in it, which
 * calls by a jump. 0: not there.
 */
static uint32_t depth_of_caller(const struct callstack *stack, const struct site *to,
				uint32_t base)
{
	uint32_t depth = to->inner ? below_blobs(stack, base) : base;

	while (depth > base && !callstack_is_code(stack, &stack->frames[depth - 1], to))
		depth--;
	if (depth && callstack_is_code(stack, &stack->frames[depth - 1], to))
		return depth;
	return 0;
}

/*
 * An exception has left the method on top. Control is in what called it, or in a blob that does
 * something for that, such as giving its code up.
 */
void callstack_throw(struct callstack *stack, const struct callstack_exit *from,
		     const struct site *to, uint64_t insn)
{
	int64_t base = callstack_base_of(stack, (int64_t)stack->depth - 1);
	uint32_t depth = base < 0 ? 0 : depth_of_caller(stack, to, (uint32_t)base);

	if (to->inner && callstack_top(stack)->whole == to->whole)
		return; /* an interpreter's own method has caught it */
	if (base <= 0 && stack->open)
		callstack_report_arrival(stack, from, to, insn);
	else if (depth)
		callstack_unwind(stack, depth, insn);
	else if (base > 0 && stack->frames[base].role == SITE_THAWS)
		callstack_unwind(stack, (uint32_t)base + 1, insn);
	else if (base > 0 && site_is_blob(to->role))
		callstack_unwind(stack, (uint32_t)base, insn);
}
