// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Which frames of methods there are follows from the bytecodes, one after the other, and from
 * the native stack below them:
 *
 * - A bytecode that begins a frame, or with which one goes on, enters it.
 * - A bytecode behind one that leaves its frame is of the frame below.
 * - A bytecode of another method than the one on top, without either, is where something was
 *   caught: frames are left up to that method. Of a method that is there several times, as in
 *   recursion, it is the frame that runs something which that handler is for.
 * - Where the interpreter's native frame has ended, its methods have (callstack.h). So a call
 *   of the interpreter by native code that fails, and is not told to any method, needs no
 *   rule.
 *
 * Example, of fib(1) called by module code, at the bottom the interpreter's function:
 *
 *	<module>+20 CALL	interpreter, <module>
 *	fib+0 RESUME		interpreter, <module>, fib	a frame begins: +fib
 *	fib+14 RETURN_VALUE
 *	<module>+28 POP_TOP	interpreter, <module>		behind a return: -
 *
 * What is kept of it are bytes: for each change the distance of its instruction from the last
 * one's, and 0 for a frame that is left, or else twice the method's number and whether its
 * beginning runs. While the thread is followed, the frame on top has the offset of its last
 * bytecode plus 1 in `ret`, which no other frame of a chain needs.
 */
#include "analysis/calls/interpreted.h"

#include <stdlib.h>

#include "analysis/calls/lost_frames.h"
#include "analysis/methods/bytecodes.h"
#include "base/append.h"
#include "base/error.h"

enum { LEAVE = 0 };

int interpreted_new(struct interpreted **out, const struct wm_trace *trace,
		    struct wm_error *err)
{
	struct interpreted *interpreted = calloc(1, sizeof(*interpreted));
	struct wm_summary summary;
	int ret;

	*out = NULL;
	if (!interpreted)
		return wm_fail_nomem(err, "methods");
	ret = units_read(&interpreted->units, trace, err);
	if (!ret && interpreted->units.n) {
		wm_trace_summary(trace, &summary);
		ret = methods_init(&interpreted->methods, &interpreted->units, err);
		interpreted->n_streams = summary.streams;
		interpreted->changes =
			calloc(summary.streams + 1ul, sizeof(*interpreted->changes));
		interpreted->entities = calloc(interpreted->methods.n + 1ul,
					       sizeof(*interpreted->entities));
		if (!ret && (!interpreted->changes || !interpreted->entities))
			ret = wm_fail_nomem(err, "methods");
		*out = interpreted;
	}
	if (!ret && *out)
		return 0;
	interpreted_free(interpreted);
	*out = NULL;
	return ret;
}

void interpreted_free(struct interpreted *interpreted)
{
	if (!interpreted)
		return;
	for (unsigned i = 0; interpreted->changes && i < interpreted->n_streams; i++)
		buf_fini(&interpreted->changes[i]);
	free(interpreted->changes);
	free(interpreted->entities);
	methods_fini(&interpreted->methods);
	units_fini(&interpreted->units);
	free(interpreted);
}

/* ---- what was kept ------------------------------------------------------- */

void method_changes_pass(struct method_changes *changes)
{
	if (span_left(&changes->span)) {
		changes->insn += span_varint(&changes->span);
		changes->change = span_varint(&changes->span);
	} else {
		changes->insn = UINT64_MAX;
	}
}

struct method_changes method_changes_of(const struct interpreted *interpreted,
					unsigned stream, uint64_t from)
{
	struct method_changes changes = { .insn = UINT64_MAX };
	const struct buf *kept;

	if (!interpreted || stream >= interpreted->n_streams)
		return changes;
	kept = &interpreted->changes[stream];
	changes = (struct method_changes){ interpreted, span_of(kept->data, kept->len), 0,
					   0 };
	do
		method_changes_pass(&changes);
	while (changes.insn < from);
	return changes;
}

void method_changes_do(struct method_changes *changes, struct callstack *stack)
{
	if (changes->change == LEAVE)
		callstack_leave_method(stack, changes->insn);
	else
		callstack_enter_method(
			stack,
			changes->interpreted->entities[method_changes_method(changes)],
			changes->insn, changes->change & 1);
	method_changes_pass(changes);
}

/* ---- the first time ------------------------------------------------------ */

struct method_frames {
	const struct interpreted *interpreted;
	struct bytecodes *bytecodes; /* to count them; NULL */
	bool recovers;
	struct lost_frames lost; /* of those that recover */
	unsigned stream;
	struct walk *walk;
	struct walk_step *steps; /* [n] of the run */
	size_t n, next;
	struct buf out;
	uint64_t from, insn; /* of the last change */
};

