/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Code that was made at run time, piece by piece, as its compiler listed it: a reader
 * of lists (program/made/list.h) fills it in, made_settle() finds out when each piece was there.
 */
#ifndef PROGRAM_MADE_MADE_H
#define PROGRAM_MADE_MADE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

#define MADE_NO_CODE UINT64_MAX

struct made_piece {
	uint64_t start, end; /* guest addresses */
	uint64_t code;	     /* offset of its bytes in the list's text; or MADE_NO_CODE */
	uint64_t ns;	     /* CLOCK_MONOTONIC when it was made; 0: not known */
	uint32_t name;	     /* offset in texts */
	uint32_t line, lines; /* index of its first line, and how many it has */
	uint32_t call, calls; /* the same of its inlined calls */
	uint64_t entry;	      /* the address that each call executes; 0: not known */
	uint8_t tier;	      /* enum note_tier; 0 where the list does not say */

	/* Set by made_settle(); of a vDSO by made_read_notes(). */
	uint32_t known; /* it was there for blocks with greater ids */
	bool ran;
};

/* Code from here on, up to the piece's next line, is of this line of source. */
struct made_line {
	uint64_t address;
	uint32_t file;	 /* offset in texts */
	uint32_t number; /* 0: not known */
	uint32_t offset; /* in the bytecode at guest address `unit`, 0: not known */
	bool begins;	 /* the bytecode has no other code that is executed before this */
	uint64_t unit;
};

/* Code of a call that was inlined; a call comes before those that are inlined into it. */
struct made_call {
	uint64_t start, end;
	uint32_t name;	     /* offset in texts: whose code it is */
	uint32_t file, line; /* of the call: the same; 0: not known */
	uint32_t offset;     /* and which bytecode, as of a made_line */
	uint64_t unit;
};

struct made {
	struct made_piece *pieces; /* [n], in the order in which they were made */
	struct made_line *lines;   /* [n_lines]; those of a piece ascend */
	struct made_call *calls;   /* [n_calls] */
	uint32_t n, n_lines, n_calls;
	struct buf texts; /* each with its NUL */
	uint32_t last;	  /* where the last of them begins */
	/* Blocks that have the code of several pieces at one place, which differ in name. */
	uint32_t shared;
};

#define MADE_INIT ((struct made){ .pieces = NULL })

void made_fini(struct made *made);
/*
 * Copies a text of at most `bytes`, cut at a NUL, to texts: *text is its offset. Equal to
 * the text that was added last, it is that one. False: no memory, or too many of them.
 */
bool made_text(struct made *made, const char *from, size_t bytes, uint32_t *text);

/* A block of the recording; blocks come in the order of their ids. */
struct made_block {
	uint64_t address;
	const uint8_t *code;
	uint32_t bytes;
	uint32_t id;
};

/*
 * Says of each piece whether it ran, and from when on it was there. `text` is what the
 * provider read. next() fills in the next block, from the first on; false: no more.
 * False: no memory.
 */
bool made_settle(struct made *made, const char *text,
		 bool (*next)(void *cookie, struct made_block *block), void *cookie);

#endif
