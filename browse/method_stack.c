// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Which methods are being called follows from the bytecodes alone, one after the other:
 *
 * - A bytecode that begins a frame, or with which one goes on, enters it.
 * - A bytecode behind one that leaves its frame is of the frame below.
 * - A bytecode that begins a frame behind one that throws what its method does not catch: native code
 *   caught that, below some of the frames, which are left. Nobody knows which: all are forgotten.
 * - A bytecode of another method than the one on top, without any of these, is where something was
 *   caught, or where compiled code returned to: frames are left up to that method. Where it is
 *   none of those that are known, it is of a frame below them.
 * - A step of compiled code has a frame for its method, and one for each that is inlined there.
 *
 * Example, of a walk that began in fib(2), called by module code:
 *
 *	fib+28 LOAD_FAST	fib			its begin was not seen
 *	fib+36 CALL		fib
 *	fib+0 RESUME		fib, fib		a frame begins
 *	fib+14 RETURN_VALUE	fib, fib
 *	fib+44 LOAD_GLOBAL	fib			behind a return
 *	fib+74 RETURN_VALUE	fib
 *	<module>+28 POP_TOP	<module>		the frame below, which nobody has seen
 *
 * Unlike the stack of analysis/calls, this one needs no native frames, so that a walk may begin
 * anywhere. Compiled code often has no step for the bytecode with which its method returns: the
 * frame is left when another one goes on. So calls of such a method by itself may stay until the
 * outermost has returned.
 */
#include "browse/method_stack.h"

#include <stdlib.h>

#include "base/append.h"
#include "base/error.h"
#include "format/note.h"

/* A file may claim any number of calls without a return: frames that are as many are forgotten. */
enum { FRAMES_DEEPEST = 1 << 20, INLINED_DEEPEST = 64 };

void method_stack_fini(struct method_stack *stack)
{
	free(stack->all);
	stack->all = NULL;
	stack->n = 0;
}

static struct method_frame *top_of(struct method_stack *stack)
{
	return stack->n ? &stack->all[stack->n - 1] : NULL;
}

static int push(struct method_stack *stack, const struct unit *unit, bool begun,
		bool inlined, struct wm_error *err)
{
	struct method_frame frame = {
		.unit = unit,
		.insn = METHOD_NOWHERE,
		.prior = METHOD_NOWHERE,
		.line_insn = METHOD_NOWHERE,
		.line_before = METHOD_NOWHERE,
		.serial = ++stack->serial,
		.begun = begun,
		.inlined = inlined,
	};

	return APPEND(stack->all, stack->n, frame) ? 0 : wm_fail_nomem(err, "the stack");
}

/* The frame executes a bytecode of the step. */
static void execute(struct method_frame *frame, uint32_t offset,
		    const struct walk_step *step)
{
	uint32_t line = unit_line(frame->unit, offset);
	uint64_t insn = step->insn;

	if (!walk_step_is_news(step) && frame->insn != METHOD_NOWHERE)
		return;
	frame->optimised = step->row && step->tier != NOTE_COMPILED;
	/* Of bytecodes that begin with one instruction the last is the place. */
	if (frame->insn != insn)
		frame->prior = frame->insn;
	frame->offset = offset;
	frame->insn = insn;
	if (!line || line == frame->line)
		return;
	/* The line in which it was first seen may have begun before. */
	if (frame->line_insn != insn)
		frame->line_before = frame->line_insn;
	frame->line_insn = frame->line || frame->begun ? insn : METHOD_NOWHERE;
	frame->line = line;
}

/* Whether the frame's last bytecode leaves it. Optimised code may go on with others. */
static bool may_leave(const struct method_frame *frame)
{
	return !frame->optimised && unit_leaves(frame->unit, frame->offset);
}

static bool throws(const struct method_frame *frame)
{
	return !frame->optimised && unit_throws(frame->unit, frame->offset);
}

/* ---- interpreted code ---------------------------------------------------- */

/*
 * How many frames are known from the outermost one to that of the method which goes on at an
 * offset: one that runs something which is caught there, else the innermost. 0: none is of it.
 */
static size_t frames_up_to(const struct method_stack *stack, const struct unit *unit,
			   uint32_t offset)
{
	size_t nearest = 0;

	for (size_t i = stack->n; i; i--) {
		const struct method_frame *frame = &stack->all[i - 1];

		if (frame->unit != unit)
			continue;
		if (unit_catches(unit, frame->offset, offset))
			return i;
		if (!nearest)
			nearest = i;
	}
	return nearest;
}

/* Whether a bytecode that enters no frame is of the one on top for sure. */
static bool goes_on(const struct method_frame *top, const struct walk_step *step)
{
	return top && top->unit == step->unit &&
	       !unit_is_catcher(step->unit, step->offset);
}

/* An interpreter goes on where compiled code was given up, inlined methods included. */
static void take_over(struct method_stack *stack)
{
	for (size_t i = stack->n; i && stack->all[i - 1].inlined; i--)
		stack->all[i - 1].inlined = false;
}

static int interpret(struct method_stack *stack, const struct walk_step *step,
		     struct wm_error *err)
{
	const struct method_frame *top = top_of(stack);
	bool entered = step->way == FRAMES_CALL || unit_enters(step->unit, step->offset);
	int ret = 0;

