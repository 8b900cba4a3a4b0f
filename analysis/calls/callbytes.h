/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Frames and steps of a stack of calls as bytes, for states of analyses that follow one. Bytes
 * may be hostile: every get checks what selects memory, and marks `in` as failed.
 */
#ifndef ANALYSIS_CALLS_CALLBYTES_H
#define ANALYSIS_CALLS_CALLBYTES_H

#include "analysis/calls/callstack.h"
#include "base/buf.h"

/* What numbers in the bytes refer to. */
struct callbytes {
	const struct site *rows; /* of the stack's space, rows[n_rows] the last */
	uint32_t n_rows;
	uint32_t n_entities;
	const struct strands *strands; /* NULL: none */
};

uint32_t callbytes_get_u32(struct span *in);
/* UINT32_MAX, which means none, takes one byte. */
void callbytes_put_or_none(struct buf *out, uint32_t value);
uint32_t callbytes_get_or_none(struct span *in);

void callbytes_put_step(const struct callstack_step *step, const struct site *rows,
			struct buf *out);
void callbytes_get_step(const struct callbytes *of, struct span *in,
			struct callstack_step *step);

/* A frame without its entity and what is the sink's. */
void callbytes_put_frame(const struct callstack_frame *frame, struct buf *out);
void callbytes_get_frame(const struct callbytes *of, struct span *in,
			 struct callstack_frame *frame);

/* What a stack has besides frames: the root, how control left it last, and its depth. */
void callbytes_put_stack(const struct callstack *stack, struct buf *out);
void callbytes_get_stack(const struct callbytes *of, struct span *in,
			 struct callstack *stack);

#endif
