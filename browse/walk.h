/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A position in a thread, and the steps of a debugger from there, forwards and backwards.
 * Nothing is computed ahead: a step reads the blocks that it passes.
 *
 * A step returns 0 when it reached a new position. WM_END: there is no such position on
 * this side. WALK_STOPPED: the user interrupted it. In both cases the position is
 * unchanged. Below 0: an error.
 */
#ifndef BROWSE_WALK_H
#define BROWSE_WALK_H

#include "browse/tape.h"
#include "program/functions.h"
#include "program/srclines.h"

enum { WALK_STOPPED = 2 };

/* Names for code; the caller's. */
struct walk_names {
	struct symbols *symbols;
	struct functions *functions;
	struct srclines *lines;
};

struct walk {
	const struct wm_trace *trace;
	struct walk_names names;
	struct tape *tape;
	struct tape_block block;
	uint32_t index; /* of the instruction in the block */
	/*
	 * Called now and then while a step takes long: false ends it. NULL: never called.
	 */
	bool (*go_on)(void *cookie);
	void *cookie;
	struct walk_memo *memo; /* for walk.c alone */
};

/* A walk along thread `stream`, at its first instruction. WM_END: it has none. */
int walk_init(struct walk *walk, const struct wm_trace *trace,
	      const struct walk_names *names, unsigned stream, struct wm_error *err);
void walk_fini(struct walk *walk);

/* The ordinal of the instruction, and its address. */
uint64_t walk_insn(const struct walk *walk);
uint64_t walk_address(const struct walk *walk);
/* That of instruction `index` of block `id`. */
uint64_t walk_address_at(const struct walk *walk, uint32_t id, uint32_t index);
/* Its line; false: not known. */
bool walk_line(const struct walk *walk, struct srcline *line);

int walk_seek(struct walk *walk, uint64_t ordinal, struct wm_error *err);

enum walk_step {
	WALK_INSN, /* one instruction */
	WALK_OVER, /* the same, but a call with all that it runs is one step */
	WALK_OUT,  /* to where the function returns to; back: to the call of it */
	WALK_LINE, /* to another line; back: to the begin of the line before */
	WALK_NEXT, /* the same over calls */
};
int walk_step(struct walk *walk, enum walk_step step, bool back, struct wm_error *err);

/*
 * The predicate of a search: true for instruction `index` of a block. Its answer must
 * depend on these arguments alone, because it is evaluated once or twice for each block
 * of the trace.
 */
typedef bool walk_wanted(void *cookie, const struct walk *walk, uint32_t id,
			 uint32_t space, uint32_t index);
/* To the next (or previous) instruction that is wanted. */
int walk_find(struct walk *walk, bool back, walk_wanted *wanted, void *cookie,
	      struct wm_error *err);

struct walk_frame {
	uint64_t insn; /* the innermost: the position; others: the call that they wait for */
	uint64_t address;
	uint32_t id, space;
};
/*
 * Fills in frames[room] from the innermost; *n is how many there are, and *whole whether
 * the last is where the thread began. Reads at most `blocks` blocks back. It does not
 * recognise frames that longjmp() left or that a jump entered.
 */
int walk_stack(struct walk *walk, uint64_t blocks, struct walk_frame *frames, size_t room,
	       size_t *n, bool *whole, struct wm_error *err);

/*
 * Whether the function that executed instruction insns[i] has not returned at the position: in
 * alive[i], for ordinals [n] that descend, from the position's own or before it. Reads back to the
 * last one that it sets: with `first` that is the first that is true.
 */
int walk_alive(struct walk *walk, const uint64_t *insns, size_t n, bool first,
	       bool *alive, struct wm_error *err);

#endif