	if (entered && top && throws(top))
		stack->n = 0;
	else if (top && !step->inferred && may_leave(top))
		stack->n--;
	if (!entered && !goes_on(top_of(stack), step))
		stack->n = frames_up_to(stack, step->unit, step->offset);
	if (!entered)
		take_over(stack);
	if (entered || !stack->n)
		ret = push(stack, step->unit, entered, false, err);
	if (!ret)
		execute(top_of(stack), step->offset, step);
	return ret;
}

/* ---- compiled code ------------------------------------------------------- */

/* A method of compiled code, and where in it the code is. */
struct level {
	const struct unit *unit;
	uint32_t offset;
};

/* The methods that the step's code is of, from the one that was compiled; how many these are. */
static size_t levels_of(const struct units *units, const struct walk_step *step,
			struct level levels[INLINED_DEEPEST])
{
	const struct made_call *calls = step->made->calls + step->piece->call;
	uint64_t address = step->row->address;
	size_t n = 0;

	for (uint32_t i = 0; i < step->piece->calls && n < INLINED_DEEPEST - 1; i++) {
		const struct unit *unit;

		if (address < calls[i].start || address >= calls[i].end || !calls[i].unit)
			continue;
		unit = units_find(units, step->unit->space, calls[i].unit,
				  units->notes.n);
		if (unit && calls[i].offset < unit->bytes)
			levels[n++] = (struct level){ unit, calls[i].offset };
	}
	levels[n++] = (struct level){ step->unit, step->offset };
	return n;
}

/* The index of the frame of the compiled method on top, whatever is inlined above it. */
static size_t compiled_top(const struct method_stack *stack)
{
	size_t i = stack->n;

	while (i && stack->all[i - 1].inlined)
		i--;
	return i ? i - 1 : 0;
}

/*
 * Whether code before the entry of the method runs, as calls execute it that have to check the class
 * of the object first.
 */
static bool is_check(const struct walk_step *step)
{
	return !step->entered && step->piece->entry > step->piece->start &&
	       step->row->address == step->piece->start;
}

/* The method is called. What checked the class is of the same call. */
static int call_compiled(struct method_stack *stack, const struct walk_step *step,
			 const struct unit *unit, struct wm_error *err)
{
	struct method_frame *top = top_of(stack);
	int ret;

	if (step->entered && top && top->checking && top->unit == unit) {
		top->checking = false;
		return 0;
	}
	ret = push(stack, unit, true, false, err);
	if (!ret)
		top_of(stack)->checking = !step->entered;
	return ret;
}

/* Leaves frames up to that of the method, and to what is inlined above it. */
static int go_on_compiled(struct method_stack *stack, const struct walk_step *step,
			  const struct unit *unit, struct wm_error *err)
{
	size_t i = stack->n;

	while (i && (stack->all[i - 1].unit != unit || stack->all[i - 1].inlined))
		i--;
	if (!i && is_check(step))
		return call_compiled(stack, step, unit, err);
	if (!i) {
		stack->n = 0;
		return push(stack, unit, false, false, err);
	}
	while (i < stack->n && stack->all[i].inlined)
		i++;
	stack->n = i;
	return 0;
}

/* What is inlined at the step has frames above that of the compiled method, at `base`. */
static int inlined_frames(struct method_stack *stack, size_t base,
			  const struct level *levels, size_t n,
			  const struct walk_step *step, struct wm_error *err)
{
	for (size_t i = 1; i < n; i++) {
		struct method_frame *caller = &stack->all[base + i - 1];
		bool same = base + i < stack->n && stack->all[base + i].inlined &&
			    stack->all[base + i].unit == levels[i].unit &&
			    caller->offset == levels[i - 1].offset;

		if (same)
			continue;
		stack->n = base + i;
		if (caller->offset != levels[i - 1].offset ||
		    caller->insn == METHOD_NOWHERE)
			execute(caller, levels[i - 1].offset, step);
		if (push(stack, levels[i].unit, true, true, err))
			return WM_E_NOMEM;
	}
	stack->n = base + n;
	return 0;
}

/* Whether the frame on top has returned: code of the bytecode that leaves it may have several rows. */
static bool has_left(const struct method_frame *top, const struct level *level,
		     const struct walk_step *step)
{
	return top && !top->inlined && may_leave(top) &&
	       (step->entered || level->unit != top->unit ||
		level->offset != top->offset);
}

static int compiled(struct method_stack *stack, const struct walk_step *step,
		    struct wm_error *err)
{
	struct level levels[INLINED_DEEPEST];
	size_t n = levels_of(stack->units, step, levels);
	int ret;

	if (has_left(top_of(stack), &levels[0], step))
		stack->n--;
	ret = step->entered || (step->executed && is_check(step)) ?
		      call_compiled(stack, step, levels[0].unit, err) :
		      go_on_compiled(stack, step, levels[0].unit, err);
	if (!ret)
		ret = inlined_frames(stack, compiled_top(stack), levels, n, step, err);
	if (!ret)
		execute(top_of(stack), step->offset, step);
	return ret;
}

/* ---- all ----------------------------------------------------------------- */

int method_stack_step(struct method_stack *stack, const struct walk_step *step,
		      struct wm_error *err)
{
	if (!step->unit || stack->n + INLINED_DEEPEST > FRAMES_DEEPEST)
		stack->n = 0;
	if (!step->unit)
		return 0;
	return step->row ? compiled(stack, step, err) : interpret(stack, step, err);
}
