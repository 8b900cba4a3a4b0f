/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The frames of methods that an interpreter runs, for the stack of calls: when each begins and
 * ends. They depend on that stack, since what the interpreter's native frame leaves takes its
 * methods along. So each thread is followed once, with the bytecodes that it fetched, and what
 * its methods do is kept for whoever follows the thread afterwards, without bytecodes.
 */
#ifndef ANALYSIS_CALLS_INTERPRETED_H
#define ANALYSIS_CALLS_INTERPRETED_H

#include "analysis/calls/callstack.h"
#include "analysis/selection.h"
#include "base/buf.h"
#include "managed/methods.h"
#include "managed/walk.h"

struct interpreted {
	struct units units;
	struct methods methods;
	uint32_t *entities;  /* [methods.n] by number of a method; 0: none ran */
	struct buf *changes; /* [n_streams] of the trace, by index */
	unsigned n_streams;
};

/*
 * Reads what methods there are; *interpreted is NULL for a trace without any. Errors are those
 * of units_read(); WM_E_NOMEM. The caller frees it with interpreted_free().
 */
int interpreted_new(struct interpreted **interpreted, const struct wm_trace *trace,
		    struct wm_error *err);
void interpreted_free(struct interpreted *interpreted);

/* ---- what was kept ------------------------------------------------------- */

/* What methods of a thread do, in order. */
struct method_changes {
	const struct interpreted *interpreted; /* NULL: nothing is kept */
	struct span span;
	uint64_t insn;	 /* of the next one: the ordinal of an instruction; UINT64_MAX */
	uint64_t change; /* it */
};

/* Those of a thread from instruction `from` on. */
struct method_changes method_changes_of(const struct interpreted *interpreted,
					unsigned stream, uint64_t from);
/* The method that the next one enters; 0: it leaves one. */
static inline uint32_t method_changes_method(const struct method_changes *changes)
{
	return (uint32_t)(changes->change / 2);
}
/* Passes over the next one. */
void method_changes_pass(struct method_changes *changes);
/* Does the next one, which is of the block that the stack was last at. */
void method_changes_do(struct method_changes *changes, struct callstack *stack);

/* ---- the first time ------------------------------------------------------ */

struct method_frames;

/*
 * For stream `stream` from instruction `from` on. Entities of methods are their numbers here.
 * With `bytecodes` they are counted, too. WM_E_NOMEM.
 */
struct bytecodes;
int method_frames_new(struct method_frames **frames,
		      const struct interpreted *interpreted, const struct wm_trace *trace,
		      unsigned stream, uint64_t from, struct bytecodes *bytecodes,
		      struct wm_error *err);
/*
 * With `bytecodes`, before the first run: gaps are connected where there is one way. What is kept
 * is then of no use for others. Errors of walk_recover().
 */
int method_frames_recover(struct method_frames *frames, const struct wm_trace *trace,
			  struct wm_error *err);
/* A gap comes next. True: the stack must begin anew, for the frames recover. */
bool method_frames_gap(struct method_frames *frames, const struct callstack *stack,
		       uint64_t insn);
/* Keeps what was found, unless memory has run out. */
int method_frames_end(struct method_frames *frames, struct wm_error *err);
/* Reads the bytecodes of a run that a cursor just returned. Errors of walk_pass(). */
int method_frames_run(struct method_frames *frames, struct wm_cursor *cursor,
		      const uint32_t *ids, size_t n, const struct wm_step *step,
		      struct wm_error *err);
/* The instruction of the run's next bytecode; UINT64_MAX: no more. */
uint64_t method_frames_next(const struct method_frames *frames);
/* Takes it: the stack is at the block that it is in. */
void method_frames_do(struct method_frames *frames, struct callstack *stack);
/* The frame, of a method or not, has left the stack, and will not be there again. */
void method_frames_left(struct method_frames *frames,
			const struct callstack_frame *frame);

#endif
