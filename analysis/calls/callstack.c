// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The steps of a stack of calls: what control does when it arrives somewhere.
 *
 * What is decided here depends on two blocks, where control comes from and where it
 * arrives, and on frames; never on how a trace was cut. An open stack decides only what
 * its known frames decide. It reports every other step, and whoever replays these steps
 * on the stack before gets the same result as without a cut.
 *
 * A *chain* is a call and the tail calls made from it: several frames here, one frame of
 * the real stack. Its return address is in the lowest frame, and all of it is left
 * together. Example: main calls f, to return to X, and f tail calls g. The frames are
 * main, f (FRAME_CALL, ret X) and g (FRAME_TAIL). A return to X leaves g and f.
 *
 * Invariant: after callstack_arrive(), the frame on top is of the function whose code
 * runs.
 */
#include "analysis/calls/callstack-data.h"

/* The function around inlined code: what frames are compared by, see callstack_inline(). */
static uint32_t body_of(const struct callstack *stack, uint32_t whole)
{
	return strands_home(stack->strands, whole);
}

bool callstack_is_code(const struct callstack *stack, const struct callstack_frame *frame,
		       const struct site *to)
{
	return !frame->stub && body_of(stack, frame->whole) == body_of(stack, to->whole);
}

void callstack_enter(struct callstack *stack, const struct site *to, uint64_t insn,
		     const struct callstack_frame *like, uint32_t caller)
{
	/* A copy, because pushing may move the frames. */
	struct callstack_frame below = *callstack_top(stack), frame = *like;

	callstack_spend(stack, insn);
	frame.insn = insn;
	frame.stub = to->stub;
	frame.role = to->role;
	frame.entity = to->entity;
	frame.whole = frame.kind == FRAME_INLINE ? to->whole : body_of(stack, to->whole);
	if (frame.stub)
		callstack_stand_for(&frame, &below);
	callstack_push(stack, &frame);
	/*
	 * The sink does not hear of stubs: a stub is resolved when control arrives at
	 * what it stands for.
	 */
	if (!frame.stub && !stack->error)
		stack->sink->enter(stack->cookie, callstack_top(stack), &below, caller);
}

void callstack_unwind(struct callstack *stack, uint32_t depth, uint64_t insn)
{
	while (stack->depth > depth) {
		struct callstack_frame *top = callstack_top(stack);

		callstack_spend(stack, insn);
		if (!top->stub)
			stack->sink->leave(stack->cookie, top, insn);
		stack->depth--;
	}
}

void callstack_originate(struct callstack *stack, const struct site *to, uint64_t insn,
			 bool entered)
{
	struct site whole = *to;

	whole.stub = false;
	if (!entered)
		whole.entity = to->home;
	callstack_enter(stack, &whole, insn,
			&(struct callstack_frame){ .kind = FRAME_ORIGIN,
						   .entered = entered },
			stack->root.entity);
	callstack_inline(stack, to, insn);
}

void callstack_begin_anew(struct callstack *stack, const struct site *to, uint64_t insn)
{
	callstack_set_aside(stack, 0, insn);
	if (to)
		callstack_originate(stack, to, insn, to->entry);
}

int64_t callstack_base_of(const struct callstack *stack, int64_t index)
{
	while (index >= 0 && (stack->frames[index].kind == FRAME_TAIL ||
			      stack->frames[index].kind == FRAME_JUMP ||
			      stack->frames[index].kind == FRAME_METHOD ||
			      stack->frames[index].kind == FRAME_INLINE))
		index--;
	return index;
}

/*
 * The index of the nearest frame in the topmost chain that runs the code at `to`; -1:
 * none.
 */
static int64_t find_in_chain(const struct callstack *stack, const struct site *to)
{
	int64_t i = (int64_t)stack->depth - 1, base = callstack_base_of(stack, i);
	uint32_t body = body_of(stack, to->whole);

	while (i >= 0 && i >= base &&
	       (stack->frames[i].stub || body_of(stack, stack->frames[i].whole) != body))
		i--;
	return i >= base ? i : -1;
}

/* Whether the topmost frame, inlined code left out, is a stub. A root is not a stub. */
static bool stands_on_stub(const struct callstack *stack)
{
	uint32_t depth = callstack_solid_depth(stack);

	return depth && stack->frames[depth - 1].stub;
}

