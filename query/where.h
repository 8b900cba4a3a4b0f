/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A place in a run, as people write it:
 *
 *	SYMBOL, SYMBOL+OFFSET, FILE:LINE, 0xADDRESS, insn:N, time:S, marker:ID, syscall:NAME
 *
 * each with @N behind it: when it is reached for the N-th time. A symbol or a line of one
 * file among those that are loaded is MODULE:SYMBOL or MODULE:FILE:LINE, where MODULE is a
 * pattern (of fnmatch) for the file's name. A::B is all symbol.
 */
#ifndef QUERY_WHERE_H
#define QUERY_WHERE_H

#include <stdbool.h>
#include <stdint.h>

#include "waymark.h"

enum where_kind {
	WHERE_NONE, /* nothing was written: the beginning, or the end */
	WHERE_SYMBOL,
	WHERE_LINE,
	WHERE_ADDRESS,
	WHERE_INSN,
	WHERE_TIME,
	WHERE_MARKER,
	WHERE_SYSCALL,
};

struct where {
	enum where_kind kind;
	char *module; /* NULL: any; the caller's to free with where_fini() */
	char *name;   /* of the symbol, source file, system call; the same */
	/* Bytes behind the symbol, the line, address, instructions, nanoseconds, id. */
	uint64_t value;
	uint32_t times; /* from 1 */
};

/* WM_E_RANGE, with a sentence, for what is no such place; WM_E_NOMEM. */
int where_parse(struct where *where, const char *text, struct wm_error *err);
void where_fini(struct where *where);

/* "A..B"; either may be empty. Errors as above. */
int where_parse_window(struct where *from, struct where *to, const char *text,
		       struct wm_error *err);

/*
 * Where a name with a MODULE before it is divided: at its first colon that is not doubled;
 * NULL: it has none.
 */
const char *where_colon(const char *text);

/* Seconds such as "2" or "0.25", in nanoseconds; false when it is none. */
bool where_seconds(const char *text, uint64_t *ns);

#endif
