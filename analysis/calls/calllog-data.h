/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What calllog.c and calljoin.c share. */
#ifndef ANALYSIS_CALLS_CALLLOG_DATA_H
#define ANALYSIS_CALLS_CALLLOG_DATA_H

#include "analysis/calls/calllog.h"
#include "analysis/calls/callstack-data.h"

/* Bits of frame->edge: the log does not have it; nothing inside it is wanted. */
enum { CALLLOG_HIDDEN = 1, CALLLOG_OFF = 2 };

/* Sets what the frame has of the sink's: it stands on `below`, its level is known. */
void calllog_judge(const struct calllog *log, struct callstack_frame *frame,
		   const struct callstack_frame *below);
/* The begin of a call, if it is not hidden, and the end of one that the log has. */
void calllog_enter(struct calllog *log, const struct callstack_frame *frame);
void calllog_leave(struct calllog *log, uint64_t insn);
/* Whether a frame of the stack may be one that the part before has. */
bool calllog_is_dubious(const struct calllog *log, const struct callstack_frame *frame);
/* Adds a call that has ended to the longest, if it may be one of them. */
void calllog_add_span(struct calllog *log, const struct callspan *span);
/* Pushes a frame that another part had. */
void calllog_push(struct calllog *log, const struct callstack_frame *frame);
/* Frames as unknown steps have them, for the caller to free; n UINT32_MAX: no memory. */
struct callstack_frame *calllog_get_frames(const struct calllog *log, struct span *in,
					   uint32_t *n);
int calllog_malformed(struct wm_error *err);

#endif