/*
 * Whether control arrives where another function begins. In a file without symbols that
 * is anywhere, when it comes from another file. Code made at run time is the exception:
 * mostly it jumps back to the interpreter that it came from.
 */
bool callstack_is_entry(const struct callstack_exit *from, const struct site *to)
{
	if (from->home == to->home)
		return false;
	if (to->named || from->whole == to->whole)
		return to->entry;
	return from->whole || (to->loose && to->entry);
}

/* ---- what an open stack cannot do ---------------------------------------- */

/*
 * What is known of the root after a jump: whether it is a stub, and how many tail calls
 * led to it.
 */
static void know_root(struct callstack *stack, const struct callstack_step *step)
{
	bool entry = callstack_is_entry(&step->from, step->to);
	uint8_t tails = entry ? stack->root.tails : 0;

	if (entry && stack->solid && !step->to->stub && tails < CALLSTACK_TAILS)
		tails++;
	stack->root.tails = tails;
	if (entry || (step->from.leave & SITE_STUB))
		stack->solid = true;
	if (step->to->stub)
		stack->solid = false;
}

void callstack_report(struct callstack *stack, const struct callstack_step *step)
{
	const uint16_t moved = SITE_CALL | SITE_RETURN | SITE_HANDLER | SITE_RESUMED |
			       SITE_FIRST | SITE_GAP | SITE_SWITCHES;

	callstack_spend(stack, step->insn);
	stack->sink->unknown(stack->cookie, step, stack->frames, stack->depth);
	if (step->how == CALLSTACK_ARRIVE && !(step->from.leave & moved)) {
		know_root(stack, step);
	} else {
		stack->root.tails = step->how == CALLSTACK_CUT ? CALLSTACK_TAILS - 1 : 0;
		stack->solid = false;
	}
	/* The next root is a frame of the stack before; which one is not known here. */
	stack->root.entered = false;
	stack->root.whole = step->to ? body_of(stack, step->to->whole) : 0;
	stack->depth = stack->deepest = 0;
}

void callstack_report_arrival(struct callstack *stack, const struct callstack_exit *from,
			      const struct site *to, uint64_t insn)
{
	callstack_report(stack, &(struct callstack_step){
					.how = CALLSTACK_ARRIVE,
					.left = from->leave & SITE_FIRST,
					.from = *from,
					.to = to,
					.insn = insn,
				});
}

/* ---- steps --------------------------------------------------------------- */

static void call(struct callstack *stack, const struct callstack_exit *from,
		 const struct site *to, uint64_t insn, enum frame_kind kind)
{
	struct callstack_frame *top = callstack_top(stack);

	/*
	 * A longjmp() or an exception that returns to this frame arrives in this
	 * function.
	 */
	top->where = from->home;
	if (!stack->depth)
		top->entered = true; /* of the root: `where` is valid */
	callstack_enter(stack, to, insn,
			&(struct callstack_frame){
				.kind = kind,
				.ret = kind == FRAME_CALL ? from->end : 0,
				.entered = true,
			},
			top->entity);
}

/*
 * A handler has returned to the code that returns from the signal. If it arrives in the
 * handler's own code, the return is no more than a jump. The handler's frame stays as a
 * stub, so that resume() finds what was interrupted.
 */
static void end_handler(struct callstack *stack, const struct site *to, uint64_t insn,
			uint32_t base)
{
	struct callstack_frame *handler;

	if (find_in_chain(stack, to) >= 0)
		return;
	callstack_unwind(stack, base + 1, insn);
	handler = callstack_top(stack);
	if (handler->stub)
		return;
	callstack_spend(stack, insn);
	stack->sink->leave(stack->cookie, handler, insn);
	handler->stub = true;
	handler->whole = body_of(stack, to->whole);
	callstack_stand_for(handler, base ? handler - 1 : &stack->root);
}

