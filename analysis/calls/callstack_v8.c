// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The steps of a stack that only code of V8's takes: an exception goes from a builtin to a handler,
 * over any number of callers, and a function that runs is replaced by a better one.
 *
 * Example: main calls f, which throws; main catches it.
 *
 *	CEntry		main, f, CEntry
 *	main's handler	main			f and the builtin have gone
 */
#include "analysis/calls/callstack-data.h"

/* Leaves frames until `depth` of them are left; an open stack does not know what is below. */
static bool leave_to(struct callstack *stack, const struct callstack_exit *from,
		     const struct site *to, uint64_t insn, uint32_t depth)
{
	if (depth)
		callstack_unwind(stack, depth, insn);
	else if (stack->open)
		callstack_report_arrival(stack, from, to, insn);
	return depth || !stack->open;
}

/* The frames up to the topmost one of a function of JavaScript. */
static uint32_t depth_of_function(const struct callstack *stack)
{
	uint32_t depth = stack->depth;

	while (depth && stack->frames[depth - 1].role != SITE_JS)
		depth--;
	return depth;
}

/*
 * In compiled code the handler is that of the function's nearest frame. In recursion it may be an
 * outer one, which a return will find. Where the interpreter is entered, it is in any of the
 * functions on the stack: the topmost one stays.
 */
bool callstack_catch(struct callstack *stack, const struct callstack_exit *from,
		     const struct site *to, uint64_t insn)
{
	uint32_t depth = stack->depth;

	if (to->entry)
		return leave_to(stack, from, to, insn, depth_of_function(stack));
	while (depth && !callstack_is_code(stack, &stack->frames[depth - 1], to))
		depth--;
	return leave_to(stack, from, to, insn, depth);
}

/*
 * A builtin has returned into other code of the function that ran, which is the topmost one on
 * the stack: that code stands on it.
 */
void callstack_replace(struct callstack *stack, const struct callstack_exit *from,
		       const struct site *to, uint64_t insn)
{
	leave_to(stack, from, to, insn, depth_of_function(stack));
}
