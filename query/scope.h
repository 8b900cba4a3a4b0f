/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The selected part of a trace: which threads, and from where to where. */
#ifndef QUERY_SCOPE_H
#define QUERY_SCOPE_H

#include <stdbool.h>
#include <stdint.h>

#include "waymark.h"

enum { SCOPE_TABLES_MAX = 16 };

struct source;

struct scope {
	const char *file;
	/* As typed, see query/threads.h and processes.h; or NULL. */
	const char *thread, *process, *pid;
	/* Of a whole machine: bits of modes, as events number them; 0: all. */
	uint32_t modes;
	uint32_t hart;
	bool has_hart;	     /* `hart` is the only one selected */
	const char *syscall; /* patterns, separated by commas: only in these; or NULL */
	/* Ordinals; UINT64_MAX: to the end. Where there is a text, scope_find() sets them. */
	uint64_t from, to;
	/* Positions as in query/position.h, the caller's; NULL: the ordinal was given. */
	const char *from_text, *to_text;
	/* Tables of names for generated code, [n_tables]: "FILE" or "FILE:PID". */
	const char *tables[SCOPE_TABLES_MAX];
	unsigned n_tables;
	const char *symfs; /* a folder with the program's files; NULL: none */
};

#define SCOPE_INIT ((struct scope){ .to = UINT64_MAX })

/*
 * Sets a bound to a number, such as 10k, or to a position, which stays the caller's.
 * WM_E_RANGE with a sentence for what is neither.
 */
int scope_set_bound(struct scope *scope, bool is_to, const char *text,
		    struct wm_error *err);

/* Sets the modes from "user,kernel,firmware", or some of these words. WM_E_RANGE. */
int scope_set_modes(struct scope *scope, const char *words, struct wm_error *err);
/* Sets the hart from a number. WM_E_RANGE. */
int scope_set_hart(struct scope *scope, const char *number, struct wm_error *err);

/* Adds a table of names. WM_E_RANGE when there are too many. */
int scope_add_table(struct scope *scope, const char *table, struct wm_error *err);

/* WM_E_RANGE when both bounds are ordinals, and in the wrong order. */
int scope_check(const struct scope *scope, struct wm_error *err);

/*
 * Finds the positions that bound the scope, in the only one of streams[n]; `from` and `to`
 * become ordinals of instructions or of blocks. Without positions nothing is read.
 * WM_E_RANGE when a position is not reached, does not exist, or n is not 1; otherwise errors
 * of cursors.
 */
int scope_find(struct scope *scope, const struct source *source, const unsigned *streams,
	       unsigned n, bool by_insn, struct wm_error *err);

/* Whether the scope selects less than a whole thread. */
bool scope_is_bounded(const struct scope *scope);

#endif