static void return_to(struct callstack *stack, const struct callstack_exit *from,
		      const struct site *to, uint64_t insn)
{
	int64_t base = callstack_base_of(stack, (int64_t)stack->depth - 1);

	if (base < 0 && stack->open)
		callstack_report_arrival(stack, from, to, insn);
	else if (base >= 0 && stack->frames[base].ret == to->start)
		callstack_unwind(stack, (uint32_t)base, insn);
	else if (from->leave & SITE_REPLACES)
		callstack_replace(stack, from, to, insn);
	/* A safepoint's blob was entered by a signal's handler, and returns to the method. */
	else if ((to->inner || site_is_blob(callstack_top(stack)->role)) &&
		 find_in_chain(stack, to) >= 0)
		callstack_unwind(stack, (uint32_t)find_in_chain(stack, to) + 1, insn);
	else if (base >= 0 && stack->frames[base].kind == FRAME_SIGNAL)
		end_handler(stack, to, insn, (uint32_t)base);
	else if (base >= 0 && stack->frames[base].role == SITE_THAWS)
		callstack_return_thawed(stack, from, to, insn, (uint32_t)base);
	else if (to->inner && base >= 0)
		callstack_fall_back(stack, from, to, insn, (uint32_t)base);
	else
		callstack_return_far(stack, from, to, insn, base < 0 ? 0 : base);
}

/*
 * A stub has jumped to the function that it stands for: its frame becomes that of the
 * function.
 */
static void resolve(struct callstack *stack, const struct site *to, uint64_t insn)
{
	struct callstack_frame below, *top;
	uint32_t caller;

	callstack_unwind(stack, callstack_solid_depth(stack), insn);
	callstack_spend(stack, insn);
	top = callstack_top(stack);
	below = stack->depth > 1 ? top[-1] : stack->root;
	caller = top->entity;
	top->stub = false;
	top->role = to->role;
	top->entity = to->entity;
	top->whole = body_of(stack, to->whole);
	top->insn = insn;
	stack->sink->enter(stack->cookie, top, &below, caller);
}

/*
 * Whether the frame that `depth` is behind gives way to `to`: a piece of a runtime that goes on in
 * another one. And a loop of tail calls must not grow the stack without end.
 */
static bool gives_way(const struct callstack *stack, uint32_t depth,
		      const struct site *to)
{
	const struct callstack_frame *top = depth ? &stack->frames[depth - 1] :
						    &stack->root;
	/* Then the chain's return address is in another frame. */
	bool is_chained = top->kind == FRAME_TAIL || top->kind == FRAME_JUMP;

	return top->tails == CALLSTACK_TAILS ||
	       (depth && is_chained && top->role == SITE_PIECE && to->role == SITE_PIECE);
}

/*
 * Pushes a frame onto the topmost chain: FRAME_TAIL when the function is entered at its
 * beginning, FRAME_JUMP when control arrives inside it.
 */
static void chain_up(struct callstack *stack, const struct site *to, uint64_t insn,
		     enum frame_kind kind)
{
	uint32_t caller = callstack_top(stack)->entity;
	uint32_t solid = callstack_solid_depth(stack);
	uint8_t tails = (solid ? &stack->frames[solid - 1] : &stack->root)->tails;

	/* The last one is replaced. */
	if (gives_way(stack, solid, to)) {
		callstack_unwind(stack, solid, insn);
		if (solid)
			callstack_unwind(stack, solid - 1, insn);
		else
			callstack_report(stack,
					 &(struct callstack_step){ .how = CALLSTACK_CUT,
								   .insn = insn });
		tails--;
	}
	callstack_enter(stack, to, insn,
			&(struct callstack_frame){ .kind = kind,
						   .tails = tails + 1,
						   .entered = kind == FRAME_TAIL },
			caller);
}

void callstack_land(struct callstack *stack, const struct callstack_exit *from,
		    const struct site *to, uint64_t insn)
{
	struct site inside = *to;
	int64_t index = find_in_chain(stack, to);
	bool to_root = callstack_base_of(stack, (int64_t)stack->depth - 1) < 0;

	if (index < 0 && to_root && stack->open &&
	    (!stack->depth || stack->root.whole != body_of(stack, to->whole))) {
		callstack_report_arrival(stack, from, to, insn);
		return;
	}
	if (index >= 0 || (to_root && stack->open)) {
		callstack_unwind(stack, (uint32_t)(index + 1), insn);
		return;
	}
	if (!to->named)
		inside.entity = to->whole;
	chain_up(stack, &inside, insn, FRAME_JUMP);
}

