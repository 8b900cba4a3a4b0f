/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A place in a run, as people write it:
 *
 *	SYMBOL, SYMBOL+OFFSET, FILE:LINE, 0xADDRESS, insn:N, time:S, marker:ID, syscall:NAME
 *
 * each may end with @N: when it is reached for the N-th time. A symbol or a line of one
 * file among those that are loaded is MODULE:SYMBOL or MODULE:FILE:LINE, where MODULE is a
 * pattern (of fnmatch) for the file's name. A::B is all symbol.
 */
#ifndef QUERY_POSITION_H
#define QUERY_POSITION_H

#include <stdbool.h>
#include <stdint.h>

#include "waymark.h"

enum position_kind {
	POSITION_NONE, /* nothing was written: the beginning, or the end */
	POSITION_SYMBOL,
	POSITION_LINE,
	POSITION_ADDRESS,
	POSITION_INSN,
	POSITION_TIME,
	POSITION_MARKER,
	POSITION_SYSCALL,
};

struct position {
	enum position_kind kind;
	char *module; /* NULL: any; the caller's to free with where_fini() */
	char *name;   /* of the symbol, source file, system call; the same */
	/* Offset from the symbol in bytes, line, address, instructions, nanoseconds, id. */
	uint64_t value;
	uint32_t times; /* from 1 */
};

/* WM_E_RANGE, with a sentence, for what is no such place; WM_E_NOMEM. */
int position_parse(struct position *position, const char *text, struct wm_error *err);
void position_fini(struct position *position);

/* "A..B"; either may be empty. Errors as above. */
int position_parse_window(struct position *from, struct position *to, const char *text,
			  struct wm_error *err);

/*
 * The number of the system call that a position names, which may be a number itself.
 * WM_E_RANGE with a sentence when the guest's ISA has no such call.
 */
int position_call(uint64_t *number, const struct position *position, const char *isa,
		  struct wm_error *err);

/* Seconds such as "2" or "0.25", in nanoseconds; false: it is no such number. */
bool position_seconds(const char *text, uint64_t *ns);

#endif
