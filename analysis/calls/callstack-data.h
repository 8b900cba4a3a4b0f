/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What callstack.c, callstack_feed.c and callwalk.c share: the steps of a stack. */
#ifndef ANALYSIS_CALLS_CALLSTACK_DATA_H
#define ANALYSIS_CALLS_CALLSTACK_DATA_H

#include "analysis/calls/callstack.h"

/* Control arrives at `to`; NULL: a signal comes before it is there. */
void callstack_arrive(struct callstack *stack, const struct callstack_exit *from,
		      const struct site *to, uint64_t insn);
/* Pushes the first frame of a stack that begins, or begins anew, inside a function. */
void callstack_originate(struct callstack *stack, const struct site *to, uint64_t insn,
			 bool entered);
/* Pushes a frame that is `like`, of the code at `to`; `caller` is the entity below it. */
void callstack_enter(struct callstack *stack, const struct site *to, uint64_t insn,
		     const struct callstack_frame *like, uint32_t caller);
/* The topmost frame is of the function at `to`: makes those of inlined calls agree with it. */
void callstack_inline(struct callstack *stack, const struct site *to, uint64_t insn);
/* The frames without those of inlined code on top of them. */
uint32_t callstack_solid_depth(const struct callstack *stack);
/*
 * The index of the lowest frame of the chain that frames[index] belongs to; -1: the root.
 */
int64_t callstack_base_of(const struct callstack *stack, int64_t index);
/* Whether a frame is of the code at `to`, whatever is inlined there. */
bool callstack_is_code(const struct callstack *stack, const struct callstack_frame *frame,
		       const struct site *to);
/* Leaves it to the stack before to do this step. */
void callstack_report_arrival(struct callstack *stack, const struct callstack_exit *from,
			      const struct site *to, uint64_t insn);
/*
 * Control is inside another function than that of the topmost frame. It returns to a
 * frame of that function in the chain if there is one.
 */
void callstack_land(struct callstack *stack, const struct callstack_exit *from,
		    const struct site *to, uint64_t insn);
/* Begins anew, with a frame of the code at `to` if that is known. */
void callstack_begin_anew(struct callstack *stack, const struct site *to, uint64_t insn);
/* Whether control arrives where another function begins. */
bool callstack_is_entry(const struct callstack_exit *from, const struct site *to);
/* The index of the nearest frame below frames[depth] that returns to `to`; negative: none. */
int64_t callstack_find_return(const struct callstack *stack, const struct site *to,
			      int64_t depth);
/*
 * Control arrives at `to`, where the topmost frame does not expect it: goes on with the frame
 * that made a call right before, on this stack below frames[depth] or on one that was set
 * aside. Returns false if no frame expects that.
 */
bool callstack_go_on_elsewhere(struct callstack *stack, const struct callstack_exit *from,
			       const struct site *to, uint64_t insn, int64_t depth);
/*
 * A jump behind a call that has returned: setjmp() returns again to a frame below, where
 * longjmp() has no name. Not with an open stack.
 */
void callstack_return_again(struct callstack *stack, const struct site *to,
			    uint64_t insn);
/* A return that the topmost frame does not expect; frames[depth] and above are left for certain. */
void callstack_return_far(struct callstack *stack, const struct callstack_exit *from,
			  const struct site *to, uint64_t insn, int64_t depth);
/* Control comes from a function that is known to change to another stack (SITE_SWITCHES). */
void callstack_change_stack(struct callstack *stack, const struct callstack_exit *from,
			    const struct site *to, uint64_t insn);
/* Sets all frames from index `depth` on aside, or leaves them if nothing can return to them. */
void callstack_set_aside(struct callstack *stack, uint32_t depth, uint64_t insn);
/*
 * If a stack was set aside that expects control at `to`, that comes back and this one is set aside.
 * False: there is none.
 */
bool callstack_bring_back(struct callstack *stack, const struct site *to, uint64_t insn);
/* Nothing that was set aside will come again. */
void callstack_forget_asides(struct callstack *stack);
/* What only code that a JVM made does: see callstack_jvm.c. */
void callstack_fall_back(struct callstack *stack, const struct callstack_exit *from,
			 const struct site *to, uint64_t insn, uint32_t base);
void callstack_return_thawed(struct callstack *stack, const struct callstack_exit *from,
			     const struct site *to, uint64_t insn, uint32_t base);
void callstack_unmount(struct callstack *stack, const struct callstack_exit *from,
		       const struct site *to, uint64_t insn);
void callstack_throw(struct callstack *stack, const struct callstack_exit *from,
		     const struct site *to, uint64_t insn);