/* Bytecodes of compiled code, and calls of methods; others are counted when their frame is known. */
static void count(struct method_frames *frames, const struct walk_step *step)
{
	const struct methods *methods = &frames->interpreted->methods;

	if (step->entered && !step->recovered)
		bytecodes_called(frames->bytecodes,
				 methods_number(methods, step->called ? step->called :
									step->unit));
	if (step->row && step->executed)
		bytecodes_compiled(frames->bytecodes, methods_number(methods, step->unit),
				   step);
}

static int take(void *cookie, const struct walk_step *step, struct wm_error *err)
{
	struct method_frames *frames = cookie;
	struct tallies *tallies = frames->bytecodes ? frames->bytecodes->tallies : NULL;
	int ret = tallies ? tallies_take(tallies, step, err) : 0;

	if (ret)
		return ret;
	if (!step->unit && frames->bytecodes)
		bytecodes_lost(frames->bytecodes, step->insn);
	if (!step->unit && !frames->recovers)
		return 0;
	if (step->insn < frames->from)
		return 0;
	if (frames->bytecodes)
		count(frames, step);
	/* Compiled code has frames of its own. */
	if (step->row)
		return 0;
	return APPEND(frames->steps, frames->n, *step) ? 0 :
							 wm_fail_nomem(err, "methods");
}

int method_frames_new(struct method_frames **out, const struct interpreted *interpreted,
		      const struct wm_trace *trace, unsigned stream, uint64_t from,
		      struct bytecodes *bytecodes, struct wm_error *err)
{
	struct method_frames *frames = calloc(1, sizeof(*frames));

	*out = frames;
	if (!frames)
		return wm_fail_nomem(err, "methods");
	frames->interpreted = interpreted;
	frames->stream = stream;
	frames->from = from;
	frames->bytecodes = bytecodes;
	frames->lost = (struct lost_frames){ .methods = &interpreted->methods,
					     .bytecodes = bytecodes,
					     .unseen = BYTECODE_ENTRY };
	return walk_new(&frames->walk, &interpreted->units, trace, stream, take, frames,
			err);
}

int method_frames_recover(struct method_frames *frames, const struct wm_trace *trace,
			  struct wm_error *err)
{
	frames->recovers = true;
	/* What ran before is not there. */
	if (frames->from || wm_trace_meta(trace, "last"))
		frames->lost.unseen = BYTECODE_UNKNOWN;
	return walk_recover(frames->walk, frames->stream, err);
}

bool method_frames_gap(struct method_frames *frames, const struct callstack *stack,
		       uint64_t insn)
{
	if (!frames->recovers)
		return false;
	lost_frames_take(&frames->lost, stack);
	bytecodes_lost(frames->bytecodes, insn);
	return true;
}

/* The thread has ended with no bytecode behind a gap. */
static int end_gap(struct method_frames *frames, struct wm_error *err)
{
	int ret;

	frames->n = frames->next = 0;
	ret = walk_end(frames->walk, err);
	while (!ret && frames->next < frames->n)
		lost_frames_gap(&frames->lost, &frames->steps[frames->next++]);
	return ret;
}

int method_frames_end(struct method_frames *frames, struct wm_error *err)
{
	bool failed;

	if (!frames)
		return 0;
	failed = frames->recovers && end_gap(frames, err);
	failed |= frames->out.failed;
	frames->interpreted->changes[frames->stream] = frames->out;
	walk_free(frames->walk);
	lost_frames_fini(&frames->lost);
	free(frames->steps);
	free(frames);
	return failed ? wm_fail_nomem(err, "methods") : 0;
}

int method_frames_run(struct method_frames *frames, struct wm_cursor *cursor,
		      const uint32_t *ids, size_t n, const struct wm_step *step,
		      struct wm_error *err)
{
	struct tallies *tallies = frames->bytecodes ? frames->bytecodes->tallies : NULL;
	int ret;

	frames->n = frames->next = 0;
	ret = walk_pass(frames->walk, cursor, ids, n, step, err);
	return ret || !tallies ? ret :
				 tallies_pass(tallies, walk_settled(frames->walk), ids, n,
					      step, err);
}

uint64_t method_frames_next(const struct method_frames *frames)
{
	return frames->next < frames->n ? frames->steps[frames->next].insn : UINT64_MAX;
}

