/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The steps of a debugger among the bytecodes of a managed program, forwards and backwards from
 * any instruction of a thread. Nothing is computed ahead: a step reads what it passes and some way
 * before that, and a step back some nine times as much at the most.
 *
 * Instructions are ordinals in the thread. Results are those of browse/walk.h: 0 with *to set;
 * WM_END: there is no such position on this side; BYTEWALK_STOPPED: the user interrupted it; below 0
 * an error.
 */
#ifndef BROWSE_BYTEWALK_H
#define BROWSE_BYTEWALK_H

#include "managed/units.h"

enum { BYTEWALK_STOPPED = 2 };

struct byteparts;

struct bytewalk {
	const struct units *units;
	struct byteparts *parts; /* of the same units */
	/* The caller's to set. */
	unsigned stream;
	/* Called now and then while a step takes long: false ends it. NULL: never called. */
	bool (*go_on)(void *cookie);
	void *cookie;
	/*
	 * walk_alive() of a walk at instruction `insn`. A method whose interpreter has returned is
	 * then left, too, where no bytecode says so: what it threw was caught by native code. NULL:
	 * bytecodes say it all.
	 */
	int (*alive)(void *native, uint64_t insn, const uint64_t *insns, size_t n,
		     bool first, bool *alive, struct wm_error *err);
	void *native;
};

/* Of a trace and units that outlive it; bytewalk_fini() also after a failure. WM_E_NOMEM. */
int bytewalk_init(struct bytewalk *walk, const struct wm_trace *trace,
		  const struct units *units, struct wm_error *err);
void bytewalk_fini(struct bytewalk *walk);

/* A bytecode that was executed, or where a method calls another one. */
struct bytecode_at {
	uint64_t insn;		 /* with which it begins */
	const struct unit *unit; /* NULL: from here on nothing is known */
	uint32_t offset;
	char mark;    /* how it is known: see bytecode_kind() */
	bool inlined; /* of a frame: by the compiler of the next one */
};

/* Whether the thread executes a bytecode before instruction `to`. Errors: those of cursors. */
int bytewalk_begins(const struct bytewalk *walk, uint64_t to, bool *begins,
		    struct wm_error *err);

enum bytewalk_step {
	BYTEWALK_ONE,  /* one bytecode */
	BYTEWALK_OVER, /* the same, but a call with all that it runs is one step */
	BYTEWALK_OUT,  /* to where the method returns to; back: to the call of it */
	BYTEWALK_LINE, /* to another line; back: to the begin of the line before */
	BYTEWALK_NEXT, /* the same over calls */
};

int bytewalk_step(const struct bytewalk *walk, uint64_t insn, enum bytewalk_step step,
		  bool back, uint64_t *to, struct wm_error *err);

/* A place as method_place.h has it. */
struct bytewalk_place {
	bool is_line;
	const char *name;
	const char *module; /* NULL: any */
	uint64_t number;
};
/* Whether any method has the place. WM_E_NOMEM. */
int bytewalk_has(const struct bytewalk *walk, const struct bytewalk_place *place,
		 bool *has, struct wm_error *err);
/* To where the thread comes to the place next, or came last before. */
int bytewalk_find(const struct bytewalk *walk, uint64_t insn,
		  const struct bytewalk_place *place, bool back, uint64_t *to,
		  struct wm_error *err);

enum { BYTEWALK_ROWS = 256, BYTEWALK_FRAMES = 256 };

/* What is around an instruction. */
struct bytewalk_view {
	struct bytecode_at rows[2 * BYTEWALK_ROWS]; /* [n_rows] as they ran */
	size_t n_rows;
	size_t here; /* index of the one that is executed; n_rows: none is known */
	struct bytecode_at frames[BYTEWALK_FRAMES]; /* [n_frames] from the innermost */
	size_t n_frames;
	bool whole; /* there are no other frames */
};
/*
 * Fills in *view with at most `around` rows before and behind, up to BYTEWALK_ROWS - 1. Reads at
 * most `most` instructions back.
 */
int bytewalk_look(const struct bytewalk *walk, uint64_t insn, size_t around,
		  uint64_t most, struct bytewalk_view *view, struct wm_error *err);

#endif
