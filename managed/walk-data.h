/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Inside of managed/walk.h: what a walk knows, for the files that it consists of. */
#ifndef MANAGED_WALK_DATA_H
#define MANAGED_WALK_DATA_H

#include "managed/callees.h"
#include "managed/frames.h"
#include "managed/gaps.h"
#include "managed/plain.h"
#include "managed/walk.h"

/* What a block is to the walk. */
struct fact {
	bool known;  /* the rest is set */
	bool plain;  /* known, and of no piece nor marks: only what it accesses matters */
	bool jumps;  /* its last instruction is an indirect jump */
	uint8_t way; /* how its piece leads to the next bytecode: enum frames_way */
	uint32_t insns;
	const struct piece *piece; /* NULL: it is not the interpreter's */
	uint32_t mark, marks; /* of compiled code: the first of its marks, and how many */
	uint32_t site, sites; /* of a piece: the same of its instructions that fetch */
};

/* Code of another bytecode begins in a block of compiled code. */
struct mark {
	const struct compiled_space *space;
	const struct made_piece *piece;
	const struct made_line *row;
	const struct unit *unit;   /* NULL: not known */
	const struct unit *called; /* as in a walk_step */
	uint32_t insn;		   /* of the block */
	bool begins, entered;
};

struct walk {
	const struct units *units;
	const struct wm_trace *trace;
	struct fact *facts; /* by block id, of the space */
	struct mark *marks; /* [n_marks] of the facts */
	uint32_t n_marks;
	uint32_t *sites; /* [n_sites] the numbers of these instructions */
	uint32_t n_sites;
	const struct made_line
		*row; /* compiled code of it ran last; NULL: the interpreter */
	uint32_t n_facts, space;
	bool is_plain;	    /* the interpreter of the space has no pieces */
	bool has_all_loads; /* of the program, and not fetches alone */
	struct plain plain;
	const struct unit *near;     /* the unit that was asked for last */
	struct note_moment *moments; /* [n_moments] of the stream */
	size_t n_moments, moment;
	struct frames frames;
	struct walk_step fetched; /* not dispatched yet; unit NULL: nothing is */
	struct frame
		at; /* what the interpreter executes; unit NULL: not known, or of no use */
	const struct piece *catcher;  /* entered where something was caught; NULL: none */
	struct walk_step caught;      /* when that was; the unit is to be found */
	struct frames_passed *passed; /* [n_passed] since then */
	size_t n_passed;
	const struct piece *piece; /* of the block before; NULL: none */
	bool jumped;		   /* that block ended with an indirect jump */
	uint64_t insn;		   /* ordinal of the next block's first instruction */
	bool late; /* it began in the middle: frames are the innermost ones alone */
	bool lost; /* and has taken no step */
	bool recovers;
	struct callees *callees; /* of a walk that recovers */
	struct gaps gaps;	 /* of the stream; of a walk that recovers */
	struct frames before; /* those of a gap's begin, if bytecodes may be connected */
	struct walk_step
		behind; /* where that was; ways BRIDGE_SEVERAL: no bytecode came yet */
	uint64_t behind_insns; /* from the bytecode before it to the gap's end */
	uint64_t stepped;      /* where the last bytecode began */
	enum frames_way way;   /* by which the next bytecode is reached */
	walk_take *take;
	void *cookie;
};

/*
 * What a block is, from where it runs for the first time (`here`). A fact that is not `known`: the
 * trace has no such block. NULL: no memory.
 */
const struct fact *walk_learn(struct walk *walk, uint32_t id,
			      const struct walk_step *here);
/*
 * The unit at an address when a block runs, NULL for none. A forked process has the code of its
 * parent as that was then.
 */
const struct unit *walk_unit_at(struct walk *walk, uint64_t address, uint64_t block);
/* A gap begins: what the thread is in is kept, when the walk recovers. WM_E_NOMEM. */
int walk_keep(struct walk *walk, const struct wm_step *step, struct wm_error *err);
/* If it is the first bytecode behind a gap, connects it with the last one before. */
int walk_join_gap(struct walk *walk, const struct walk_step *first, struct wm_error *err);
static inline int walk_join(struct walk *walk, const struct walk_step *first,
			    struct wm_error *err)
{
	return walk->behind.ways ? walk_join_gap(walk, first, err) : 0;
}
/* The interpreter executes that from now on. */
static inline void walk_is_at(struct walk *walk, const struct walk_step *step)
{
	if (walk->units->step)
		walk->at = (struct frame){ step->unit, step->offset };
}
/* What was fetched is executed, by a piece that was entered. */
int walk_take_fetched(struct walk *walk, const struct piece *piece, struct wm_error *err);
/* Takes the second bytecode of a pair, whose first one is given. */
int walk_take_second(struct walk *walk, const struct walk_step *first,
		     struct wm_error *err);
/*
 * A piece was entered from a bytecode's, walk->piece, without a fetch: takes the bytecode behind the
 * one that the interpreter was at.
 */
int walk_take_next(struct walk *walk, const struct piece *piece,
		   const struct walk_step *here, struct wm_error *err);
/* The handler is known: takes what came behind its first bytecode. */
int walk_take_passed(struct walk *walk, struct wm_error *err);
/* What was caught last is known by what comes next, if at all: takes it. */
int walk_take_caught(struct walk *walk, const struct frames_next *next,
		     struct wm_error *err);

/* walk_stream(), but it ends when all bytecodes that begin before instruction `to` are known. */
int walk_stream_to(const struct units *units, const struct wm_trace *trace,
		   unsigned stream, bool recovers, uint64_t to, walk_take *take,
		   void *cookie, struct wm_error *err);

#endif
