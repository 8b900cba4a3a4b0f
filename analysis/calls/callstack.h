/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The stack of calls of a thread, followed from block to block.
 *
 * Only addresses are known, no stack pointer. A call pushes a frame with the address
 * after it. A return pops the frame that has this address. When that is not the topmost
 * frame, the frames above it are left at once, as by longjmp() or an exception. A return
 * to no such address unwinds to the nearest frame that was last seen in the function
 * where control arrives: that is where setjmp() or the handler of the exception is.
 * Without such a frame the stack is useless and begins anew.
 *
 * A jump to the beginning of another function is a tail call: it nests like a call, and
 * ends with the frame that it replaces. Tail calls in a loop would never end: after
 * CALLSTACK_TAILS of them in a row, the next one replaces the last. In code without
 * symbols the beginnings of functions are not known: a jump there from another file's
 * code, or from a function with a symbol, is a tail call, too. Only code that is made at
 * run time jumps anywhere.
 *
 * A jump into the middle of another function returns to the nearest frame of that
 * function, among those that the jump's own frame was tail called from. Without one it
 * makes a frame that nothing has called. So the frame on top is always of the function
 * whose code runs.
 *
 * Coroutines and goroutines have stacks of their own. A thread changes from one to another by
 * a return or a jump to where the other one made its last call. So frames that are left
 * in such a way are set aside (callstack_aside.c), and come back when control arrives where
 * one of them expects it.
 *
 * Calls through stubs (procedure linkage tables, and the dynamic linker's resolver) are
 * calls of the function they finally jump to. A signal's handler is called by what it
 * interrupts, and so is a machine's handler of traps. The code it returns to, which asks the kernel to resume the program, is
 * treated like a stub. Instructions in a stub are the stub's own, and no frame is
 * reported for it.
 *
 * An interpreter runs methods of a program: each has a frame over that of the interpreter's
 * function, as a tail call would have. Functions that the interpreter calls then are called by the
 * method. The frames are left with the interpreter's.
 *
 * A function that was inlined has a frame while its code runs (FRAME_INLINE), above that of
 * the function that it was inlined into; nothing called it. Such a frame is part of what it
 * stands on: both end together.
 *
 * Code in a gap is not recorded and has no frame. A function called there counts as
 * called by the last recorded code, if that made a call or was a stub. It has returned
 * when control is again after a call. A return that was recorded last has happened. Where
 * control leaves a gap in any other way, the stack begins anew.
 *
 * An *open* stack does not know the frames below those it has seen pushed. Where this
 * matters it reports the step to its sink, with all frames it still has, and continues as
 * if at the bottom. callstack_take() and callstack_push() do the same steps on the stack
 * before, which knows them.
 */
#ifndef ANALYSIS_CALLS_CALLSTACK_H
#define ANALYSIS_CALLS_CALLSTACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/calls/sites.h"
#include "waymark.h"

enum { CALLSTACK_TAILS = 64, CALLSTACK_DEPTH = 1 << 22 };

enum frame_kind {
	FRAME_CALL,
	FRAME_TAIL,
	FRAME_JUMP,    /* control came into the middle of a function; nothing called it */
	FRAME_SIGNAL,  /* a handler, of a signal or a trap */
	FRAME_ORIGIN,  /* was there when it was first seen; nothing called it */
	FRAME_METHOD,  /* of what an interpreter runs, whose code the frame below is of */
	FRAME_INLINE,  /* of inlined code; its `whole` is the strand */
	FRAME_RESUMED, /* only where it is reported: it had been set aside */
};

struct callstack_frame {
	uint64_t insn;	/* ordinal of its first */
	uint32_t ret;	/* place; 0: none that is known; of a method: see interpreted.h */
	uint32_t where; /* home of the block that made its last call */
	uint32_t entity; /* of a stub: that of the frame below it */
	uint32_t whole;	 /* of the code that runs in it, see struct site; 0: not known */
	uint32_t edge, context, level; /* the sink's */
	uint8_t kind;		       /* enum frame_kind */
	uint8_t tails; /* made in a row, up to this; of the root: at least */
	bool stub;     /* the sink does not hear of it */
	uint8_t role;  /* enum site_role */
	bool entered;  /* at its beginning, not somewhere inside */
	bool resumed;  /* the sink's: it had been set aside */
	bool hidden;   /* the sink's: it stands for the frame below, see callpart.c */
};

/* How control left the last block, before it arrives anywhere. */
struct callstack_exit {
	uint16_t leave; /* of enum site_leave */
	uint32_t home;	/* CALLSTACK_LEFT: that of the stack before */
	uint32_t end;	/* place; CALLSTACK_LEFT: as above */
	uint32_t whole; /* see struct site; 0: of loose code, or not known */
};
#define CALLSTACK_LEFT UINT32_MAX

/* What an open stack could not do. */
struct callstack_step {
	enum callstack_how {
		CALLSTACK_BEGIN,  /* nothing: the stack was empty before */
		CALLSTACK_ARRIVE, /* from `from`, or where the stack before is, at `to` */
		CALLSTACK_SIGNAL, /* a signal; `to` is where the program continues, or
				   * NULL */
		CALLSTACK_CUT,	  /* the last of CALLSTACK_TAILS tail calls ends */
	} how;
	bool left; /* whoever was there before knows where it comes from */
	struct callstack_exit from;
	const struct site *to;
	uint64_t insn; /* ordinal */
};

struct callstack;

/* Frames that leave a stack although they have not returned, and others that come. */
struct callstack_swap {
	uint64_t insn;		     /* ordinal */
	struct callstack_frame *out; /* [n_out] room for the topmost ones */
	uint32_t n_out;
	const struct callstack_frame *in; /* [n_in] the lowest first */
	uint32_t n_in;
};

/* All of a stack, or its upper part, that was set aside. */
struct callstack_aside {
	struct callstack_frame *frames; /* [n] the lowest first */
	uint32_t n;
	uint64_t returns; /* a bit for each place that they return to, by its hash */
};

struct callstack_asides {
	struct callstack_aside *all; /* [n] the oldest first */
	uint32_t n;
	uint64_t frames; /* of all of them */
};

struct callstack_sink {
	/*
	 * The topmost frame, or the root, has run `insns` instructions; when it is a
	 * stub, in code of frame->whole.
	 */
	void (*spent)(void *cookie, struct callstack_frame *frame, uint64_t insns);
	/* `frame` is new; `below` is right below it, `caller` the entity that called it. */
	void (*enter)(void *cookie, struct callstack_frame *frame,
		      const struct callstack_frame *below, uint32_t caller);
	void (*leave)(void *cookie, struct callstack_frame *frame, uint64_t insn);
	/*
	 * Only of an open stack: takes over frames[n], the lowest first, which leave the
	 * stack.
	 */
	void (*unknown)(void *cookie, const struct callstack_step *step,
			const struct callstack_frame *frames, uint32_t n);
	/*
	 * Never of an open stack: does callstack_swap_frames(). What the sink keeps in frames that
	 * leave is as it wants it when they come again; they may also be below other frames then,
	 * or be the lowest ones.
	 */
	void (*swap)(void *cookie, struct callstack_swap *swap);
	/* What was set aside does not come again. NULL: the sink does not mind. */
	void (*forget)(void *cookie, const struct callstack_aside *aside);
};

struct callstack {
	const struct callstack_sink *sink;
	void *cookie;
	const struct strands *strands;	/* the caller's, of inlined code; NULL: none */
	struct callstack_frame *frames; /* [depth] over the root */
	struct callstack_frame root;	/* what is below; its entity is the sink's */
	uint32_t depth, allocated;
	uint32_t deepest; /* since the last unknown step */
	uint64_t since;	  /* instructions before this one are reported as spent */
	struct callstack_exit last;
	struct callstack_asides asides;
	bool open;
	bool solid; /* of an open stack: the root is no stub */
	bool over;  /* what is followed has ended */
	int error;  /* WM_E_NOMEM, or WM_E_RANGE: too deep to be true; 0 */
};

void callstack_init(struct callstack *stack, const struct callstack_sink *sink,
		    void *cookie, bool open, uint64_t insn);
void callstack_fini(struct callstack *stack);

/*
 * Follows blocks ids[n], whose first instruction is `insn`. Returns the ordinal after
 * them.
 */
uint64_t callstack_blocks(struct callstack *stack, const struct site_table *table,
			  const uint32_t *ids, size_t n, uint64_t insn);
/*
 * Follows the instructions skip <= index < end of block rows[id]. Only the first block of
 * a stack may begin later than its start.
 */
void callstack_part(struct callstack *stack, const struct site *rows, uint32_t id,
		    uint32_t skip, uint32_t end, uint64_t insn);
/* A handler starts; `to` is where the program will continue, or NULL. */
void callstack_signal(struct callstack *stack, const struct site *to, uint64_t insn);
/* Code runs that is not recorded. */
void callstack_gap(struct callstack *stack);
/* The last block has asked the kernel to return from a signal. */
void callstack_return_from_signal(struct callstack *stack);

/*
 * An interpreter, whose function is on top, begins to run a method, or goes on with one that
 * is not there (`entered` is false); and leaves the one on top, if one is. Of a stack that is
 * not open.
 */
void callstack_enter_method(struct callstack *stack, uint32_t entity, uint64_t insn,
			    bool entered);
void callstack_leave_method(struct callstack *stack, uint64_t insn);

/* Does a step that the open stack after this one could not do. */
void callstack_take(struct callstack *stack, const struct callstack_step *step);
/* The same, but frames of inlined code stay, which the open stack has entered once more. */
void callstack_take_inside(struct callstack *stack, const struct callstack_step *step);
/*
 * `frame`, which is the root or on top but for inlined code, was the root of an open stack:
 * that had `deepest` frames, and whether it has called, and from `where`, as of its root.
 */
void callstack_settle_root(struct callstack *stack, struct callstack_frame *frame,
			   uint32_t deepest, bool called, uint32_t where);
/* Control leaves this stack as it left the open stack that was after it. */
void callstack_leave_as(struct callstack *stack, const struct callstack_exit *next);
/* Adds a frame as it is; the sink does not hear of it. */
void callstack_push(struct callstack *stack, const struct callstack_frame *frame);
/*
 * For sinks: takes swap->n_out frames off, or all there are, and pushes those that come. Calls
 * put_away() for each frame that leaves, the topmost first, and take_back() for each that
 * comes, the lowest first, with the stack's cookie. A stub's frame is not handed out.
 */
void callstack_swap_frames(struct callstack *stack, struct callstack_swap *swap,
			   void (*put_away)(void *cookie, struct callstack_frame *frame,
					    uint64_t insn),
			   void (*take_back)(void *cookie, struct callstack_frame *frame,
					     const struct callstack_frame *below,
					     uint64_t insn));
/* Adds what was set aside last; its frames must be from malloc(), `returns` is filled in. */
void callstack_add_aside(struct callstack *stack, const struct callstack_aside *aside);
/*
 * The frame is that of a stub, right above `below`. It stands for that one: calls made from it
 * are calls of that one.
 */
void callstack_stand_for(struct callstack_frame *frame,
			 const struct callstack_frame *below);
/* A sink's spent(), when nobody asks for it. */
void callstack_ignore_spent(void *cookie, struct callstack_frame *frame, uint64_t insns);
/*
 * Where the call was made whose frame is entered now: where the calling block ends, see struct
 * site; of inlined code its strand; 0: not known.
 */
uint32_t callstack_place(const struct callstack *stack,
			 const struct callstack_frame *frame);
/* The sentence for callstack.error; returns it. */
int callstack_fail(int error, struct wm_error *err);
/*
 * Leaves all frames, up to the bottom of a stack that is not open, with `over` set: these
 * have not returned.
 */
void callstack_end(struct callstack *stack, uint64_t insn);
/* Reports the instructions since the last report as spent by the topmost frame. */
void callstack_spend(struct callstack *stack, uint64_t insn);

static inline struct callstack_frame *callstack_top(struct callstack *stack)
{
	return stack->depth ? &stack->frames[stack->depth - 1] : &stack->root;
}

#endif