/* The topmost frame is not of the code that runs: makes it so. */
static void settle(struct callstack *stack, const struct site *to, uint64_t insn)
{
	/* The end says where: callstack_place(). */
	const struct callstack_exit inside = { .home = to->home, .end = stack->last.end };
	uint32_t body = body_of(stack, to->whole);

	if (!stack->depth && !stack->open) {
		callstack_originate(stack, to, insn, false);
		return;
	}
	if (body_of(stack, callstack_top(stack)->whole) == body) {
		/* Only what is inlined there differs. */
	} else if (stands_on_stub(stack)) {
		callstack_unwind(stack, callstack_solid_depth(stack), insn);
		callstack_spend(stack, insn);
		callstack_top(stack)->whole = body;
	} else {
		callstack_land(stack, &inside, to, insn);
	}
	callstack_inline(stack, to, insn);
}

/*
 * Whether a jump leads into the middle of a function that is not in the topmost chain. What
 * settle() leaves to the stack before is no jump: then both homes are the same.
 */
static bool runs_on_another(struct callstack *stack, const struct callstack_exit *from,
			    const struct site *to)
{
	uint32_t body = body_of(stack, to->whole);

	return from->home != to->home && to->returned && !to->inner &&
	       body_of(stack, callstack_top(stack)->whole) != body &&
	       find_in_chain(stack, to) < 0;
}

/*
 * A jump, or the next instruction in sequence. Only an entry of a function, or a stub
 * that leads out of stubs, changes frames.
 */
static void jump(struct callstack *stack, const struct callstack_exit *from,
		 const struct site *to, uint64_t insn)
{
	bool entry = callstack_is_entry(from, to), stub = stands_on_stub(stack);
	bool resolved = (from->leave & SITE_STUB) && !to->stub;

	if (!entry && !resolved) {
		if (runs_on_another(stack, from, to) &&
		    !callstack_go_on_elsewhere(stack, from, to, insn, stack->depth))
			callstack_return_again(stack, to, insn);
		return;
	}
	/* What was inlined into the root says nothing about it. */
	if (!callstack_solid_depth(stack) && stack->open &&
	    !(stack->solid && stack->root.tails == CALLSTACK_TAILS))
		callstack_report_arrival(stack, from, to, insn);
	else if (!stub && entry)
		chain_up(stack, to, insn, FRAME_TAIL);
	else if (stub && !to->stub)
		resolve(stack, to, insn);
}

/* A handler has returned to what it interrupted; `to` is NULL when that is not known. */
static void resume(struct callstack *stack, const struct callstack_exit *from,
		   const struct site *to, uint64_t insn)
{
	uint32_t depth = stack->depth;

	while (depth && stack->frames[depth - 1].kind != FRAME_SIGNAL)
		depth--;
	if (depth)
		callstack_unwind(stack, depth - 1, insn);
	else if (stack->open)
		callstack_report_arrival(stack, from, to, insn);
	else
		callstack_begin_anew(stack, to, insn);
}

/* ---- gaps ---------------------------------------------------------------- */

/*
 * Does what the last block before a gap asked for, as far as that is possible without
 * knowing where control went: a called function becomes a stub. False: only the stack
 * before knows.
 */
static bool enter_gap(struct callstack *stack, const struct callstack_exit *from,
		      uint64_t insn)
{
	static const struct site unrecorded = { .stub = true };
	int64_t base = callstack_base_of(stack, (int64_t)stack->depth - 1);

	if (from->leave & SITE_CALL) {
		call(stack, from, &unrecorded, insn, FRAME_CALL);
	} else if (from->leave & SITE_RETURN) {
		if (base < 0 && stack->open)
			return false;
		if (base >= 0 && stack->frames[base].kind != FRAME_SIGNAL)
			callstack_unwind(stack, (uint32_t)base, insn);
	} else if (from->leave & SITE_RESUMED) {
		uint32_t depth = stack->depth;

		while (depth && stack->frames[depth - 1].kind != FRAME_SIGNAL)
			depth--;
		if (!depth && stack->open)
			return false;
		callstack_unwind(stack, depth ? depth - 1 : 0, insn);
	}
	return true;
}