/* The same of V8's: see callstack_v8.c. False: an open stack leaves it to the one before. */
bool callstack_catch(struct callstack *stack, const struct callstack_exit *from,
		     const struct site *to, uint64_t insn);
void callstack_replace(struct callstack *stack, const struct callstack_exit *from,
		       const struct site *to, uint64_t insn);
/* Leaves frames until `depth` of them are left. */
void callstack_unwind(struct callstack *stack, uint32_t depth, uint64_t insn);
/* Of an open stack: hands a step and all frames to the sink. */
void callstack_report(struct callstack *stack, const struct callstack_step *step);
/*
 * Continues from `site`, which begins at `insn`, through the rows of the same block that
 * begin before instruction `end`. Returns the last one.
 */
const struct site *callstack_run_on(struct callstack *stack, const struct site *rows,
				    const struct site *site, uint64_t insn, uint64_t end);

static inline void callstack_leave_from(struct callstack_exit *last,
					const struct site *site)
{
	*last = (struct callstack_exit){
		.leave = site->leave,
		.home = site->home,
		.end = site->end,
		.whole = site->loose ? 0 : site->whole,
	};
}

static inline void callstack_depart(struct callstack *stack, const struct site *site)
{
	callstack_leave_from(&stack->last, site);
}

/* Does the step from one block to the next; false: it has not, callstack_arrive() must. */
typedef bool callstack_quick(struct callstack *stack, const struct site *from,
			     const struct site *to, uint64_t insn);

/* callstack_run_on() to the block's end. */
static inline __attribute__((always_inline)) const struct site *
callstack_run_to_end(struct callstack *stack, const struct site *rows,
		     const struct site *site, uint64_t insn, callstack_quick *quick)
{
	while (site->next) {
		const struct site *from = site;

		site = &rows[from->next];
		insn += from->insns - site->insns;
		if (!quick || !quick(stack, from, site, insn)) {
			callstack_depart(stack, from);
			callstack_arrive(stack, &stack->last, site, insn);
		}
	}
	return site;
}

/* A walk through blocks ids[n], as far as it has come. */
struct callstack_walk {
	const struct site *site; /* of the last block */
	uint32_t word;		 /* of it */
	size_t n;		 /* blocks that were walked */
	uint64_t insn;		 /* ordinal of what comes next */
};

/* Walks the first block. */
static inline struct callstack_walk callstack_begin(struct callstack *stack,
						    const struct site_table *table,
						    const uint32_t *ids, uint64_t insn)
{
	const struct site *rows = table->rows, *site = &rows[ids[0]];

	callstack_arrive(stack, &stack->last, site, insn);
	site = callstack_run_on(stack, rows, site, insn, UINT64_MAX);
	return (struct callstack_walk){ site, site->word, 1, insn + rows[ids[0]].insns };
}

/*
 * Goes on through the blocks of ids[n] that begin at instruction `last` or before. Mostly
 * control continues in the same function: then one word of two rows is compared, and neither row
 * is read. `quick` is a constant, or NULL.
 */
static inline __attribute__((always_inline)) void
callstack_go_on(struct callstack *stack, const struct site_table *table,
		const uint32_t *ids, size_t n, uint64_t last, struct callstack_walk *walk,
		callstack_quick *quick)
{
	const struct site_step *steps = table->steps;
	/* Locals: stores to frames cannot alias them. */
	struct callstack_walk at = *walk;

	for (; at.n < n && at.insn <= last; at.n++) {
		struct site_step step = steps[ids[at.n]];
		const struct site *from = at.site;

		at.site = &table->rows[ids[at.n]];
		if (site_goes_on(at.word, step.word)) {
			at.word = step.word;
		} else {
			if (!quick || !quick(stack, from, at.site, at.insn)) {
				callstack_depart(stack, from);
				callstack_arrive(stack, &stack->last, at.site, at.insn);
			}
			if (at.site->next)
				at.site = callstack_run_to_end(stack, table->rows,
							       at.site, at.insn, quick);
			at.word = at.site->word;
		}
		at.insn += step.insns;
	}
	*walk = at;
}

/* What callstack_blocks() does. */
static inline __attribute__((always_inline)) uint64_t
callstack_follow(struct callstack *stack, const struct site_table *table,
		 const uint32_t *ids, size_t n, uint64_t insn, callstack_quick *quick)
{
	struct callstack_walk walk = callstack_begin(stack, table, ids, insn);

	callstack_go_on(stack, table, ids, n, UINT64_MAX, &walk, quick);
	callstack_depart(stack, walk.site);
	return walk.insn;
}

#endif
