/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which bytecodes a thread executed, in order: from its path and from what it fetched. */
#ifndef MANAGED_WALK_H
#define MANAGED_WALK_H

#include "managed/bridge.h"
#include "managed/frames.h"

/*
 * A bytecode that was executed; or, of compiled code, that the code from here on is of, as
 * its compiler says: then steps come in the order of the code.
 */
struct walk_step {
	/* NULL: from `insn` on nothing is known, behind a gap or in another program. */
	const struct unit *unit;
	uint32_t offset; /* in the unit */
	bool inferred;	 /* it was not fetched: the path and the unit's tables say so */
	bool recovered;	 /* it was executed in a gap: the units leave no other way */
	enum bridge_ways ways; /* without a unit, of a gap: those to the next bytecode */
	size_t between; /* of one way: how many bytecodes of it come next, recovered */
	enum frames_way way; /* by which it was reached, as far as pieces say that */
	bool entered; /* its method was called; of compiled code, not as an inlined one */
	/* Which method, if the code there is of one that is inlined into it; else NULL. */
	const struct unit *called;
	bool executed; /* false: of compiled code, which goes on or was moved */
	bool unsure; /* of a walk that began late: what is executed depends on what was before */
	uint8_t tier;	/* enum note_tier; 0: it was interpreted */
	uint64_t block; /* ordinal of the stream's block in which it begins */
	uint64_t insn; /* of an instruction: the block's first, or that of compiled code */

	/* Of compiled code, else NULL: where it is, and what holds the inlined calls. */
	const struct made *made;
	const struct made_piece *piece;
	const struct made_line *row;
};

/*
 * Whether a step with a unit is news: compiled code that goes on is not, but where an optimising
 * compiler moved it.
 */
static inline bool walk_step_is_news(const struct walk_step *step)
{
	return step->executed || step->tier == NOTE_OPTIMISED;
}

/* How a bytecode is known: a mark for people, and a word. */
struct bytecode_kind {
	char mark;
	const char *note; /* "": it was fetched */
};
struct bytecode_kind bytecode_kind(const struct walk_step *step);

/* An error ends the walk. */
typedef int walk_take(void *cookie, const struct walk_step *step, struct wm_error *err);

/*
 * Calls take() for each bytecode that a stream executed and was recorded. With `recovers`
 * also for a step without unit at each gap, which says whether there is one way only, and then
 * for the bytecodes of that way. Errors: those of cursors and of take(); WM_E_NOMEM.
 */
int walk_stream(const struct units *units, const struct wm_trace *trace, unsigned stream,
		bool recovers, walk_take *take, void *cookie, struct wm_error *err);

/*
 * The same from the steps that begin with instruction `from` or later to those before `to`; of
 * others take() gets some or none. Most of what is before `from` is not walked, and
 * little of what is behind `to`.
 */
int walk_between(const struct units *units, const struct wm_trace *trace, unsigned stream,
		 bool recovers, uint64_t from, uint64_t to, walk_take *take, void *cookie,
		 struct wm_error *err);

/*
 * The same in steps, for who follows the path as well: walk_pass() with each run that a cursor
 * of the stream has just returned. `units` and `trace` must outlive the walk. WM_E_NOMEM.
 */
struct walk;
int walk_new(struct walk **walk, const struct units *units, const struct wm_trace *trace,
	     unsigned stream, walk_take *take, void *cookie, struct wm_error *err);
int walk_pass(struct walk *walk, struct wm_cursor *cursor, const uint32_t *ids, size_t n,
	      const struct wm_step *step, struct wm_error *err);
void walk_free(struct walk *walk);
/*
 * Before the first walk_pass(): the cursor goes to an instruction of the stream, and the walk
 * begins there. Its steps are those of a walk from the begin, from the first on that is handed
 * to take(); where that cannot be known, there is one without unit that is unsure. Errors: those
 * of wm_cursor_seek_insn().
 */
int walk_begin_late(struct walk *walk, struct wm_cursor *cursor, uint64_t insn,
		    struct wm_error *err);
/* From now on take() is called for what is recovered, as walk_stream() has it. */
int walk_recover(struct walk *walk, unsigned stream, struct wm_error *err);
/* Of a walk that recovers, at the end of its stream: takes a gap that no bytecode came behind. */
int walk_end(struct walk *walk, struct wm_error *err);
/* The instructions that it has seen. */
uint64_t walk_insns(const struct walk *walk);
/* All bytecodes that begin before this instruction were handed to take(). */
uint64_t walk_settled(const struct walk *walk);

/* How many instructions before a position the first walk to it begins. */
enum { WALK_BACK_INSNS = 1 << 20 };

/* How many the next one does, when that was too late: at last all that are before it. */
static inline uint64_t walk_further_back(uint64_t back, uint64_t position)
{
	const uint64_t times = 16;

	return back < position / times ? back * times : position;
}

#endif