static void keep(struct method_frames *frames, uint64_t insn, uint64_t change)
{
	buf_put_varint(&frames->out, insn - frames->insn);
	buf_put_varint(&frames->out, change);
	frames->insn = insn;
}

static void enter(struct method_frames *frames, struct callstack *stack, uint32_t method,
		  const struct walk_step *step, bool entered)
{
	keep(frames, step->insn, 2 * (uint64_t)method + entered);
	callstack_enter_method(stack, method, step->insn, entered);
}

static void leave(struct method_frames *frames, struct callstack *stack, uint64_t insn)
{
	keep(frames, insn, LEAVE);
	callstack_leave_method(stack, insn);
}

static const struct unit *unit_of(const struct method_frames *frames,
				  const struct callstack_frame *frame)
{
	return frames->interpreted->methods.all[frame->entity];
}

/* The offset of a frame's last bytecode. */
static uint32_t offset_of(const struct callstack_frame *frame)
{
	return frame->ret - 1;
}

/*
 * How many frames are left for the bytecode to be of the method on top; none of its own is
 * there: UINT32_MAX. Only frames of the same native one are looked at.
 */
static uint32_t depth_of(const struct method_frames *frames,
			 const struct callstack *stack, uint32_t method,
			 const struct walk_step *step)
{
	uint32_t nearest = UINT32_MAX;

	for (uint32_t i = 0; i < stack->depth; i++) {
		const struct callstack_frame *frame =
			&stack->frames[stack->depth - 1 - i];

		if (frame->kind != FRAME_METHOD)
			break;
		if (frame->entity != method)
			continue;
		if (unit_catches(unit_of(frames, frame), offset_of(frame), step->offset))
			return i;
		if (nearest == UINT32_MAX)
			nearest = i;
	}
	return nearest;
}

/*
 * The bytecode goes on with a frame that is there, or that nobody has seen begin. Returns the
 * offset of the frame's last one.
 */
static uint32_t go_on(struct method_frames *frames, struct callstack *stack,
		      uint32_t method, const struct walk_step *step)
{
	const struct callstack_frame *top = callstack_top(stack);
	uint32_t left = 0;

	if (top->kind != FRAME_METHOD || top->entity != method ||
	    unit_is_catcher(step->unit, step->offset))
		left = depth_of(frames, stack, method, step);
	if (left == UINT32_MAX) {
		enter(frames, stack, method, step, false);
		return lost_frames_go_on(&frames->lost, method, step);
	}
	while (left--)
		leave(frames, stack, step->insn);
	return offset_of(callstack_top(stack));
}

/* A bytecode that was recorded. */
static void do_step(struct method_frames *frames, struct callstack *stack,
		    const struct walk_step *step, uint32_t method)
{
	const struct callstack_frame *top = callstack_top(stack);
	uint32_t from = BYTECODE_ENTRY;

	if (top->kind == FRAME_METHOD && !step->inferred &&
	    unit_leaves(unit_of(frames, top), offset_of(top)))
		leave(frames, stack, step->insn);
	/* Of a frame that began right behind a gap the first bytecode may not be known. */
	if (step->way == FRAMES_CALL && step->offset)
		from = frames->lost.unseen;
	if (step->way == FRAMES_CALL || unit_enters(step->unit, step->offset))
		enter(frames, stack, method, step, !step->offset);
	else
		from = go_on(frames, stack, method, step);
	if (stack->error)
		return;
	callstack_top(stack)->ret = step->offset + 1;
	if (frames->bytecodes)
		bytecodes_step(frames->bytecodes, method, from, step,
			       frames->lost.crossing);
	frames->lost.crossing = false;
}

/* What it executed last may not be what leaves a frame: something was thrown, or native code ended. */
void method_frames_left(struct method_frames *frames, const struct callstack_frame *frame)
{
	if (frame->kind == FRAME_METHOD && frame->ret && frames->bytecodes &&
	    !unit_leaves(unit_of(frames, frame), offset_of(frame)))
		bytecodes_edge(frames->bytecodes, frame->entity, offset_of(frame),
			       BYTECODE_EXIT, false);
}

void method_frames_do(struct method_frames *frames, struct callstack *stack)
{
	const struct walk_step *step = &frames->steps[frames->next++];

	if (stack->error)
		return;
	if (!step->unit)
		lost_frames_gap(&frames->lost, step);
	else if (step->recovered)
		lost_frames_step(&frames->lost, step);
	else
		do_step(frames, stack, step,
			methods_number(&frames->interpreted->methods, step->unit));
}