/* `to` may be NULL: a signal interrupts what is not recorded. */
static void leave_gap(struct callstack *stack, const struct callstack_exit *from,
		      const struct site *to, uint64_t insn)
{
	const struct callstack_exit beyond = { .leave = SITE_GAP };
	bool inside, first;
	int64_t base;

	if (!enter_gap(stack, from, insn)) {
		callstack_report_arrival(stack, from, to, insn);
		return;
	}
	if (!to || stack->error)
		return;
	inside = stands_on_stub(stack);
	base = callstack_find_return(stack, to, stack->depth);
	/*
	 * A return out of the gap's own call goes to the topmost chain's return address.
	 * Any other entry of a function is a call made by code in the gap.
	 */
	first = base >= 0 && base == callstack_base_of(stack, (int64_t)stack->depth - 1);
	if (inside && to->entry && !first) {
		call(stack, &beyond, to, insn, FRAME_CALL);
	} else if (base >= 0) {
		callstack_unwind(stack, (uint32_t)base, insn);
	} else if (stack->open) {
		callstack_report_arrival(stack,
					 &(struct callstack_exit){ .leave = beyond.leave,
								   .end = from->end },
					 to, insn);
	} else if (!callstack_bring_back(stack, to, insn)) {
		callstack_begin_anew(stack, to, insn);
	}
}

/*
 * Whether the change to another stack goes on. AArch64's setcontext() jumps to where swapcontext()
 * has its return, and that returns to what called it on the other stack.
 */
static bool still_switches(const struct site *to)
{
	return to->switches && !to->entry && !to->returned;
}

/*
 * Whether a return goes on to another function: that of i386's resolver in the dynamic linker,
 * to the function that it found, and that of a retpoline.
 */
static bool goes_on_to(const struct callstack_exit *from, const struct site *to)
{
	return to->entry && ((from->leave & SITE_STUB) ||
			     ((from->leave & SITE_SHARED) && !to->returned));
}

static void move(struct callstack *stack, const struct callstack_exit *from,
		 const struct site *to, uint64_t insn)
{
	uint16_t leave = from->leave;

	if (leave & SITE_FIRST) {
		if (stack->open)
			callstack_report_arrival(stack, from, to, insn);
		else if (to)
			callstack_originate(stack, to, insn, to->entry);
	} else if (leave & SITE_GAP) {
		leave_gap(stack, from, to, insn);
	} else if (leave & SITE_HANDLER) {
		call(stack, from, to, insn, FRAME_SIGNAL);
	} else if (to && to->unmounts) {
		callstack_unmount(stack, from, to, insn);
	} else if (leave & SITE_SWITCHES) {
		if (!still_switches(to))
			callstack_change_stack(stack, from, to, insn);
	} else if ((leave & SITE_RETURN) && !goes_on_to(from, to)) {
		return_to(stack, from, to, insn);
	} else if (leave & SITE_RESUMED) {
		resume(stack, from, to, insn);
	} else if (leave & SITE_THROWS) {
		callstack_throw(stack, from, to, insn);
	} else if (leave & SITE_CATCHES) {
		if (callstack_catch(stack, from, to, insn))
			jump(stack, from, to, insn);
	} else {
		jump(stack, from, to, insn);
	}
}

/* How control leaves where the block's own end does not say so. */
enum { LEAVES_OTHERWISE = SITE_FIRST | SITE_GAP | SITE_HANDLER };

/* Whether control went on behind an instruction that is not always a call or a return. */
static bool passes(const struct callstack_exit *from, const struct site *to)
{
	return (from->leave & SITE_MAY_PASS) && !(from->leave & LEAVES_OTHERWISE) &&
	       from->end == to->start && from->home == to->home;
}

void callstack_arrive(struct callstack *stack, const struct callstack_exit *from,
		      const struct site *to, uint64_t insn)
{
	/* Most changes of function are plain calls, which need no further checks. */
	struct callstack_exit passed;

	if (to && passes(from, to)) {
		passed = *from;
		passed.leave = 0;
		from = &passed;
	}
	if ((from->leave & (LEAVES_OTHERWISE | SITE_CALL)) == SITE_CALL) {
		call(stack, from, to, insn, FRAME_CALL);
		if (to->inlined)
			callstack_inline(stack, to, insn);
		return;
	}
	move(stack, from, to, insn);
	if (to && callstack_top(stack)->whole != to->whole && !stack->error)
		settle(stack, to, insn);
}
