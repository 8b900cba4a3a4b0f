// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What several states that follow a stack of calls write in the same way. Each get mirrors its
 * put.
 *
 * A place in code is written as the index of its row plus 1: rows are made anew by whoever
 * reads the bytes, and are the same for the same trace.
 */
#include "analysis/calls/callbytes.h"

#include "analysis/statebytes.h"

uint32_t callbytes_get_u32(struct span *in)
{
	return (uint32_t)state_below(in, UINT32_MAX);
}

/* The sum and the difference wrap. */
void callbytes_put_or_none(struct buf *out, uint32_t value)
{
	buf_put_varint(out, (uint32_t)(value + 1));
}

uint32_t callbytes_get_or_none(struct span *in)
{
	return callbytes_get_u32(in) - 1;
}

/* What code is, see struct site: an entity, or a strand. */
static uint32_t get_whole(const struct callbytes *of, struct span *in, bool stub)
{
	uint32_t whole = callbytes_get_u32(in);

	if (whole > of->n_entities && (stub || !strands_get(of->strands, whole)))
		in->failed = true;
	return in->failed ? 0 : whole;
}

static void put_exit(const struct callstack_exit *from, struct buf *out)
{
	buf_put_varint(out, from->leave);
	callbytes_put_or_none(out, from->home);
	buf_put_varint(out, from->end);
	buf_put_varint(out, from->whole);
}

static void get_exit(struct span *in, struct callstack_exit *to)
{
	to->leave = (uint16_t)state_below(in, UINT16_MAX);
	to->home = callbytes_get_or_none(in);
	to->end = callbytes_get_u32(in);
	to->whole = callbytes_get_u32(in);
}

/* ---- steps --------------------------------------------------------------- */

/* 0 in place of a row means that control has not arrived. */
void callbytes_put_step(const struct callstack_step *step, const struct site *rows,
			struct buf *out)
{
	buf_put_varint(out, step->how);
	buf_put_varint(out, step->left);
	put_exit(&step->from, out);
	buf_put_varint(out, step->to ? (uint64_t)(step->to - rows) + 1 : 0);
	buf_put_varint(out, step->insn);
}

/*
 * Whether a step may have no block where control arrives: a signal may come first, out of
 * a gap or after a handler.
 */
static bool may_be_nowhere(const struct callstack_step *step)
{
	uint16_t leave = step->from.leave;

	if (step->how != CALLSTACK_ARRIVE)
		return true;
	if (step->left || (leave & SITE_FIRST))
		return false;
	return (leave & SITE_GAP) || (leave & (SITE_RESUMED | SITE_HANDLER | SITE_RETURN |
					       SITE_CALL)) == SITE_RESUMED;
}

void callbytes_get_step(const struct callbytes *of, struct span *in,
			struct callstack_step *step)
{
	uint32_t row;

	step->how = (enum callstack_how)state_below(in, CALLSTACK_CUT);
	step->left = state_bool(in);
	get_exit(in, &step->from);
	in->failed |= step->from.whole > of->n_entities &&
		      !strands_get(of->strands, step->from.whole);
	row = (uint32_t)state_below(in, (uint64_t)of->n_rows + 1);
	step->insn = span_varint(in);
	step->to = row ? &of->rows[row - 1] : NULL;
	/* A row of a block that did not run is all zeros. */
	in->failed |= step->to ? !step->to->start : !may_be_nowhere(step);
}

/* ---- frames -------------------------------------------------------------- */

/*
 * Bits 0 to 2 of the first byte are the kind, 3 to 5 the role, bit 6 is stub, bit 7 entered. Bit 7
 * of the second is hidden, the others are tails.
 */
void callbytes_put_frame(const struct callstack_frame *frame, struct buf *out)
{
	buf_put_u8(out, (uint8_t)(frame->kind | frame->role << 3 | frame->stub << 6 |
				  frame->entered << 7));
	buf_put_u8(out, (uint8_t)(frame->tails | frame->hidden << 7));
	buf_put_varint(out, frame->insn);
	buf_put_varint(out, frame->ret);
	callbytes_put_or_none(out, frame->where);
	buf_put_varint(out, frame->whole);
}

void callbytes_get_frame(const struct callbytes *of, struct span *in,
			 struct callstack_frame *frame)
{
	uint8_t flags = span_u8(in), tails = span_u8(in);

	*frame = (struct callstack_frame){
		.kind = flags & 7,
		.role = flags >> 3 & 7,
		.stub = flags >> 6 & 1,
		.entered = flags >> 7,
		.tails = tails & 127,
		.hidden = tails >> 7,
	};
	frame->insn = span_varint(in);
	frame->ret = callbytes_get_u32(in);
	frame->where = callbytes_get_or_none(in);
	frame->whole = get_whole(of, in, frame->stub);
	/* A walk never has more tail calls in a row. */
	in->failed |= frame->kind > FRAME_INLINE || frame->tails > CALLSTACK_TAILS;
}

void callbytes_put_stack(const struct callstack *stack, struct buf *out)
{
	const struct callstack_frame *root = &stack->root;

	buf_put_varint(out, root->entered);
	callbytes_put_or_none(out, root->where);
	buf_put_varint(out, root->tails);
	buf_put_varint(out, root->whole);
	buf_put_varint(out, stack->solid);
	put_exit(&stack->last, out);
	buf_put_varint(out, stack->deepest);
}

void callbytes_get_stack(const struct callbytes *of, struct span *in,
			 struct callstack *stack)
{
	stack->root.entered = state_bool(in);
	stack->root.where = callbytes_get_or_none(in);
	stack->root.tails = (uint8_t)state_below(in, CALLSTACK_TAILS);
	stack->root.whole = get_whole(of, in, false);
	stack->solid = state_bool(in);
	get_exit(in, &stack->last);
	stack->deepest = (uint32_t)state_below(in, CALLSTACK_DEPTH);
}
